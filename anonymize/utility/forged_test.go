package utility

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/drasl"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// sealed returns a DRASL release of people of whom 22 percent, chosen at random,
// have left: their records stay as counterfeits. table has who is left, in the
// order of the release's input, assigned their gids.
func sealed(t *testing.T, rows int) (r *anonymize.Release, left *anonymize.Input, gidOf []uint32) {
	t.Helper()
	in := anontest.People(rows, 9)
	in.QuasiIdentifiers = in.QuasiIdentifiers[:5]
	in.Assigned = func(of []uint32) { gidOf = of }
	r, err := drasl.Method().Run(context.Background(), in, anonymize.Arguments{"k": "8"})
	if err != nil {
		t.Fatal(err)
	}
	released := *r
	released.Forged = rows * 22 / 100
	if err := released.Check(); err != nil {
		t.Fatal(err)
	}
	stay := rand.New(rand.NewPCG(22, 100)).Perm(rows)[released.Forged:]
	slices.Sort(stay)
	left = &anonymize.Input{Rows: len(stay), Random: rand.NewPCG(1, 1)}
	only := func(columns []*anonymize.Column) (list []*anonymize.Column) {
		for _, c := range columns {
			kept := &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary}
			for _, row := range stay {
				kept.Codes = append(kept.Codes, c.Codes[row])
			}
			list = append(list, kept)
		}
		return list
	}
	left.QuasiIdentifiers, left.Sensitive = only(in.QuasiIdentifiers), only(in.Sensitive)
	all := gidOf
	gidOf = nil
	for _, row := range stay {
		gidOf = append(gidOf, all[row])
	}
	return &released, left, gidOf
}

func tableOf(t *testing.T, in *anonymize.Input) *anonymize.Microdata {
	t.Helper()
	table, err := anonymize.NewMicrodata(append(slices.Clone(in.QuasiIdentifiers), in.Sensitive...)...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Deviation 107. Of a release with 22 percent counterfeits, counts that take these
// for records are about 28 percent too large (1/0.78); with the correction they are
// off by what the model is.
func TestDeviation107_CounterfeitsAreTakenOut(t *testing.T) {
	r, left, _ := sealed(t, 4000)
	table := tableOf(t, left)
	believed := *r
	believed.Forged = 0
	a, err := attributesOf(r, table)
	if err != nil {
		t.Fatal(err)
	}
	corrected, uncorrected := estimate.Prepare(r), estimate.Prepare(&believed)
	s, random := newAsker(r, a), rand.New(rand.NewPCG(2, 3))
	sums, bias, asked := [3]float64{}, [2]float64{}, 0.0
	for range 400 {
		q := a.predicates(random, 1, 2, nil)
		actual := q.actual(table.Rows)[0]
		if actual < 20 {
			continue // their relative error is chance
		}
		asked++
		sums[2] += actual
		for i, p := range []*estimate.Prepared{uncorrected, corrected} {
			answer, err := p.Ask(context.Background(), s.question(q, estimate.Count))
			if err != nil {
				t.Fatal(err)
			}
			figure := answer.Rows[0].Figures[0].Float
			sums[i] += figure
			bias[i] += (figure - actual) / actual
		}
	}
	before, after := sums[0]/sums[2]-1, sums[1]/sums[2]-1
	t.Logf("%d counterfeits among %d records: %v COUNTs are off by %+.1f %% without the correction, %+.1f %% with it (means of the relative errors %+.1f %% and %+.1f %%)",
		r.Forged, r.Rows, asked, 100*before, 100*after, 100*bias[0]/asked, 100*bias[1]/asked)
	if before < 0.2 || before > 0.4 || math.Abs(after) > 0.06 {
		t.Errorf("COUNT is off by %v without the correction, by %v with it", before, after)
	}
}

// Evaluations show the error with and without the correction; what they ask the
// uncorrected release is what a release without counterfeits answers.
func TestEvaluationWithCounterfeits(t *testing.T) {
	r, left, _ := sealed(t, 3000)
	table := tableOf(t, left)
	believed := *r
	believed.Forged = 0
	for _, w := range []Workload{{Queries: 200, Low: 1, High: 2, Seed: 4}, {Queries: 100, Low: 1, High: 2, Of: "q1", Seed: 5}} {
		e, err := Evaluate(context.Background(), estimate.Prepare(r), table, w, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		without, err := Evaluate(context.Background(), estimate.Prepare(&believed), table, w, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if without.Uncorrected != nil || e.Uncorrected == nil {
			t.Fatalf("uncorrected: %v with counterfeits, %v without", e.Uncorrected, without.Uncorrected)
		}
		t.Logf("%+v: corrected %+v, uncorrected %+v", w, e.Estimate, *e.Uncorrected)
		if math.Abs(e.Uncorrected.Mean-without.Estimate.Mean) > 1e-9 || math.Abs(e.Uncorrected.Median-without.Estimate.Median) > 1e-9 {
			t.Errorf("uncorrected %+v, a release without counterfeits has %+v", *e.Uncorrected, without.Estimate)
		}
		if e.Held != 1 {
			t.Errorf("bounds hold for %v of the queries", e.Held)
		}
		if w.Of == "" && e.Estimate.Mean >= e.Uncorrected.Mean {
			t.Errorf("the correction makes it worse: %+v, without %+v", e.Estimate, *e.Uncorrected)
		}
	}
}

// A calibration is about all published records, so that of a release with
// counterfeits is the one that it had before anybody left.
func TestCalibrationWithCounterfeits(t *testing.T) {
	r, _, _ := sealed(t, 3000)
	in := anontest.People(3000, 9)
	in.QuasiIdentifiers = in.QuasiIdentifiers[:5]
	c, err := Calibrate(context.Background(), r, tableOf(t, in), CalibrationOptions{Queries: 300, Seed: 6}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Cells) == 0 {
		t.Fatal("nothing was calibrated")
	}
	for _, coverage := range c.Coverage {
		t.Logf("%+v", coverage)
		if coverage.After < 0.92 {
			t.Errorf("%+v", coverage)
		}
	}
	believed := *r
	believed.Forged = 0
	if before, err := Calibrate(context.Background(), &believed, tableOf(t, in), CalibrationOptions{Queries: 300, Seed: 6}, nil); err != nil || !reflect.DeepEqual(c, before) {
		t.Errorf("%+v (%v) without counterfeits, %+v with them", before, err, c)
	}
}

// What is lost is about the records of the table, of which counterfeits are none.
func TestLossWithCounterfeits(t *testing.T) {
	r, left, gidOf := sealed(t, 2000)
	ctx := context.Background()
	report, err := Loss(ctx, r, left, gidOf)
	if err != nil {
		t.Fatal(err)
	}
	believed := *r
	believed.Forged = 0
	whole, err := Loss(ctx, &believed, left, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, of := report.Attributes[0].Probability, whole.Attributes[0].Probability
	if math.Abs(got.Error-of.Error*0.78) > 1e-9*of.Error || math.Abs(got.Bound-of.Bound*0.78) > 1e-9*of.Bound || got.Mean != of.Mean {
		t.Errorf("%+v, of all published records %+v", got, of)
	}
	// The mean probability of the own value, record by record.
	f, column, _ := r.Locate(left.Sensitive[0].Name)
	fragment, mean := r.Fragments[f], 0.0
	for row, gid := range gidOf {
		for tuple := fragment.GroupStart[gid]; tuple < fragment.GroupStart[gid+1]; tuple++ {
			if fragment.Columns[column].Dictionary[fragment.Columns[column].Codes[tuple]] == left.Sensitive[0].Value(row) {
				mean += float64(fragment.Count[tuple]) / float64(r.GroupSizes[gid]) / float64(left.Rows)
			}
		}
	}
	if math.Abs(got.Mean-mean) > 0.02*mean {
		t.Errorf("the mean probability of published records is %v, of real ones %v", got.Mean, mean)
	}
	if report.Attributes[0].GLP == nil || *report.Attributes[0].GLP <= 0 || *report.Attributes[0].GLP >= 1 {
		t.Errorf("GLP is %v", report.Attributes[0].GLP)
	}
}
