package mondrian

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// Medians leave classes of k to 2k-1 records and more, and stop where a half breaks l.
func TestDeviation149_LocalRecoding(t *testing.T) {
	in := anontest.People(3_000, 1)
	for l, most := range map[int]float64{1: .8, 3: .8} {
		c := Condition{K: 5, L: l, T: anonymize.NewRatio(1, 1)}
		attributes, p := recoded(t, in, c, 1)
		medians, err := PartitionEach(t.Context(), attributes, in.Sensitive, c, false, rand.New(rand.NewPCG(1, 1)), nil)
		if err != nil {
			t.Fatal(err)
		}
		s := newSearch(t.Context(), attributes, in.Sensitive, c)
		ours, theirs := s.loss(p), s.loss(medians)
		t.Logf("l = %d: loss %.0f of %d classes, of medians %.0f of %d", l, ours, p.Groups(), theirs, medians.Groups())
		if ours > most*theirs || p.Groups() <= medians.Groups() {
			t.Errorf("l = %d: loss %.0f of %d classes, of medians %.0f of %d", l, ours, p.Groups(), theirs, medians.Groups())
		}
	}
}

// A class of a nurse and a judge is published as these two, not as everything.
func TestDeviation150_CellsOfAClass(t *testing.T) {
	table := anontest.Parse(t, `
job    age disease
nurse  30  flu
judge  30  cold
vet    50  flu
lawyer 50  cold
`)
	in := anontest.NewInput(t, table, "job age", "disease", nil)
	in.Domains = map[string]*anonymize.Domain{
		"job": anontest.Semantic(t, [][]string{{"nurse", "health", "*"}, {"vet", "health", "*"}, {"lawyer", "law", "*"}, {"judge", "law", "*"}}),
		"age": anontest.Semantic(t, [][]string{{"30", "[30-39]", "*"}, {"35", "[30-39]", "*"}, {"50", "[50-59]", "*"}}),
	}
	for mode, want := range map[string]string{local: "{nurse,judge}", strict: "*"} {
		in.Random = rand.NewPCG(1, 1)
		r, err := Method().Run(context.Background(), in, anonymize.Arguments{"k": "2", "l": "2", "mode": mode})
		if err != nil {
			t.Fatal(err)
		}
		job, labels := r.Fragments[0].Columns[0], map[string]bool{}
		for _, cell := range job.Cells {
			labels[cell.Label] = true
		}
		if !labels[want] || len(job.Dictionary) != 4 {
			t.Errorf("mode=%s: cells %v of %d jobs, want %s", mode, labels, len(job.Dictionary), want)
		}
	}
}

// Classes grown in blocks lose little more than those grown of all records.
func TestDeviation151_Blocks(t *testing.T) {
	in := anontest.People(4_000, 1)
	for _, l := range []int{1, 3} {
		c := Condition{K: 5, L: l, T: anonymize.NewRatio(1, 1)}
		attributes, p := recoded(t, in, c, 1)
		s := newSearch(t.Context(), attributes, in.Sensitive, c)
		all := newGrower(newBlock(s, upTo(0, in.Rows), newDenseNumbers(s.axes, s.sensitive)))
		sum := 0.0
		for _, class := range all.grow() {
			for i := range s.axes {
				sum += float64(len(class)) * float64(s.axes[i].penalty(class, make([]int, s.axes[i].values), 1))
			}
		}
		if text := wrong(in, p, c); text != "" {
			t.Error(text)
		}
		t.Logf("l = %d: loss %.0f in blocks, %.0f of all records", l, s.loss(p), sum)
		if s.loss(p) > 1.1*sum {
			t.Errorf("l = %d: loss %.0f in blocks, %.0f of all records", l, s.loss(p), sum)
		}
	}
}
