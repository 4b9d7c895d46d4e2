package misfit

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// An average is the mean of a number by the values of another attribute.
type average struct{ of, by string }

// A meanCell is one mean. Its unit is the error of the mean if the errors of its values' numbers of records are
// as large as these numbers: the mean absolute distance of its records, divided by the root of two.
type meanCell struct {
	off, variance float64
	// away is its distance from the mean of all records in the tables, shown the distance that the groups show (NaN if they show none).
	away, shown float64
	records     float64
	// doubt is the variance of what the groups show, if the mean's error is measured against that.
	doubt float64
}

// averages are the means of a release, by average.
type averages map[average][]meanCell

// compareAverages compares the AVG of every number by every attribute of another fragment, for
// values or categories with enough records. Cost: O(pairs * records * tables).
func (s *subject) compareAverages(ctx context.Context, workers int) (averages, error) {
	codes, at, err := s.lay()
	if err != nil {
		return nil, err
	}
	type work struct{ of, by place }
	var list []work
	for j, f := range s.release.Fragments {
		for y, c := range f.Columns {
			for i, e := range s.release.Fragments {
				for x := range e.Columns {
					if i != j && isNumeric(c.Dictionary) {
						list = append(list, work{place{j, y}, place{i, x}})
					}
				}
			}
		}
	}
	cells := make([][]meanCell, len(list))
	err = parallel.RunOn(ctx, workers, len(list), func(n int) error {
		w := list[n]
		t := s.newMeans(w.of, w.by)
		t.show(s.release.GroupSizes, codes[w.of], codes[w.by])
		cells[n] = s.means(t, func(d int, visit func(of, by uint32)) {
			for record, from := range at[d][w.of.fragment] {
				visit(codes[w.of][from], codes[w.by][at[d][w.by.fragment][record]])
			}
		})
		return nil
	})
	all := make(averages)
	for n, w := range list {
		all[average{s.name(w.of), s.name(w.by)}] = cells[n]
	}
	return all, err
}

// A meanTally adds up the numbers of one average by class.
type meanTally struct {
	numbers []float64 // by code; NaN for NULL
	class   []uint16  // by code; nil: every code is a class
	known   []moments
	shown   []float64 // by class, as groups show it; NaN if they do not
}

func (s *subject) newMeans(of, by place) *meanTally {
	column, keys := s.known.Column(s.name(of)), s.known.Column(s.name(by))
	t := &meanTally{numbers: numbersOf(column.Dictionary), class: s.categories[keys.Name]}
	t.known = make([]moments, len(keys.Dictionary))
	for record, code := range column.Codes {
		t.add(t.known, code, keys.Codes[record])
	}
	return t
}

// numbersOf returns the values as numbers, NaN for NULL.
func numbersOf(dictionary []anonymize.Value) []float64 {
	numbers := make([]float64, len(dictionary))
	for code, v := range dictionary {
		x, ok := v.Number()
		if !ok {
			x = math.NaN()
		}
		numbers[code] = x
	}
	return numbers
}

func (t *meanTally) classOf(code uint32) int {
	if t.class == nil {
		return int(code)
	}
	return int(t.class[code])
}

func (t *meanTally) add(sums []moments, of, by uint32) {
	if x := t.numbers[of]; !math.IsNaN(x) {
		sums[t.classOf(by)].add(x, 1)
	}
}

// means compares the means; each visits the records of table d.
func (s *subject) means(t *meanTally, each func(d int, visit func(of, by uint32))) (cells []meanCell) {
	n := s.completion.Tables
	own := make([][]moments, n)
	all := make([]moments, len(t.known))
	for d := range n {
		own[d] = make([]moments, len(t.known))
		each(d, func(of, by uint32) {
			t.add(own[d], of, by)
			t.add(all, of, by)
		})
	}
	var everybody moments
	for _, known := range t.known {
		if known.records > 0 {
			everybody.add(known.mean, known.records)
		}
	}
	distance := make([]float64, len(t.known))
	for d := range n {
		each(d, func(of, by uint32) {
			if x := t.numbers[of]; !math.IsNaN(x) {
				class := t.classOf(by)
				distance[class] += math.Abs(x - all[class].mean)
			}
		})
	}
	for class, known := range t.known {
		unit := distance[class] / all[class].records / math.Sqrt2
		if known.records < float64(s.least) || !(unit > 0) {
			continue
		}
		c := meanCell{off: (known.mean - all[class].mean) / unit, away: (all[class].mean - everybody.mean) / unit,
			shown: (t.shown[class] - everybody.mean) / unit, records: known.records}
		squares, tables := 0.0, 0.0
		for d := range n {
			if own[d][class].records > 0 {
				x := (own[d][class].mean - all[class].mean) / unit
				squares, tables = squares+float64(x*x), tables+1
			}
		}
		if tables > 1 {
			c.variance = (1 + 1/tables) * squares / (tables - 1)
			cells = append(cells, c)
		}
	}
	return cells
}

// drawn estimates, by least squares over the distances, how much farther means are from the overall mean than the
// tables say: what is learned from groups is biased towards the overall mean. It is 0 if below two standard errors.
func drawn(cells []meanCell) float64 {
	both, squares, luck := 0.0, 0.0, 0.0
	for _, c := range cells {
		both, squares = both+float64(c.off*c.away), squares+float64(c.away*c.away)
	}
	if both <= 0 {
		return 0
	}
	u := both / squares
	for _, c := range cells {
		rest := (c.off - float64(u*c.away)) * c.away
		luck += max(float64(rest*rest), float64(c.doubt*c.away*c.away))
	}
	if u*squares <= 2*math.Sqrt(luck) {
		return 0
	}
	return rounded(min(maxDrawn, u))
}

// maxDrawn is the greatest result of drawn; more is chance in tiny distances.
const maxDrawn = 4

// distance returns the root mean square of the means' distances from the overall mean.
func distance(cells []meanCell) float64 {
	squares := 0.0
	for _, c := range cells {
		squares += float64(c.away * c.away)
	}
	return rounded(math.Sqrt(squares / float64(max(1, len(cells)))))
}

// excessVariance is the variance of a mean's error without ratio; u is its bias towards the overall mean.
func (c *meanCell) excessVariance(u, spread float64) float64 {
	return float64(spread*c.variance) + float64(u*c.away*u*c.away)
}

// momentRatio returns the smallest of Ratios that explains the mean square of the means'
// errors. A pair has few means, each a sum over many cells, so their squares say more than the
// number of missed means.
func momentRatio(cells []meanCell, u, spread float64) float64 {
	return leastRatio(func(r float64) bool {
		excess := 0.0
		for _, c := range cells {
			excess += float64(c.off*c.off) - c.excessVariance(u, spread) - r*r/4
		}
		return excess <= 0
	})
}

// missedRatio returns the smallest of Ratios with which at most one mean in missedOf is missed.
func missedRatio(cells []meanCell, u, spread float64) float64 {
	return leastRatio(func(r float64) bool {
		missed := 0
		for _, c := range cells {
			if math.Abs(c.off) > student*math.Sqrt(c.excessVariance(u, spread)+r*r/4)+1e-9 {
				missed++
			}
		}
		return missed <= max(1, len(cells)/missedOf)
	})
}

// leastRatio returns the smallest of Ratios that is enough, or the last.
func leastRatio(enough func(r float64) bool) float64 {
	ratios := Ratios()
	for _, r := range ratios {
		if enough(r) {
			return r
		}
	}
	return ratios[len(ratios)-1]
}

// averageRatios returns the ratios of AVG: the greatest of those of the re-publications, the release's own groups, the null and,
// to one in missedOf, all means of the number together. Large groups show chance: then no ratio is below the usual one.
func (m *measurer) averageRatios(own, again, null averages) (list []Average) {
	pooled := make(map[string][]meanCell)
	for _, p := range pairsOf(m.release) {
		for _, a := range []average{{p.A, p.B}, {p.B, p.A}} {
			pooled[a.of] = append(pooled[a.of], again[a]...)
		}
	}
	for _, p := range pairsOf(m.release) {
		for _, a := range []average{{p.A, p.B}, {p.B, p.A}} {
			shown, least := estimated(own[a], again[a], m.spread), 0.0
			u := max(drawn(again[a]), drawn(shown))
			if _, number := again[a]; number && m.large {
				shown, least = nil, usual
			}
			r := max(least, momentRatio(again[a], u, m.spread), momentRatio(shown, u, m.spread),
				missedRatio(again[a], u, m.spread), missedRatio(null[a], u, m.spread),
				missedRatio(pooled[a.of], drawn(pooled[a.of]), m.spread))
			if far := distance(own[a]); r > 0 || u > 0 || far > 0 {
				list = append(list, Average{a.of, a.by, r, u, far})
			}
		}
	}
	slices.SortFunc(list, compareAverages)
	return list
}

// join adds the means of another publication.
func (a averages) join(more averages) averages {
	if a == nil {
		a = make(averages)
	}
	for pair, cells := range more {
		a[pair] = append(a[pair], cells...)
	}
	return a
}

func compareAverages(a, b Average) int {
	return cmp.Or(strings.Compare(a.Of, b.Of), strings.Compare(a.By, b.By))
}
