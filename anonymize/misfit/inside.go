package misfit

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize/parallel"
)

// An inside is what groups show about the values of one attribute within its categories, by the
// categories of another. The model treats the values of a category alike, and so does the table that is
// published again. The records may not, for example if the values are codes that stand for names.
//
// With n_g(a) and n_g(b) records in group g of m_g, groups show I(a, b) = sum n_g(a) n_g(b) / m_g (Eq. 11). D is its
// distance from a's part, by records, of the I of a's category; d is that distance for the known records. If values are
// alike, D is the chance in forming groups plus a share of the chance d. Sums are over cells, by expected records.
type inside struct {
	cells, squares, fourths float64 // number of cells; sums of D^2 and of D^4
	both, known             float64 // sums of D d and of d^2
}

// minExpected is the least expected number of records of a cell that counts, by its part of the category.
const minExpected = 1

// compareInside compares the attributes with shared categories by every attribute of another
// fragment. Cost: O(pairs * (records * size of groups + values * categories)).
func (s *subject) compareInside(ctx context.Context, workers int) (map[average]inside, error) {
	codes, _, err := s.lay()
	if err != nil {
		return nil, err
	}
	var list []average
	places := make(map[string]place)
	for of := range codes {
		places[s.name(of)] = of
		for by := range codes {
			if of.fragment != by.fragment && s.categories[s.name(of)] != nil {
				list = append(list, average{s.name(of), s.name(by)})
			}
		}
	}
	found := make([]inside, len(list))
	err = parallel.RunOn(ctx, workers, len(list), func(n int) error {
		found[n] = s.varianceInside(list[n], codes[places[list[n].of]], codes[places[list[n].by]])
		return nil
	})
	all := make(map[average]inside, len(list))
	for n, pair := range list {
		all[pair] = found[n]
	}
	return all, err
}

// A grid has a number for every pair of a value and a category of another attribute.
type grid struct {
	width int
	cells []float64
}

func (g grid) add(code, category uint32, n float64) { g.cells[int(code)*g.width+int(category)] += n }

// merged returns the grid by categories.
func (g grid) merged(category []uint16) grid {
	m := grid{g.width, make([]float64, (int(slices.Max(category))+1)*g.width)}
	for code := range len(g.cells) / g.width {
		for column, n := range g.cells[code*g.width : (code+1)*g.width] {
			m.cells[int(category[code])*g.width+column] += n
		}
	}
	return m
}

// varianceInside computes an inside of one pair; of and by have the codes of all records, group by group.
func (s *subject) varianceInside(pair average, of, by []uint32) (result inside) {
	values, others := s.known.Column(pair.of), s.coded(pair.by)
	class := make([]uint32, len(others.histogram))
	for code := range class {
		class[code] = uint32(code)
		if others.category != nil {
			class[code] = uint32(others.category[code])
		}
	}
	width := int(slices.Max(class)) + 1
	if len(values.Dictionary)*width > maxIndexed {
		return result
	}
	newGrid := func() grid { return grid{width, make([]float64, len(values.Dictionary)*width)} }
	shown, known := newGrid(), newGrid()
	begin := 0
	for _, size := range s.release.GroupSizes {
		end := begin + int(size)
		for _, b := range counted(by[begin:end]) {
			for _, a := range of[begin:end] {
				shown.add(a, class[b.code], float64(b.records)/float64(size))
			}
		}
		begin = end
	}
	for record, code := range values.Codes {
		known.add(code, class[others.codes[record]], 1)
	}
	result.add(shown, known, values.Histogram(), s.categories[pair.of])
	return result
}

// add adds all cells of grids; histogram has the records by value.
func (i *inside) add(shown, known grid, histogram []int, category []uint16) {
	records := make([]float64, slices.Max(category)+1)
	for code, n := range histogram {
		records[category[code]] += float64(n)
	}
	shownTogether, knownTogether := shown.merged(category), known.merged(category)
	for code, n := range histogram {
		all := records[category[code]]
		if n == 0 || float64(n) == all {
			continue // nothing, or the category has no other value
		}
		part, first, whole := float64(n)/all, code*shown.width, int(category[code])*shown.width
		for column := range shown.width {
			expected := part * knownTogether.cells[whole+column]
			if expected < minExpected {
				continue
			}
			distance := shown.cells[first+column] - float64(part*shownTogether.cells[whole+column])
			luck := known.cells[first+column] - expected
			square := distance * distance / expected
			i.join(inside{1, square, square * square, distance * luck / expected, luck * luck / expected})
		}
	}
}

func (i *inside) join(o inside) {
	i.cells, i.squares, i.fourths = i.cells+o.cells, i.squares+o.squares, i.fourths+o.fourths
	i.both, i.known = i.both+o.both, i.known+o.known
}

// excessOver returns the variance per record of values within their categories beyond chance: the
// release's groups' excess over those of re-publications plus its standard error, divided by the square
// of the share of d that the latter show (least squares). It is 0 if the excess is below two standard
// errors: the variance of D^2 is two thirds of the mean of D^4 if D is normal.
func (i inside) excessOver(again inside) float64 {
	share := again.both / again.known
	if i.cells == 0 || again.cells == 0 || !(share > 0) {
		return 0
	}
	more := i.squares/i.cells - again.squares/again.cells
	luck := math.Sqrt(2.0 / 3 * (i.fourths/(i.cells*i.cells) + again.fourths/(again.cells*again.cells)))
	if more <= 2*luck {
		return 0
	}
	return (more + luck) / (share * share)
}
