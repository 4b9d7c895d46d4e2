package misfit

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

const (
	// maxTriples bounds the triples of attributes that are compared: of more, so many are,
	// at equal steps.
	maxTriples = 200
	// minRetained bounds how often what tables show is thought to be there.
	minRetained = 0.1
)

// An interaction is a cell of three attributes: how many records it has by more than the
// counts of all pairs of its values say.
type interaction struct {
	cell
	expected    float64 // by the pairs of the known table
	there, kept float64 // above it, in the known table and in the mean of the completed ones
}

// A threeway is what completed tables say of three attributes, sorted.
type threeway struct {
	attributes [3]string
	cells      []interaction
}

// triplesOf lists attributes in threes, of which not all are in one fragment.
func (s *subject) triplesOf() (triples [][3]place) {
	var all []place
	for j, f := range s.release.Fragments {
		for y := range f.Columns {
			all = append(all, place{j, y})
		}
	}
	slices.SortFunc(all, func(p, q place) int { return strings.Compare(s.name(p), s.name(q)) })
	for x, i := range all {
		for y, j := range all[x+1:] {
			for _, k := range all[x+y+2:] {
				if i.fragment != j.fragment || j.fragment != k.fragment {
					triples = append(triples, [3]place{i, j, k})
				}
			}
		}
	}
	if len(triples) <= maxTriples {
		return triples
	}
	for n := range maxTriples {
		triples[n] = triples[n*len(triples)/maxTriples]
	}
	return triples[:maxTriples]
}

func (s *subject) name(p place) string { return s.release.Fragments[p.fragment].Columns[p.column].Name }

// compareTriples compares attributes in threes. Cost: O(triples * (records * tables +
// maxBoxed)).
func (s *subject) compareTriples(ctx context.Context, workers int) ([]threeway, error) {
	triples := s.triplesOf()
	codes, at, err := s.lay()
	if err != nil {
		return nil, err
	}
	all := make([]threeway, len(triples))
	err = parallel.RunOn(ctx, workers, len(triples), func(n int) error {
		all[n] = s.compareTriple(triples[n], codes, at)
		return nil
	})
	return all, err
}

func (s *subject) compareTriple(places [3]place, codes map[place][]uint32, at [][][]uint32) threeway {
	result := threeway{}
	var known [3]coded
	for n, p := range places {
		result.attributes[n] = s.name(p)
		known[n] = s.coded(s.name(p))
	}
	first := newTally(known[0], known[1], s.least)
	if len(first.cell) > maxBoxed {
		return result
	}
	both := first.joined(known[0].codes, known[1].codes)
	t := newTally(both, known[2], s.least)
	b := newBox(first, t)
	if b == nil {
		return result
	}
	once := b.counts()
	b.add(once, both.codes, known[2].codes)
	sum := b.counts()
	var moved [3][]uint32
	for d := range s.completion.Tables {
		for n, p := range places {
			moved[n] = movedBy(codes[p], at[d][p.fragment])
		}
		joined := first.joined(moved[0], moved[1]).codes
		t.table(joined, at[d][0], moved[2], at[d][0]) // fragment 0 is where it lies
		b.add(sum, joined, moved[2])
	}
	for i := range sum {
		sum[i] /= float64(s.completion.Tables)
	}
	result.cells = b.interactions(t, t.finish(s.completion.Tables), once, sum)
	return result
}

// joined is two attributes as one. Pairs of values that are too rare for the tally have no
// records.
func (t *tally) joined(x, y []uint32) coded {
	c := coded{codes: make([]uint32, len(x)), histogram: make([]int, len(t.cell))}
	for record := range x {
		i := t.index(x[record], y[record])
		c.codes[record] = uint32(i)
		if t.cell[i] > 0 {
			c.histogram[i]++
		}
	}
	return c
}

// movedBy has the code of every record of a completed table.
func movedBy(codes, at []uint32) []uint32 {
	moved := make([]uint32, len(at))
	for record, from := range at {
		moved[record] = codes[from]
	}
	return moved
}

// strength is the mean square of numbers that cells have, by their expected records, and 0
// without cells: 1 is the luck of drawing records.
func strength(cells []interaction, number func(*interaction) float64) float64 {
	sum, n := 0.0, 0
	for i := range cells {
		if c := &cells[i]; c.expected > 0 {
			x := number(c)
			sum, n = sum+float64(x*x)/c.expected, n+1
		}
	}
	return sum / float64(max(1, n))
}

func kept(c *interaction) float64   { return c.kept }
func missed(c *interaction) float64 { return c.there - c.kept }

// retained is which share of an interaction completed tables still have (least squares).
func retained(cells []interaction) float64 {
	both, all := 0.0, 0.0
	for _, c := range cells {
		if c.expected > 0 {
			both += float64(c.there*c.kept) / c.expected
			all += float64(c.there*c.there) / c.expected
		}
	}
	if all == 0 {
		return 1
	}
	return min(1, max(minRetained, both/all))
}

// lastingInteraction has the means of the cells that two re-publications have.
func lastingInteraction(one, other []interaction) (means []interaction) {
	place := make(map[int]*interaction, len(other))
	for i := range other {
		place[other[i].at] = &other[i]
	}
	for _, c := range one {
		if o := place[c.at]; o != nil {
			c.expected, c.there, c.kept = (c.expected+o.expected)/2, (c.there+o.there)/2, (c.kept+o.kept)/2
			means = append(means, c)
		}
	}
	return means
}

// threeways are the ratios of triples. The model has pairs of attributes. What three do
// besides is in its tables to a part, because groups show it. Re-publications and the null
// say which part: the rest of it is missing. It counts
//
//   - where both re-publications miss by more than luck what the first table has: what the
//     model makes itself comes back;
//   - as far as it is more than the null has of it, where three attributes have nothing
//     in common but luck.
func (m *measurer) threeways(own []threeway, again [][]threeway, null []threeway) (ratios []Triple) {
	for _, t := range own {
		one, other, luck := sameIn(again[0], t), sameIn(again[1], t), sameIn(null, t)
		if one == nil || other == nil || luck == nil {
			continue
		}
		// A mean of two has half the square of luck.
		lasting := lastingInteraction(one, other)
		if !exceeds(2*strength(lasting, missed), strength(luck, missed), len(lasting)) {
			continue
		}
		shown := strength(t.cells, kept)
		if !exceeds(shown, strength(luck, kept), len(t.cells)) {
			continue
		}
		part := min(retained(append(slices.Clone(one), other...)), retained(luck))
		beyond := math.Sqrt(max(0, 1-strength(luck, kept)/shown))
		var missing comparison
		for _, c := range t.cells {
			if c.known >= float64(m.alone) {
				c.known = c.mean + float64(beyond*c.kept)*(1-part)/part
				missing.cells = append(missing.cells, c.cell)
			}
		}
		if r := missing.ratio(m.spread); r > 0 && len(missing.cells) >= manyCells {
			ratios = append(ratios, Triple{t.attributes[0], t.attributes[1], t.attributes[2], r})
		}
	}
	return ratios
}

// exceeds says whether the strength of so many cells is more than luck's by two standard errors at least: both are means of as many squares.
func exceeds(found, luck float64, cells int) bool {
	return found > luck*(1+4/math.Sqrt(float64(cells)))
}

// hasLargeGroups says that groups are so large that completed tables keep less than minRetained of what three
// attributes do together: of a group of m, 1 in m matchings is the right one of a record, so that they keep 1/m.
func hasLargeGroups(r *anonymize.Release) bool {
	return minRetained*float64(r.Rows) > float64(r.Groups())
}

// withUsual has every triple that was looked at, with the ratio that was found if that is above the usual one.
func withUsual(found []Triple, all []threeway) (triples []Triple) {
	for _, t := range all {
		triple := Triple{t.attributes[0], t.attributes[1], t.attributes[2], usual}
		if i := slices.IndexFunc(found, func(f Triple) bool { return compareTriples(f, triple) == 0 }); i >= 0 {
			triple.Ratio = max(triple.Ratio, found[i].Ratio)
		}
		triples = append(triples, triple)
	}
	return triples
}

// sameIn finds the cells of the same attributes, nil without any.
func sameIn(all []threeway, t threeway) []interaction {
	i := slices.IndexFunc(all, func(o threeway) bool { return o.attributes == t.attributes })
	if i < 0 || len(all[i].cells) == 0 {
		return nil
	}
	return all[i].cells
}
