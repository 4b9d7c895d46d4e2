package estimate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Answers of completed tables that are elsewhere are those of the same tables here: figures, standard errors, scatters and quotients.
func TestElsewhereCompletedEqualsCompleted(t *testing.T) {
	random := rand.New(rand.NewPCG(81, 82))
	asked := 0
	for trial := range 10 {
		r := codedRelease(random, 60, 2+trial%2, sizings[trial%len(sizings)].draw)
		tables := randomCompletion(random, r, 3)
		here := mustComplete(t, r, tables)
		away, store := mustPrepareElsewhere(t, r)
		store.completion = tables
		there, err := away.WithTablesElsewhere(3)
		if err != nil {
			t.Fatal(err)
		}
		for question := range 8 {
			q := completedQuestion(random, r)
			want, err := here.AskWithSpread(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			store.asked = nil
			got, err := there.AskWithSpread(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			if diff := different(got, want); diff != "" {
				t.Fatalf("trial %d, question %d: %s", trial, question, diff)
			}
			if strings.Contains(fmt.Sprint(store.asked), "tables of") {
				asked++
			}
			if want.IsAlike() {
				continue
			}
			if got, want := fmt.Sprint(got.Deviations, got.Scatters, got.Quotients), fmt.Sprint(want.Deviations, want.Scatters, want.Quotients); got != want {
				t.Errorf("trial %d, question %d: spreads %s, want %s", trial, question, got, want)
			}
		}
	}
	if asked < 20 {
		t.Errorf("%d questions were counted in completed tables", asked)
	}
}

// A column has the same values and records wherever its relation is.
func TestMarginElsewhere(t *testing.T) {
	r := codedRelease(rand.New(rand.NewPCG(91, 92)), 60, 2, sizings[0].draw)
	away, _ := mustPrepareElsewhere(t, r)
	for f, fragment := range r.Fragments {
		for c := range fragment.Columns {
			var texts [2]string
			for i, p := range []*Prepared{Prepare(r), away} {
				values, records, err := p.Margin(t.Context(), f, c)
				if err != nil {
					t.Fatal(err)
				}
				for code, n := range records {
					if n > 0 {
						texts[i] += fmt.Sprint(values[code], " ", n, ", ")
					}
				}
			}
			if texts[0] != texts[1] || texts[0] == "" {
				t.Errorf("column %d of fragment %d: %s elsewhere, %s here", c, f, texts[1], texts[0])
			}
		}
	}
}

// lyingTables says what no completed table has.
type lyingTables struct {
	*distant
	list []TableCount
}

func (l *lyingTables) Tables(context.Context, []Classes, int) ([]TableCount, error) {
	return l.list, nil
}

// Numbers that no completed table has are refused.
func TestElsewhereCompletedRefuses(t *testing.T) {
	r := generated(rand.New(rand.NewPCG(83, 84)), 100, 5, 5)
	shape, sizes := shapeOf(r)
	q := &Question{
		Leaves:     []Leaf{ValueOf(0, 1), ValueOf(1, 1)},
		Keys:       []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}},
		Aggregates: []Aggregate{{Kind: Count}},
	}
	for want, list := range map[string][]TableCount{
		"completed table 2 has 1 records":     {{Classes: []uint32{0, 0}, Table: 2, Records: 1}},
		"class 1000000 of fragment":           {{Classes: []uint32{0, 1000000}, Table: 0, Records: 1}},
		"has more records than the 100 of":    {{Classes: []uint32{0, 0}, Table: 0, Records: 60}, {Classes: []uint32{0, 0}, Table: 0, Records: 41}},
		"of classes [0], which was not asked": {{Classes: []uint32{0}, Table: 0, Records: 1}},
	} {
		p, err := PrepareElsewhere(shape, sizes, &lyingTables{&distant{release: r}, list})
		if err != nil {
			t.Fatal(err)
		}
		c, err := p.WithTablesElsewhere(2)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Ask(context.Background(), q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Prepare(r).WithTablesElsewhere(2); err == nil {
		t.Error("a release that is here has completed tables elsewhere")
	}
	p, _ := mustPrepareElsewhere(t, r)
	if _, err := p.WithTablesElsewhere(1); err == nil {
		t.Error("one completed table is enough")
	}
}
