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
	// maxTriples is the greatest number of compared triples of attributes; of more, a regular
	// selection is compared.
	maxTriples = 200
	// minRetained is the least share of an interaction that tables are assumed to keep.
	minRetained = 0.1
)

// An interaction is a cell of three attributes with its excess of records over what the counts
// of all pairs of its values imply.
type interaction struct {
	cell
	expected    float64 // from the pairs of the known table
	there, kept float64 // excess in the known table, and in the mean of the completed ones
}

// A threeway is what completed tables say about three attributes, which are sorted.
type threeway struct {
	attributes [3]string
	cells      []interaction
}

// triplesOf returns triples of attributes that are not all in one fragment.
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

// compareTriples compares triples of attributes. Cost: O(triples * (records * tables +
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
			moved[n] = anonymize.Gather(codes[p], at[d][p.fragment])
		}
		joined := first.joined(moved[0], moved[1]).codes
		t.table(joined, at[d][0], moved[2], at[d][0]) // fragment 0 stays in place
		b.add(sum, joined, moved[2])
	}
	for i := range sum {
		sum[i] /= float64(s.completion.Tables)
	}
	result.cells = b.interactions(t, t.finish(s.completion.Tables), once, sum)
	return result
}

// joined combines two attributes into one. Pairs of values that are too rare for the tally have
// no records.
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

// strength returns the mean square of a number of the cells, relative to their expected
// records; 0 without cells. Random sampling gives 1.
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

// retained returns the share of an interaction that completed tables keep (least squares).
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

// lastingInteraction returns the means of the cells that two re-publications share.
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

// threeways returns the ratios of triples. The model has pairs of attributes only. Its tables
// keep a part of three-way interactions, because groups show it. Re-publications and the null
// tell which part; the rest is missing. It counts
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
		// The mean of two has half of the squared chance.
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

// exceeds reports whether a strength exceeds that of chance by at least two standard errors; both are means over that many cells.
func exceeds(found, luck float64, cells int) bool {
	return found > luck*(1+4/math.Sqrt(float64(cells)))
}

// hasLargeGroups reports whether groups are so large that completed tables keep less than minRetained
// of three-way interactions. In a group of m, 1 in m matchings is right for a record, so they keep 1/m.
func hasLargeGroups(r *anonymize.Release) bool {
	return minRetained*float64(r.Rows) > float64(r.Groups())
}

// withUsual returns every compared triple with the found ratio or the usual one, whichever is greater.
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

// sameIn returns the cells of the same attributes; nil if there are none.
func sameIn(all []threeway, t threeway) []interaction {
	i := slices.IndexFunc(all, func(o threeway) bool { return o.attributes == t.attributes })
	if i < 0 || len(all[i].cells) == 0 {
		return nil
	}
	return all[i].cells
}
