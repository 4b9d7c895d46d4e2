package utility

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/slppa"
)

// publish makes a release of groups of records: one fragment per list of
// columns. It returns the link too.
func publish(t testing.TB, in *anonymize.Input, groups *bucketization.Partition, fragments ...[]*anonymize.Column) (*anonymize.Release, []uint32) {
	t.Helper()
	var gidOf []uint32
	listening := *in
	listening.Assigned = func(link []uint32) { gidOf = link }
	var tables []bucketization.Table
	for i, columns := range fragments {
		p, err := bucketization.NewProjection(context.Background(), columns)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, bucketization.QuasiIdentifierTable(i, p))
	}
	r, err := bucketization.Publish(context.Background(), "test", &listening, groups, tables, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	return r, gidOf
}

func loss(t testing.TB, r *anonymize.Release, in *anonymize.Input, gidOf []uint32) AttributeLoss {
	t.Helper()
	report, err := Loss(context.Background(), r, in, gidOf)
	if err != nil {
		t.Fatal(err)
	}
	return report.Attributes[0]
}

// Two groups of three. The people of zip 1 have flu or cold, those of zip 2 gout
// or flu, that of zip 3 gout.
//
//	group 1  flu cold gout: zips 1, 1, 2; NLP 1/3 (gout), 1/3, 1/3 (cold)
//	group 2  flu flu gout:  zips 1, 2, 3; NLP 1/3 (gout), 0, 2/3 (flu)
func TestLossByHand(t *testing.T) {
	table := anontest.Parse(t, `
		zip disease
		1   flu
		1   cold
		2   gout
		1   flu
		2   flu
		3   gout`)
	in := anontest.NewInput(t, table, "zip", "disease", nil)
	groups := &bucketization.Partition{Start: []uint32{0, 3, 6}, Member: []uint32{0, 1, 2, 3, 4, 5}}
	r, gidOf := publish(t, in, groups, table.Columns[:1], table.Columns[1:])
	got := loss(t, r, in, gidOf)
	if want := (1./3 + 1./3 + 1./3 + 1./3 + 0 + 2./3) / 6; math.Abs(*got.GLP-want) > 1e-12 {
		t.Errorf("GLP %v, want %v", *got.GLP, want)
	}
	// Group 1: 3 records with 1/3. Group 2: two with 2/3, one with 1/3.
	p := got.Probability
	mean := (3*1./3 + 2*2./3 + 1./3) / 6
	if math.Abs(p.Mean-mean) > 1e-12 || math.Abs(p.Greatest-2./3) > 1e-12 || p.L != 1 || math.Abs(p.Error-6*(1-mean)) > 1e-12 || p.Bound != 0 {
		t.Errorf("%+v", p)
	}
	// Actual counts by zip, with margins 3 2 1 and flu 3, cold 1, gout 2:
	// 1: flu 2, cold 1; 2: flu 1, gout 1; 3: gout 1.
	before := (4./9 + 1./3 + 1./6 + 1./4 + 1./2 - 1) / 2
	// Expected: 1: flu 2/3+2/3, cold 2/3, gout 2/3+1/3; 2: 1/3+2/3, 1/3, 1/3+1/3;
	// 3: 2/3, 0, 1/3.
	after := (math.Pow(4./3, 2)/9 + math.Pow(2./3, 2)/3 + 1./6 +
		1./6 + 1./9/2 + 4./9/4 +
		4./9/3 + 1./9/2 - 1) / 2
	c := got.Correlations
	if len(c) != 1 || c[0].Attribute != "zip" || math.Abs(c[0].Before-before) > 1e-12 || math.Abs(c[0].After-after) > 1e-12 {
		t.Errorf("%+v, want %v and %v", c, before, after)
	}
	// Without the link the fragments say the rest.
	if bare := loss(t, r, in, nil); bare.GLP != nil || *bare.Probability != *p || bare.Correlations[0] != c[0] {
		t.Errorf("%+v", bare)
	}
}

// One fragment with zip and disease, as slicing publishes: inside a group who has
// zip 1 has one of the diseases beside it.
func TestLossOfSharedFragment(t *testing.T) {
	table := anontest.Parse(t, `
		zip sex disease
		1   F   flu
		1   M   cold
		2   M   gout
		2   F   gout`)
	in := anontest.NewInput(t, table, "zip sex", "disease", nil)
	groups := &bucketization.Partition{Start: []uint32{0, 4}, Member: []uint32{0, 1, 2, 3}}
	r, gidOf := publish(t, in, groups, table.Columns[1:2], []*anonymize.Column{table.Column("disease"), table.Column("zip")})
	got := loss(t, r, in, gidOf)
	if *got.GLP != (0.5+0.5+0+0)/4 || got.Probability.Mean != (0.5+0.5+1+1)/4 || got.Probability.Greatest != 1 || got.Probability.L != 1 {
		t.Errorf("%v, %+v", *got.GLP, got.Probability)
	}
	if c := got.Correlations[0]; math.Abs(c.After-c.Before) > 1e-12 || c.Before != 1 {
		t.Errorf("zip is published beside disease: %+v", c)
	}
	if c := got.Correlations[1]; math.Abs(c.After) > 1e-12 || c.Before == 0 {
		t.Errorf("sex is not: %+v", c)
	}
}

// Every record its own group, its disease a set (non-homogeneous) or a weighted
// set (randomization).
func TestLossOfCells(t *testing.T) {
	table := anontest.Parse(t, `
		zip disease
		1   cold
		1   flu
		2   gout`)
	in := anontest.NewInput(t, table, "zip", "disease", nil)
	disease, zip := table.Column("disease"), table.Column("zip")
	r := &anonymize.Release{Rows: 3, GroupSizes: []uint32{1, 1, 1}, Fragments: []*anonymize.Fragment{
		{Name: "qi1", Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0, 1, 2, 3}, Count: []uint32{1, 1, 1},
			Columns: []*anonymize.FragmentColumn{{Name: "zip", Dictionary: zip.Dictionary, Codes: []uint32{1, 0, 0}}}},
		{Name: "sa", Role: anonymize.Sensitive, GroupStart: []uint32{0, 1, 2, 3}, Count: []uint32{1, 1, 1},
			Columns: []*anonymize.FragmentColumn{{Name: "disease", Dictionary: disease.Dictionary, Codes: []uint32{0, 1, 2}, Cells: []anonymize.Cell{
				{Members: []uint32{0, 2}}, {Members: []uint32{0, 1}, Weights: []float64{0.75, 0.25}}, {Members: []uint32{0, 2}}}}}},
	}}
	gidOf := []uint32{1, 2, 0}
	got := loss(t, r, in, gidOf)
	// cold: {cold 3/4, flu}; flu: {cold, gout}; gout: {cold, gout}.
	if want := (0 + 0.5 + 0.5) / 3; *got.GLP != want {
		t.Errorf("GLP %v, want %v", *got.GLP, want)
	}
	if p := got.Probability; math.Abs(p.Mean-(0.75+0+0.5)/3) > 1e-12 || p.Greatest != 0.75 || math.Abs(p.Error-1.75) > 1e-12 {
		t.Errorf("%+v", p)
	}
	// zip 1: cold 3/4 + 1/2, flu 1/4, gout 1/2; zip 2: cold 1/2, gout 1/2.
	after := (math.Pow(1.25, 2)/(2*1.75) + math.Pow(.25, 2)/(2*.25) + .25/(2*1) + .25/(1*1.75) + .25/(1*1)) - 1
	if c := got.Correlations[0]; math.Abs(c.After-after) > 1e-12 {
		t.Errorf("phi^2 %v, want %v", c.After, after)
	}
	if bare := loss(t, r, in, nil); bare.GLP != nil || bare.Probability != nil {
		t.Errorf("without the link nobody knows: %+v", bare)
	}
}

// On random tables, groups and divisions into fragments: GLP and probabilities
// record by record, expected counts cell by cell.
func TestLossAgainstOracle(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 9))
		in := anontest.RandomTable(2+random.IntN(60), seed)
		group := make([]uint32, in.Rows)
		for i := range group {
			group[i] = uint32(random.IntN(1 + in.Rows/4))
		}
		groups := bucketization.NewPartition(anonymize.Indices(in.Rows), group, 1+in.Rows/4)
		fragments := [][]*anonymize.Column{in.QuasiIdentifiers, in.Sensitive}
		if random.IntN(2) == 0 { // the first quasi-identifier beside the sensitive attribute
			fragments = [][]*anonymize.Column{in.QuasiIdentifiers[1:], {in.Sensitive[0], in.QuasiIdentifiers[0]}}
			if len(in.QuasiIdentifiers) == 1 {
				fragments = fragments[1:]
			}
		}
		r, gidOf := publish(t, in, groups, fragments...)
		got := loss(t, r, in, gidOf)
		together := len(fragments[len(fragments)-1]) == 2
		glp, mean, greatest := slowLoss(in, gidOf, together)
		if math.Abs(*got.GLP-glp) > 1e-9 || math.Abs(got.Probability.Mean-mean) > 1e-9 || math.Abs(got.Probability.Greatest-greatest) > 1e-9 {
			t.Fatalf("seed %d: GLP %v, %+v, want %v, %v, %v", seed, *got.GLP, got.Probability, glp, mean, greatest)
		}
		if p := got.Probability; p.Error < p.Bound-1e-9 {
			t.Fatalf("seed %d: reconstruction error %v is below its bound %v", seed, p.Error, p.Bound)
		}
		for i, c := range got.Correlations {
			after := slowPhiSquared(in, gidOf, i, together && i == 0)
			if before := association.PhiSquared(in.QuasiIdentifiers[i], in.Sensitive[0], association.Options{}); c.Before != before || math.Abs(c.After-after) > 1e-9 {
				t.Fatalf("seed %d: %+v, want %v and %v", seed, c, before, after)
			}
		}
		compareShown(t, r, in, &got)
	}
}

// compareShown wants that the release by itself tells what the report says of it, and
// nothing of the table.
func compareShown(t *testing.T, r *anonymize.Release, in *anonymize.Input, measured *AttributeLoss) {
	t.Helper()
	var quasi []string
	for _, c := range in.QuasiIdentifiers {
		quasi = append(quasi, c.Name)
	}
	shown, err := LossShown(context.Background(), r, quasi, []string{in.Sensitive[0].Name})
	if err != nil {
		t.Fatal(err)
	}
	a := shown.Attributes[0]
	if !shown.Shown || a.GLP != nil || *a.Probability != *measured.Probability.rounded() || len(a.Correlations) != len(measured.Correlations) {
		t.Fatalf("shown is %+v of %+v", a, measured)
	}
	for i, c := range a.Correlations {
		if want := (Correlation{Attribute: quasi[i], After: forAll(measured.Correlations[i].After)}); c != want {
			t.Fatalf("shown is %+v, want %+v", c, want)
		}
	}
}

// slowLoss asks every record for the distribution of those that it could be taken
// for.
func slowLoss(in *anonymize.Input, gidOf []uint32, together bool) (glp, mean, greatest float64) {
	sensitive := in.Sensitive[0].Codes
	for t := range in.Rows {
		n, loss, own := 0.0, 0.0, 0.0
		for u := range in.Rows {
			if gidOf[u] != gidOf[t] || together && in.QuasiIdentifiers[0].Codes[u] != in.QuasiIdentifiers[0].Codes[t] {
				continue
			}
			n++
			if sensitive[u] == sensitive[t] {
				own++
			}
			known := false
			for w := range in.Rows {
				alike := sensitive[w] == sensitive[u]
				for _, q := range in.QuasiIdentifiers {
					alike = alike && q.Codes[w] == q.Codes[t]
				}
				known = known || alike
			}
			if !known {
				loss++
			}
		}
		glp, mean, greatest = glp+loss/n, mean+own/n, max(greatest, own/n)
	}
	return glp / float64(in.Rows), mean / float64(in.Rows), greatest
}

// slowPhiSquared lets every record of a group meet every other.
func slowPhiSquared(in *anonymize.Input, gidOf []uint32, quasi int, together bool) float64 {
	a, b := in.QuasiIdentifiers[quasi], in.Sensitive[0]
	joint, rows, columns := map[[2]uint32]float64{}, map[uint32]float64{}, map[uint32]float64{}
	for t := range in.Rows {
		n := 0.0
		for u := range in.Rows {
			if gidOf[u] == gidOf[t] {
				n++
			}
		}
		for u := range in.Rows {
			if together && u == t {
				joint[[2]uint32{a.Codes[t], b.Codes[t]}]++
			} else if !together && gidOf[u] == gidOf[t] {
				joint[[2]uint32{a.Codes[t], b.Codes[u]}] += 1 / n
			}
		}
		rows[a.Codes[t]]++
		columns[b.Codes[t]]++
	}
	if len(rows) < 2 || len(columns) < 2 {
		return 0
	}
	sum := -1.0
	for pair, n := range joint {
		sum += n * n / rows[pair[0]] / columns[pair[1]]
	}
	return min(max(sum/float64(min(len(rows), len(columns))-1), 0), 1)
}

// A method tells the link, and the release survives being stored with it gone.
func TestLossOfMethod(t *testing.T) {
	table := people(500)
	in := anontest.NewInput(t, table, "age sex region", "disease", rand.NewPCG(1, 1))
	var gidOf []uint32
	in.Assigned = func(link []uint32) { gidOf = link }
	r, err := slppa.Method().Run(context.Background(), in, slppaArguments(t, "1/4"))
	if err != nil {
		t.Fatal(err)
	}
	report, err := Loss(context.Background(), r, in, gidOf)
	if err != nil {
		t.Fatal(err)
	}
	if a := report.Attributes[0]; a.GLP == nil || *a.GLP <= 0 || *a.GLP >= 1 || a.Probability.L != 4 || len(a.Correlations) != 3 {
		t.Errorf("%+v", a)
	}
	stored, err := report.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := DecodeLoss(stored)
	if err != nil {
		t.Fatal(err)
	}
	want := *report.Attributes[0].GLP
	if got := *read.Attributes[0].GLP; math.Abs(got-want) > 0.0005 || fmt.Sprintf("%.3g", want) != fmt.Sprint(got) {
		t.Errorf("stored %v of %v", got, want)
	}
	if none, err := DecodeLoss(nil); none != nil || err != nil {
		t.Error(none, err)
	}
	if _, err := DecodeLoss([]byte("{")); err == nil {
		t.Error("half an object was read")
	}
}

func slppaArguments(t *testing.T, beta string) anonymize.Arguments {
	t.Helper()
	m := slppa.Method()
	arguments, err := m.Resolve(anonymize.Arguments{"beta": beta, "tables": "2"})
	if err != nil {
		t.Fatal(err)
	}
	return arguments.Text
}

func TestLossErrors(t *testing.T) {
	in := anontest.NewInput(t, people(50), "age sex", "disease", nil)
	r, gidOf := publish(t, in, anatomy(in.Sensitive[0], 2), in.QuasiIdentifiers, in.Sensitive)
	if _, err := Loss(context.Background(), r, in, gidOf[1:]); err == nil || !strings.Contains(err.Error(), "50 records, 49 of them") {
		t.Error(err)
	}
	other := anontest.NewInput(t, people(50), "age sex region", "disease", nil)
	if _, err := Loss(context.Background(), r, other, nil); err == nil || !strings.Contains(err.Error(), "region is not in the release") {
		t.Error(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := Loss(ended, r, in, gidOf); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Records that are not in the release count for what values there are, and for
// nothing else.
func TestLossWithSuppression(t *testing.T) {
	table := anontest.Parse(t, `
		zip disease
		1   flu
		2   cold
		1   cold`)
	in := anontest.NewInput(t, table, "zip", "disease", nil)
	kept := anontest.Parse(t, `
		zip disease
		1   flu
		2   cold`)
	groups := &bucketization.Partition{Start: []uint32{0, 2}, Member: []uint32{0, 1}}
	r, _ := publish(t, anontest.NewInput(t, kept, "zip", "disease", nil), groups, kept.Columns[:1], kept.Columns[1:])
	if got := loss(t, r, in, []uint32{0, 0, math.MaxUint32}); *got.GLP != (0+0.5)/2 {
		t.Errorf("GLP %v: zip 1 has cold, of the record that is left out", *got.GLP)
	}
}

func TestSizesOf(t *testing.T) {
	for _, c := range []struct {
		sizes []uint32
		want  GroupSizes
	}{
		{nil, GroupSizes{}},
		{[]uint32{7}, GroupSizes{1, 7, 7, 7, 7, 7, 7}},
		{[]uint32{9, 2, 3, 4}, GroupSizes{4, 2, 2.5, 3.5, 6.5, 9, 4.5}},
		{[]uint32{5, 1, 2, 3, 4}, GroupSizes{5, 1, 2, 3, 4, 5, 3}},
	} {
		rows, counted := 0, []estimate.GroupSize(nil)
		for _, s := range slices.Sorted(slices.Values(c.sizes)) {
			rows += int(s)
			counted = append(counted, estimate.GroupSize{Size: s, Groups: 1})
		}
		if got := SizesCounted(counted); got != c.want {
			t.Errorf("%v, counted: %+v, want %+v", c.sizes, got, c.want)
		}
		if got := SizesOf(&anonymize.Release{Rows: rows, GroupSizes: c.sizes}); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.sizes, got, c.want)
		}
	}
}

// What the fragments tell is stored as it is, but for the noise of adding up;
// what only the records tell to three digits.
func TestLossIsRounded(t *testing.T) {
	glp, records := 0.123456, 20000.0
	report := &LossReport{Attributes: []AttributeLoss{
		{GLP: &glp, Probability: &Probability{Mean: 1. / 3, Greatest: 1. / 3, L: 3, Error: 13334.000000001592, Bound: records * (1 - 1./3)},
			Correlations: []Correlation{{"age", 0.0470123, 1.48e-16}}},
		{Probability: &Probability{Mean: 0.4321, Greatest: 0.5, L: 2, Error: 11358, Bound: 10000, ofRecords: true}},
	}}
	stored, err := report.Encode()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"Attributes":[` +
		`{"Attribute":"","GLP":0.123,"Probability":{"Mean":0.333333333,"Greatest":0.333333333,"L":3,"Error":13334,"Bound":13333.3333},"Correlations":[{"Attribute":"age","Before":0.047,"After":0}]},` +
		`{"Attribute":"","Probability":{"Mean":0.432,"Greatest":0.5,"L":2,"Error":11400,"Bound":10000},"Correlations":[]}]}`
	if string(stored) != want {
		t.Errorf("%s\nwant %s", stored, want)
	}
	if glp != 0.123456 || report.Attributes[0].Correlations[0].Before != 0.0470123 || report.Attributes[1].Probability.Mean != 0.4321 {
		t.Error("the report itself was rounded")
	}
}

// Of three persons with three visits and nine diagnoses, each of hers is found with 1/3: the 1/9 of a record would say that it is less.
func TestLossOfUnitsHasNoProbabilityOfRecords(t *testing.T) {
	r := anontest.Visits(t)
	shown, err := LossShown(t.Context(), r, []string{"sex"}, []string{"illness"})
	if err != nil || shown.Attributes[0].Probability != nil {
		t.Errorf("%+v, %v", shown.Attributes[0].Probability, err)
	}
	apart := *r
	apart.Units = nil
	if shown, err = LossShown(t.Context(), &apart, []string{"sex"}, []string{"illness"}); err != nil || shown.Attributes[0].Probability == nil {
		t.Errorf("where records are units: %+v, %v", shown, err)
	}
	shown.LeaveOutRecords()
	if shown.Attributes[0].Probability != nil {
		t.Error("what earlier versions stored is told")
	}
}
