package utility

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
)

// withUnknownAges is a table of people of whom the first 40 have no age.
func withUnknownAges(rows int) *anonymize.Microdata {
	table := people(rows)
	age := table.Columns[0]
	for row := range 40 {
		age.Codes[row] = uint32(len(age.Dictionary))
	}
	age.Dictionary = append(age.Dictionary, anonymize.NullValue)
	return table
}

// Every cell of every question has the figures that the estimator finds in the raw table
// as a release of one fragment, and a cell that it does not have is empty.
func TestEverydayFigures(t *testing.T) {
	table := withUnknownAges(900)
	s, err := newSurveyor(release(t, table, quasi, "disease", anonymize.Arguments{"beta": "0.25", "tables": "2"}), table)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := newSurveyor(estimate.OfTable(table), table)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, q := range s.everydayQueries() {
		seen[q.family] = true
		answer, err := estimate.PrepareTuples(raw.release).Ask(context.Background(), raw.groupedQuestion(&q))
		if err != nil {
			t.Fatal(err)
		}
		actual := q.actual(table.Rows)
		for _, row := range answer.Rows {
			cell := q.cellOf(row.Keys)
			for a, figure := range row.Figures {
				known, want := !figure.IsNull(), actual[cell][a]
				if a == 2 && known == math.IsNaN(want) || known && math.Abs(figure.Float-want) > 1e-9*math.Abs(want) {
					t.Fatalf("%s %v: figure %d is %v, the estimator says %v", q.family, row.Keys, a, want, figure)
				}
			}
			actual[cell] = nil
		}
		for cell, figures := range actual {
			if figures != nil && figures[0] != 0 {
				t.Fatalf("%s: cell %d has %v records, and no row", q.family, cell, figures[0])
			}
		}
	}
	for _, family := range []string{"by age", "by sex", "age by sex", "sex by disease", "sex where age", "disease where age", "age where disease"} {
		if !seen[family] {
			t.Errorf("nobody asks for %s", family)
		}
	}
	for family := range seen {
		if a, b, _ := strings.Cut(family, " where "); strings.Contains(family, "where sex") || a == b {
			t.Errorf("somebody asks for %s", family)
		}
	}
}

// A grouping by value has frequent values only, and by stretch neighbours that about
// equally many records have; NULL is in no stretch.
func TestGroupings(t *testing.T) {
	table := withUnknownAges(3000)
	age, sex := table.Columns[0], table.Columns[1]
	records := age.Histogram()
	g := byValue(age, rand.New(rand.NewPCG(1, 2)))
	parts := make(map[int32]int)
	for code, part := range g.part {
		if part >= 0 {
			parts[part] += records[code]
		}
	}
	if g.parts != maxParts || len(parts) != maxParts {
		t.Errorf("%d parts of %d", len(parts), g.parts)
	}
	for part, n := range parts {
		if n < everydayRecords {
			t.Errorf("part %d has %d records", part, n)
		}
	}
	for _, of := range []int{2, 4} {
		g, shares, last := byStretch(age, of), make([]int, of), int32(0)
		for years := int64(20); years < 80; years++ {
			code := slices.Index(age.Dictionary, anonymize.IntegerValue(years))
			if code < 0 {
				continue
			}
			part := g.part[code]
			if part < last || part >= int32(of) {
				t.Fatalf("%d years are in part %d, after %d", years, part, last)
			}
			last = part
			shares[part] += records[code]
		}
		for part, n := range shares {
			if want := 2960 / of; n < want-100 || n > want+100 {
				t.Errorf("part %d of %d has %d records", part, of, n)
			}
		}
		if null := g.part[len(age.Dictionary)-1]; null != -1 {
			t.Errorf("NULL is in part %d", null)
		}
	}
	if byStretch(sex, 2) != nil {
		t.Error("two values have two stretches")
	}
}

// The questions are a function of release and table, whatever the seed of the random
// ones; no figure of theirs is among the random ones, which they do not change.
func TestEverydayNeedsNoSeed(t *testing.T) {
	table := people(900)
	r := release(t, table, quasi, "disease", anonymize.Arguments{"beta": "0.25", "tables": "2"})
	var random, everyday [3][]measurement
	for i, seed := range []uint64{1, 1, 2} {
		var err error
		if random[i], everyday[i], err = survey(context.Background(), r, table, CalibrationOptions{Queries: 100, Seed: seed}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(random[0], random[1]) || reflect.DeepEqual(random[0], random[2]) {
		t.Error("the seed does not make the random queries")
	}
	if !reflect.DeepEqual(everyday[0], everyday[1]) || !reflect.DeepEqual(everyday[0], everyday[2]) || len(everyday[0]) < 100 {
		t.Errorf("%d, %d and %d everyday figures", len(everyday[0]), len(everyday[1]), len(everyday[2]))
	}
	for _, m := range random[0] {
		if m.family != "" {
			t.Fatalf("a random query belongs to %s", m.family)
		}
	}
}

// However many attributes a table has, the questions are bounded, and fewer where it
// has many records; those with a sensitive attribute stay.
func TestEverydayIsBounded(t *testing.T) {
	for _, c := range []struct{ rows, most int }{{1_000, 60}, {100_000, 60}, {400_000, 30}, {100_000_000, 15}} {
		s := &surveyor{attributes: &attributes{}, rows: c.rows}
		for i := range 40 {
			column := &anonymize.Column{Name: fmt.Sprint("c", i), Dictionary: []anonymize.Value{anonymize.IntegerValue(1)}}
			if s.attributes.quasi = append(s.attributes.quasi, column); i == 39 {
				s.attributes.sensitive, s.attributes.quasi = s.attributes.quasi[i:], s.attributes.quasi[:i]
			}
		}
		pairs := s.pairs(rand.New(rand.NewPCG(1, 1)), func(i, j int) bool { return i < j }, func(_, b *anonymize.Column) bool { return s.isSensitive(b) })
		if len(pairs) != c.most {
			t.Errorf("%d rows: %d pairs, want %d", c.rows, len(pairs), c.most)
		}
		for i, p := range pairs[:min(len(pairs), 39)] {
			if !s.isSensitive(p[1]) {
				t.Errorf("%d rows: pair %d of %d is %s and %s", c.rows, i, len(pairs), p[0].Name, p[1].Name)
			}
		}
	}
}

// inFamily makes figures of a family, of which the first covered are inside of the
// model's own interval, and the others inside one that is so many times as wide.
func inFamily(family string, n, covered int, width float64) (list []measurement) {
	for i := range n {
		m := measurement{kind: estimate.Count, family: family, records: 100, Figure: unbounded(100, 1)}
		m.actual = 100 + 0.9*interval.Unit(m.kind, m.Figure)
		if i >= covered {
			m.actual = 100 + 0.99*width*interval.Unit(m.kind, m.Figure)
		}
		list = append(list, m)
	}
	return list
}

// The factor is the least with which all families of 20 cells are covered by .85, the
// smaller ones together by .90, and all together by .92.
func TestWidthOfFamilies(t *testing.T) {
	for name, c := range map[string]struct {
		everyday []measurement
		want     float64
	}{
		"all is well":              {slices.Concat(inFamily("a", 100, 96, 99), inFamily("b", 20, 17, 99)), 1},
		"one family is not":        {slices.Concat(inFamily("a", 1000, 960, 99), inFamily("b", 20, 16, 3)), 3},
		"one is not, and small":    {slices.Concat(inFamily("a", 1000, 960, 99), inFamily("b", 19, 0, 3)), 1},
		"the small ones are not":   {slices.Concat(inFamily("a", 1000, 960, 99), inFamily("b", 19, 17, 5), inFamily("c", 19, 17, 5)), 5},
		"all together are not":     {slices.Concat(inFamily("a", 100, 91, 8), inFamily("b", 100, 91, 8)), 8},
		"nearly the widest factor": {inFamily("a", 100, 80, 18), 18},
		"no factor":                {inFamily("a", 100, 80, 18.5), math.Inf(1)},
		"too few to say anything":  {inFamily("a", 19, 0, 99), math.Inf(1)},
	} {
		w := widthsOf(nil, c.everyday)
		if got := w.Factor(estimate.Count); got != c.want {
			t.Errorf("%s: factor %v, want %v", name, got, c.want)
		}
	}
	// Random queries need what they need beside them.
	random := drawn(estimate.Count, 2, 500, 1, 10, 2.2, rand.New(rand.NewPCG(1, 2)))
	if got := widthsOf(random, inFamily("a", 100, 96, 99)).Factor(estimate.Count); got != 3 {
		t.Errorf("factor %v, want 3", got)
	}
	if got := widthsOf(random, inFamily("a", 100, 80, 8)).Factor(estimate.Count); got != 8 {
		t.Errorf("factor %v, want 8", got)
	}
}

// The owner is told how many intervals cover, of which questions the fewest, and how
// wide they are.
func TestEverydayCoverages(t *testing.T) {
	everyday := slices.Concat(inFamily("a by b", 80, 80, 1), inFamily("c by d", 20, 15, 4), inFamily("few", 4, 0, 4))
	everyday[0].records = 0 // it seems to be there: its width says nothing
	everyday[0].Deviation = 1000
	got := everydayCoverages(everyday, &interval.Widths{Count: 1, Sum: 1, Average: 1})
	want := 0.0
	for i := range everyday[1:] {
		want += interval.Unit(estimate.Count, everyday[i+1].Figure) / everyday[i+1].actual / float64(len(everyday)-1)
	}
	if len(got) != 1 || got[0].Aggregate != "COUNT" || got[0].Cells != 104 || math.Abs(got[0].Covered-95./104) > 1e-12 ||
		got[0].Family != "c by d" || got[0].Least != 0.75 || math.Abs(got[0].Width-want) > 1e-12 {
		t.Errorf("%+v, want a width of %v", got, want)
	}
}
