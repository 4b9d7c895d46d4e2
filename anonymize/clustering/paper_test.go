package clustering

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// The examples of Yan et al., as printed.

const table1 = `
Name    Age  Sex  Zipcode  Disease
Alice   58   F    10030    anemia
Peter   49   M    10037    enteritis
Wilson  49   M    10022    anemia
Jim     51   M    10029    lymphoma
Rose    50   F    10033    leukemia
Jenny   33   F    10019    enteritis
John    36   M    10013    bronchitis
Karine  37   F    10010    anemia
Bob     51   M    10024    leukemia`

const table2 = `
GID  Age      Sex  Zipcode  Disease
1    [33-37]  *    1001*    anemia
1    [33-37]  *    1001*    enteritis
1    [33-37]  *    1001*    bronchitis
2    [49-51]  M    1002*    anemia
2    [49-51]  M    1002*    leukemia
2    [49-51]  M    1002*    lymphoma
3    [49-58]  *    1003*    anemia
3    [49-58]  *    1003*    leukemia
3    [49-58]  *    1003*    enteritis`

const table4 = `
ID  Age  Zipcode  Sex  Religion     Capitalgain
1   33   10010    F    Buddhism     good
2   35   10019    M    Catholicism  excellent
3   49   10020    F    Islam        good
4   51   10022    M    Catholicism  moderate`

const table5 = `
Blood cancer         anemia               Cardiovascular      coronary artery
                     leukemia                                 heart attack
                     lymphoma                                 stroke
                     myeloma                                  marfan syndrome
Lung cancer          lung adenocarcinoma  Digestive system    enteritis
                     Lung cancer                              gastritis
                     oat-cell cancer                          GERD
                     mesothelioma                             stomach flu
Brain cancer         glioblastoma         Respiratory system  bronchitis
                     astrocytoma                              pneumonia
                     meningioma                               emphysema
                     acoustic neuroma                         COPD
Parasitic protozoan  malaria              Skin                acne
                     chagas disease                           pemphigus
                     sleeping sickness                        psoriasis
                     trypanosomiasis                          rosacea`

const table6 = `
GID  Age      Zipcode        Disease
1    [21-22]  [12***-14***]  enteritis
1    [21-22]  [12***-14***]  leukemia
2    [26-28]  [18***-25***]  bronchitis
2    [26-28]  [18***-25***]  anemia`

const table7 = `
GID  Age      Zipcode        Disease
1    [21-23]  [12***-15***]  enteritis
1    [21-23]  [12***-15***]  leukemia
1    [21-23]  [12***-15***]  bronchitis
1    [21-23]  [12***-15***]  pneumonia
2    [26-28]  [18***-25***]  bronchitis
2    [26-28]  [18***-25***]  anemia`

const table8 = `
GID  Age      Zipcode        Disease
1    [21-23]  [12***-15***]  enteritis
1    [21-23]  [12***-15***]  leukemia
1    [21-23]  [12***-15***]  bronchitis
1    [21-23]  [12***-15***]  acne
2    [26-28]  [18***-25***]  bronchitis
2    [26-28]  [18***-25***]  anemia`

// paths builds a taxonomy of lines "leaf node ... root".
func paths(t testing.TB, lines ...string) *anonymize.Taxonomy {
	t.Helper()
	var all [][]string
	for _, line := range lines {
		all = append(all, strings.Fields(line))
	}
	tree, err := anonymize.TaxonomyOfPaths(all, func(text string) (anonymize.Value, error) { return anontest.Value(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// example4 is Table 4 with the taxonomy of Figure 1 and the order of
// Capitalgain. Religion is the sensitive attribute of Example 2 and a
// quasi-identifier too, so that the input is made by hand.
func example4(t testing.TB) *anonymize.Input {
	in := anontest.NewInput(t, anontest.Parse(t, table4), "Age Zipcode Sex Religion Capitalgain", "ID", rand.NewPCG(1, 1))
	in.Sensitive = in.QuasiIdentifiers[3:4]
	in.Domains = map[string]*anonymize.Domain{
		"Zipcode": {Scale: anonymize.Semantic, Taxonomy: paths(t,
			"10010 1001* 100**", "10019 1001* 100**", "10020 1002* 100**", "10022 1002* 100**")},
		"Capitalgain": {Scale: anonymize.Ordinal, Order: []anonymize.Value{
			anonymize.TextValue("moderate"), anonymize.TextValue("good"), anonymize.TextValue("excellent")}},
	}
	return in
}

func spaceOf(t testing.TB, in *anonymize.Input, joint bool) *Space {
	t.Helper()
	s, err := NewSpace(in, joint)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func close(x, y float64) bool { return math.Abs(x-y) < 1e-12 }

func TestExample1(t *testing.T) {
	s := spaceOf(t, example4(t), true)
	for _, c := range []struct {
		r1, r2 uint32
		want   float64
	}{{1, 2, 19. / 45}, {2, 4, 26. / 45}} {
		if got := s.Distance(s.Coordinates(c.r1-1), s.Coordinates(c.r2-1)); !close(got, c.want) {
			t.Errorf("d(r%d, r%d) is %v, want %v", c.r1, c.r2, got, c.want)
		}
	}
}

// Example 2: mu = (34, 10010, F, Buddhism, good), and r3 is better than r4.
func TestExample2(t *testing.T) {
	in := example4(t)
	s, k := spaceOf(t, in, true), noSynonyms(t, in)
	mu := s.Centroid([]uint32{0, 1})
	if want := []float64{(34. - 33) / (51 - 33), 0, 0, 0, 0.5}; !slices.EqualFunc(mu, want, close) {
		t.Errorf("the centroid is %v, want %v", mu, want)
	}
	w := Weights{Alpha: 0.6, Beta: 0.4}
	for r, want := range map[uint32]float64{3: -0.081, 4: -0.290} {
		religion := in.Sensitive[0].Codes
		if got := w.Metric(k, religion[:2], religion[r-1], s.Distance(mu, s.Coordinates(r-1))); math.Abs(got-want) > 0.0005 {
			t.Errorf("f(GID, GID + r%d) is %.4f, want %.3f", r, got, want)
		}
	}
}

func noSynonyms(t testing.TB, in *anonymize.Input) *Catalogue {
	t.Helper()
	k, err := NewCatalogue(in)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Figures 2 to 4, and the links of Tables 6 to 8 (Examples 4 and 5).
func TestExample3(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		links []int
		pr    []float64
	}{
		"Table 2": {table2, []int{0, 3, 1}, []float64{0, 1. / 2, 1. / 6}},
		"Table 6": {table6, []int{0, 0}, []float64{0, 0}},
		"Table 7": {table7, []int{1, 0}, []float64{1. / 12, 0}}, // bronchitis and pneumonia
		"Table 8": {table8, []int{0, 0}, []float64{0, 0}},       // bronchitis and acne
	} {
		table := anontest.Parse(t, c.text)
		in := anontest.NewInput(t, table, "Age", "Disease", nil)
		k, gid := noSynonyms(t, in), table.Column("GID")
		if k.Source != "the bundled catalogue, 32 values in 8 classes" {
			t.Errorf("%s: the catalogue is %q", name, k.Source)
		}
		for g := range c.links {
			var values []uint32
			for row, code := range in.Sensitive[0].Codes {
				if gid.Value(row) == anonymize.IntegerValue(int64(g+1)) {
					values = append(values, code)
				}
			}
			if links, pr := k.Links(values), k.Probability(values); links != c.links[g] || !close(pr, c.pr[g]) {
				t.Errorf("%s, group %d: %d links, Pr %v; want %d, %v", name, g+1, links, pr, c.links[g], c.pr[g])
			}
		}
	}
}

// Table 2 is Table 1 with groups of the three records nearest by zip code.
func TestTable2(t *testing.T) {
	table := anontest.Parse(t, table1)
	in := anontest.NewInput(t, table, "Age Sex Zipcode", "Disease", rand.NewPCG(1, 1))
	var zips []string
	for _, v := range table.Column("Zipcode").Dictionary {
		zips = append(zips, v.String()+" "+v.String()[:4]+"* *****")
	}
	in.Domains = map[string]*anonymize.Domain{
		"Sex":     {Scale: anonymize.Semantic, Taxonomy: paths(t, "F *", "M *")},
		"Zipcode": {Scale: anonymize.Semantic, Taxonomy: paths(t, zips...)},
	}
	attributes, err := generalization.NewAttributes(in)
	if err != nil {
		t.Fatal(err)
	}
	// Jenny, John, Karine; Wilson, Jim, Bob; Alice, Peter, Rose.
	groups := &bucketization.Partition{Start: []uint32{0, 3, 6, 9}, Member: []uint32{5, 6, 7, 2, 3, 8, 0, 1, 4}}
	var got []string
	for g := range groups.Groups() {
		var cells, diseases []string
		for _, a := range attributes {
			of, err := a.Generalize(context.Background(), groups)
			if err != nil {
				t.Fatal(err)
			}
			cells = append(cells, of.Cells[of.Of[g]].Label)
		}
		for _, r := range groups.Records(g) {
			diseases = append(diseases, in.Sensitive[0].Value(int(r)).Text)
		}
		slices.Sort(diseases)
		for _, disease := range diseases {
			got = append(got, fmt.Sprintf("%d %s %s", g+1, strings.Join(cells, " "), disease))
		}
	}
	var want []string
	for _, text := range strings.Split(table2, "\n")[2:] {
		want = append(want, strings.Join(strings.Fields(text), " "))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTable5(t *testing.T) {
	tree := Diseases()
	columns := [][2]int{{0, 21}, {42, 62}}
	classes, leaves := 0, 0
	for _, column := range columns {
		class := ""
		for _, text := range strings.Split(strings.Trim(table5, "\n"), "\n") {
			field := func(first int) string { return strings.TrimSpace((text + strings.Repeat(" ", 90))[first:][:20]) }
			if name := field(column[0]); name != "" {
				class = name
				classes++
			}
			leaf := tree.Leaf(anonymize.TextValue(field(column[1])))
			if leaf < 0 {
				t.Fatalf("there is no leaf %q", field(column[1]))
			}
			leaves++
			if above := tree.Label(tree.Parent(leaf)); above != class {
				t.Errorf("%s is below %s, want %s", tree.Label(leaf), above, class)
			}
		}
	}
	if classes != 8 || leaves != 32 || len(tree.Leaves()) != 32 || tree.Nodes() != 1+8+32 {
		t.Errorf("%d classes, %d leaves; the taxonomy has %d leaves, %d nodes", classes, leaves, len(tree.Leaves()), tree.Nodes())
	}
}
