package misfit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/anonymize/units"
)

// A release by units is published again by units: what is constant in them stays so, also where fragments are unrelated, of a sample too.
func TestUnitsArePublishedAgain(t *testing.T) {
	in := anontest.VisitTable(anontest.VisitShape{Units: 300, Records: 5, Values: 12, Chronic: 1, Moving: true}, 1)
	in.Random = rand.NewPCG(1, 2)
	m, arguments := method(t, "anatomy", "l", "3")
	result, err := units.Run(t.Context(), m, in, arguments, anonymize.NewRatio(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	c, err := impute.Complete(t.Context(), result.Release, impute.Options{})
	if err != nil {
		t.Fatal(err)
	}
	roles := anonymize.Roles{QuasiIdentifiers: []string{"birth", "sex", "ward"}, Sensitive: []string{"diagnosis"}}
	for _, records := range []int{400, maxRecords} {
		measurer := newMeasurer(result.Release, c, Recipe{m, arguments, roles, nil}, Options{Records: records})
		again, err := measurer.publishCompleted(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		unrelated, err := measurer.publishUnrelated(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range map[string]publication{"completed": again, "unrelated": unrelated} {
			if err := p.release.Check(); err != nil || p.release.Units == nil || p.table.Rows != p.release.Rows || p.release.Rows < measurer.release.Rows*9/10 {
				t.Fatalf("%s: %d rows and %d units of a table of %d are published, %v", name, p.release.Rows, len(p.release.Units), p.table.Rows, err)
			}
			var constant []string
			for _, f := range p.release.Fragments {
				for _, column := range f.Columns {
					if column.Constant {
						constant = append(constant, column.Name)
					}
				}
			}
			if slices.Sort(constant); !slices.Equal(constant, []string{"birth", "diagnosis", "sex"}) {
				t.Errorf("%s: constant in units are %v", name, constant)
			}
		}
	}
}

// A model may be of more records than the release that is measured, which is a sample: a re-publication tells as much less as it has fewer.
func TestModelOfMoreRecords(t *testing.T) {
	s, m, arguments, r, c := published(t, 3_000, "anatomy", "l", "3")
	last := len(r.Fragments) - 1
	sensitive := r.Fragments[last].Columns[0].Name
	var err error
	if r.Model, err = contingency.Count(r, []*anonymize.Column{s.table.Column("age")}, s.table.Column(sensitive), contingency.Options{Least: 100, Base: 50}); err != nil {
		t.Fatal(err)
	}
	for i := range r.Model.Categories {
		r.Model.Categories[i].Records *= 10
	}
	for records, want := range map[int]int{3_000: 10, 1_500: 5} {
		again, err := newMeasurer(r, c, Recipe{m, arguments, s.roles, nil}, Options{Records: records}).publishCompleted(t.Context(), 0)
		if err != nil || again.release.Model.Least != want {
			t.Errorf("of %d records of 30,000 cells of fewer than %d are pooled, want %d, %v", records, again.release.Model.Least, want, err)
		}
	}
}

// What was asked beside the method's own promises is asked again: groups of fifty records are published again as groups of fifty.
// Then averages have the usual ratio at least and no luck of what large groups show.
func TestAskedPromisesAreAskedAgain(t *testing.T) {
	s := made(3_000, 1)
	m, arguments := method(t, "anatomy", "l", "3")
	asked := []anonymize.Promise{{Guarantee: "size", Bound: anonymize.NewRatio(50, 1)}}
	in, err := anonymize.NewInput(s.table, s.roles, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	in.Asked = asked
	r, err := m.Run(t.Context(), in, arguments)
	if err != nil {
		t.Fatal(err)
	}
	c, err := impute.Complete(t.Context(), r, impute.Options{Tables: 4})
	if err != nil {
		t.Fatal(err)
	}
	for size, by := range map[uint32]Recipe{50: {m, arguments, s.roles, asked}, 3: {m, arguments, s.roles, nil}} {
		again, err := newMeasurer(r, c, by, Options{}).publishCompleted(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if least := slices.Min(again.release.GroupSizes); least < size || least >= 2*size {
			t.Errorf("groups of %d records or more have %d when they are published again", size, least)
		}
	}
	measured, err := Measure(t.Context(), r, c, Recipe{m, arguments, s.roles, asked}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range measured.Averages {
		if a.Ratio < usual || a.Ratio > .4 {
			t.Errorf("the ratio of %s by %s is %v", a.Of, a.By, a.Ratio)
		}
	}
	if len(measured.Averages) != 1 || pairIn(measured, "age", "disease").Luck > 1 {
		t.Errorf("%d averages, %+v", len(measured.Averages), pairIn(measured, "age", "disease"))
	}
}
