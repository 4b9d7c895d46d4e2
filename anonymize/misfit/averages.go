package misfit

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// An average is a number averaged by the values of another attribute.
type average struct{ of, by string }

// A meanCell is one mean, in units of what it is off by where the records of its values are off
// by all of themselves: the mean absolute distance of its records, by the root of two.
type meanCell struct{ off, variance float64 }

// averages are the means of a release that is known.
type averages map[average][]meanCell

// compareAverages compares AVG of every number by every attribute of another fragment, of values
// or categories of so many records. Cost: O(pairs * records * tables).
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
	err = parallel(ctx, workers, len(list), func(n int) {
		w := list[n]
		cells[n] = s.means(s.newMeans(w.of, w.by), func(d int, visit func(of, by uint32)) {
			for record, from := range at[d][w.of.fragment] {
				visit(codes[w.of][from], codes[w.by][at[d][w.by.fragment][record]])
			}
		})
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
	class   []uint16  // by code; nil: its own
	known   []moments
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

// numbersOf has NaN for NULL.
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

// means compares: each visits the records of table d.
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
		c, squares, tables := meanCell{off: (known.mean - all[class].mean) / unit}, 0.0, 0.0
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

// momentRatio is the smallest r of Ratios that explains the mean square of what means are off by.
// A pair has few means, and each is a sum over many cells, so that their squares say more than
// which of them are missed.
func momentRatio(cells []meanCell, spread float64) float64 {
	return leastRatio(func(r float64) bool {
		excess := 0.0
		for _, c := range cells {
			excess += float64(c.off*c.off) - float64(spread*c.variance) - r*r/4
		}
		return excess <= 0
	})
}

// missedRatio is the smallest r of Ratios with which at most one mean in missedOf is missed.
func missedRatio(cells []meanCell, spread float64) float64 {
	return leastRatio(func(r float64) bool {
		missed := 0
		for _, c := range cells {
			if math.Abs(c.off) > student*math.Sqrt(float64(spread*c.variance)+r*r/4)+1e-9 {
				missed++
			}
		}
		return missed <= max(1, len(cells)/missedOf)
	})
}

// leastRatio is the smallest of Ratios that is enough, or the last.
func leastRatio(enough func(r float64) bool) float64 {
	ratios := Ratios()
	for _, r := range ratios {
		if enough(r) {
			return r
		}
	}
	return ratios[len(ratios)-1]
}

// averageRatios are the ratios of AVG: of the re-publications, of the null by itself, and no less
// than those of all means of the number together, to one in missedOf.
func (m *measurer) averageRatios(again, null averages) (list []Average) {
	pooled := make(map[string][]meanCell)
	for _, p := range pairsOf(m.release) {
		for _, a := range []average{{p.A, p.B}, {p.B, p.A}} {
			pooled[a.of] = append(pooled[a.of], again[a]...)
		}
	}
	for _, p := range pairsOf(m.release) {
		for _, a := range []average{{p.A, p.B}, {p.B, p.A}} {
			r := max(momentRatio(again[a], m.spread), missedRatio(again[a], m.spread), missedRatio(null[a], m.spread), missedRatio(pooled[a.of], m.spread))
			if r > 0 {
				list = append(list, Average{a.of, a.by, r})
			}
		}
	}
	slices.SortFunc(list, compareAverages)
	return list
}

// join puts the means of one more publication to those of others.
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
	if c := strings.Compare(a.Of, b.Of); c != 0 {
		return c
	}
	return strings.Compare(a.By, b.By)
}

func sortedUnseen(list []Unseen) []Unseen {
	slices.SortFunc(list, func(a, b Unseen) int { return strings.Compare(a.Attribute, b.Attribute) })
	return list
}
