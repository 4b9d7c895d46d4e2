package crossbucket

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// The figures of Li et al., as printed.

// Fig. 1a without the names and with Helen alone; Fig. 1b.
const figure1b = `
ID   Age  Sex     Zip    Disease
101  16   Female  43307  Flu
102  22   Male    43302  Dyspepsia
103  24   Female  43306  Hepatitis
104  26   Male    43307  Bronchitis
105  29   Male    43309  Bronchitis
106  31   Female  43312  Pneumonia
107  34   Female  43312  Gastritis
108  35   Male    43309  Dyspepsia`

// The record of Helen, 31, Female, 43312.
const helen = 5

const figure2a = `
ID   Age      Sex   Zip            Disease
101  [16-24]  *     [43302-43307]  Flu
102  [16-24]  *     [43302-43307]  Dyspepsia
103  [16-24]  *     [43302-43307]  Hepatitis
104  [26-29]  Male  [43307-43309]  Bronchitis
105  [26-29]  Male  [43307-43309]  Bronchitis
106  [31-35]  *     [43309-43312]  Pneumonia
107  [31-35]  *     [43309-43312]  Gastritis
108  [31-35]  *     [43309-43312]  Dyspepsia`

// Fig. 2b shows the diseases of a bucket in another order; which record has which
// is not published.
const figure2b = figure1b

const figure3 = `
ID   Age      Sex  Zip            Disease
101  [16-26]  *    [43302-43307]  Flu
102  [16-26]  *    [43302-43307]  Dyspepsia
103  [16-26]  *    [43302-43307]  Hepatitis
104  [16-26]  *    [43302-43307]  Bronchitis
105  [29-35]  *    [43309-43312]  Bronchitis
106  [29-35]  *    [43309-43312]  Pneumonia
107  [29-35]  *    [43309-43312]  Gastritis
108  [29-35]  *    [43309-43312]  Dyspepsia`

const figure4 = `
ID   Age      Sex     Zip            Disease
101  [16-24]  Female  [43306-43307]  Flu
102  [22-26]  Male    [43302-43307]  Dyspepsia
103  [16-24]  Female  [43306-43307]  Hepatitis
104  [22-26]  Male    [43302-43307]  Bronchitis
105  [29-35]  Male    43309          Bronchitis
106  [31-34]  Female  43312          Pneumonia
107  [31-34]  Female  43312          Gastritis
108  [29-35]  Male    43309          Dyspepsia`

func microdata(t testing.TB) *anonymize.Input {
	return anontest.NewInput(t, anontest.Parse(t, figure1b), "Age Sex Zip", "Disease", rand.NewPCG(1, 1))
}

// publish returns the release of a printed figure: cells by bucket, diseases by bucket. Buckets list the numbers of
// records, from 101.
func publish(t testing.TB, figure string, buckets ...[]int) *anonymize.Release {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(figure), "\n")[1:]
	qi, sa := "GID Age Sex Zip Count", "GID Disease Count"
	for g, bucket := range buckets {
		cells, diseases := map[string]int{}, map[string]int{}
		for _, id := range bucket {
			fields := strings.Fields(lines[id-101])
			if fields[0] != strconv.Itoa(id) {
				t.Fatalf("line %q is not that of %d", lines[id-101], id)
			}
			cells[strings.Join(fields[1:4], " ")]++
			diseases[fields[4]]++
		}
		for text, n := range cells {
			qi += fmt.Sprintf("\n%d %s %d", g+1, text, n)
		}
		for text, n := range diseases {
			sa += fmt.Sprintf("\n%d %s %d", g+1, text, n)
		}
	}
	r := anontest.Release(t, anontest.Printed{Name: "qi1", Role: anonymize.QuasiIdentifying, Text: qi},
		anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: sa})
	for i, c := range r.Fragments[0].Columns {
		generalize(c, microdata(t).QuasiIdentifiers[i])
	}
	return r
}

var interval = regexp.MustCompile(`^\[(\d+)-(\d+)\]$`)

// generalize reads labels as cells over the values of the raw column.
func generalize(c *anonymize.FragmentColumn, raw *anonymize.Column) {
	for _, label := range c.Dictionary {
		cell := anonymize.Cell{Label: label.String()}
		ends := interval.FindStringSubmatch(cell.Label)
		for code, v := range raw.Dictionary {
			inside := cell.Label == "*" || v == label
			if ends != nil {
				low, _ := strconv.ParseInt(ends[1], 10, 64)
				high, _ := strconv.ParseInt(ends[2], 10, 64)
				inside = low <= v.Int && v.Int <= high
			}
			if inside {
				cell.Members = append(cell.Members, uint32(code))
			}
		}
		c.Cells = append(c.Cells, cell)
	}
	c.Dictionary = raw.Dictionary
}

func guarantee(t testing.TB, r *anonymize.Release, name string) anonymize.Guarantee {
	t.Helper()
	all, err := privacy.Verify(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		if g.Name == name {
			return g
		}
	}
	t.Fatalf("there is no %s", name)
	return anonymize.Guarantee{}
}

// The paper's statements about Figs. 2a, 2b, 3 and 4: k-anonymity, and the greatest probability of a disease.
func TestFigures(t *testing.T) {
	everybody := []int{101, 102, 103, 104, 105, 106, 107, 108}
	for _, c := range []struct {
		name    string
		r       *anonymize.Release
		k       float64
		breach  float64
		buckets int
	}{
		{"Fig. 2a", publish(t, figure2a, everybody[:3], everybody[3:5], everybody[5:]), 2, 1, 3},
		{"Fig. 2b", publish(t, figure2b, everybody[:4], everybody[4:]), 1, 1. / 4, 2},
		{"Fig. 3", publish(t, figure3, everybody[:4], everybody[4:]), 4, 1. / 4, 2},
		{"Fig. 4", publish(t, figure4, everybody[:2], everybody[2:4], everybody[4:6], everybody[6:]), 2, 1. / 4, 4},
	} {
		in := microdata(t)
		if err := privacy.Complete(c.r, append(slices.Clone(in.QuasiIdentifiers), in.Sensitive...)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := guarantee(t, c.r, "k").Achieved; got != c.k {
			t.Errorf("%s: k is %v, want %v", c.name, got, c.k)
		}
		if got := guarantee(t, c.r, "breach").Achieved; got != c.breach {
			t.Errorf("%s: breach is %v, want %v", c.name, got, c.breach)
		}
		if c.r.Groups() != c.buckets {
			t.Errorf("%s: %d groups", c.name, c.r.Groups())
		}
	}
	if l := guarantee(t, publish(t, figure2a, everybody[:3], everybody[3:5], everybody[5:]), "breach"); !strings.HasPrefix(l.Detail, "Disease = 'Bronchitis' of the 2 with Age in [26-29]") {
		t.Errorf("Fig. 2a: %s", l.Detail)
	}
}

// Section 2.1: Helen is 106 or 107, her buckets the third and the fourth, and
// "her possible disease values are bronchitis, pneumonia, gastritis, and
// dyspepsia", each with 1/4.
func TestHelen(t *testing.T) {
	in := microdata(t)
	r := publish(t, figure4, []int{101, 102}, []int{103, 104}, []int{105, 106}, []int{107, 108})
	sensitive := in.Sensitive[0]
	var candidates []string
	for code, disease := range sensitive.Dictionary {
		what := *sensitive
		what.Codes = slices.Repeat([]uint32{uint32(code)}, in.Rows)
		p, err := attack.RecordProbabilities(context.Background(), r, attack.Truth{QuasiIdentifiers: in.QuasiIdentifiers, Sensitive: &what})
		if err != nil {
			t.Fatal(err)
		}
		if p.Of[helen] > 0 {
			candidates = append(candidates, fmt.Sprintf("%s %g", disease, p.Of[helen]))
		}
		if p.Matches != 2 {
			t.Errorf("%v records match in the mean, want 2", p.Matches)
		}
	}
	if got := strings.Join(candidates, ", "); got != "Bronchitis 0.25, Dyspepsia 0.25, Gastritis 0.25, Pneumonia 0.25" {
		t.Error(got)
	}
}

// A (2, 4) cross-bucket release of Fig. 1b, by every search: four groups of two,
// two lots of four, and four buckets of two as in Fig. 4.
func TestFigure1b(t *testing.T) {
	for _, search := range []string{bottomUp, kd, paper} {
		for seed := range uint64(50) {
			in := microdata(t)
			in.Random = rand.NewPCG(seed, 4)
			r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "2", "l": "4", "search": search})
			if k, p := guarantee(t, r, "k"), guarantee(t, r, "breach"); k.Achieved < 2 || p.Achieved > .25 || !k.Holds || !p.Holds || k.Required == nil || p.Required == nil {
				t.Fatalf("search=%s: %+v, %+v", search, k, p)
			}
			if cdm := anontest.FactNumber(t, r, "discernibility (C_DM)"); cdm != 16 || !slices.Equal(r.GroupSizes, []uint32{2, 2, 2, 2}) {
				t.Fatalf("search=%s: C_DM %v, buckets %v", search, cdm, r.GroupSizes)
			}
		}
	}
}
