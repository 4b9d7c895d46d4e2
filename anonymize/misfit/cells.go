package misfit

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// A cell is a pair of values of two attributes, with numbers of records.
type cell struct {
	known       float64
	independent float64 // if all matchings are equally likely (Eq. 11)
	mean        float64 // over the completed tables
	variance    float64 // between them
	// at identifies the pair of values among tables with equal dictionaries.
	at int
}

// A comparison is what completed tables say about a pair of attributes, next to what is known.
type comparison struct {
	a, b  string
	cells []cell
	times int // number of re-publications with these cells; 0 for another measure
}

// A subject is a release with completed tables and a known table with its values, whose records
// are in any order.
type subject struct {
	release    *anonymize.Release
	completion *anonymize.Completion
	known      *anonymize.Microdata
	least      int // cells with fewer known records are ignored
	// categories are those of the model, by attribute ([impute.Categories]); cells are compared
	// by them. nil compares single values.
	categories map[string][]uint16
}

// errDictionary reports a fault of a method.
var errDictionary = errors.New("the method has changed the values of an attribute")

// A place locates an attribute in a release.
type place struct{ fragment, column int }

// compare compares the pairs for which wanted is true. Cost: O(pairs * (records * tables + the
// sum over groups of products of numbers of values)).
func (s *subject) compare(ctx context.Context, workers int, wanted func(i, j place) bool) ([]comparison, error) {
	var pairs [][2]place
	for j, f := range s.release.Fragments {
		for i, e := range s.release.Fragments[:j] {
			for x := range e.Columns {
				for y := range f.Columns {
					if a, b := (place{i, x}), (place{j, y}); wanted(a, b) {
						pairs = append(pairs, [2]place{a, b})
					}
				}
			}
		}
	}
	codes, at, err := s.lay()
	if err != nil {
		return nil, err
	}
	all := make([]comparison, len(pairs))
	err = parallel.RunOn(ctx, workers, len(pairs), func(n int) error {
		i, j := pairs[n][0], pairs[n][1]
		one, other := s.release.Fragments[i.fragment].Columns[i.column], s.release.Fragments[j.fragment].Columns[j.column]
		t := newTally(s.coded(one.Name), s.coded(other.Name), s.least)
		first, second := codes[i], codes[j]
		t.independent(s.release.GroupSizes, first, second)
		for d := range s.completion.Tables {
			t.table(first, at[d][i.fragment], second, at[d][j.fragment])
		}
		all[n] = comparison{a: one.Name, b: other.Name, cells: t.finish(s.completion.Tables)}
		return nil
	})
	return all, err
}

// lay returns the code of every record by attribute, and the record in each place by table and
// fragment.
func (s *subject) lay() (codes map[place][]uint32, at [][][]uint32, err error) {
	codes = make(map[place][]uint32)
	for j, f := range s.release.Fragments {
		for y, c := range f.Columns {
			known := s.known.Column(c.Name)
			if known == nil || !slices.Equal(known.Dictionary, c.Dictionary) {
				return nil, nil, errDictionary
			}
			codes[place{j, y}] = repeated(f, c, s.release.Rows)
		}
	}
	for d := range s.completion.Tables {
		at = append(at, nil)
		for j := range s.release.Fragments {
			at[d] = append(at[d], records(s.release, s.completion, d, j))
		}
	}
	return codes, at, nil
}

// A tally counts the records of the cells of one pair.
type tally struct {
	// row and column number the sufficiently frequent values, from 1.
	row, column []int32
	width       int
	cell        []int32 // by row and column: its number, from 1
	cells       []cell
	squares     []float64
	now         []float64 // of the current table
}

// maxIndexed is the greatest product of a pair's numbers of values. With more, only the more
// frequent values count, whose cells are no smaller.
const maxIndexed = 1 << 24

// A coded is an attribute, or several combined: the code of every record, and the number of
// records by code. Codes of one category count as one value; nil: each code is its own.
type coded struct {
	codes     []uint32
	histogram []int
	category  []uint16
}

func (s *subject) coded(name string) coded {
	c := s.known.Column(name)
	return coded{c.Codes, c.Histogram(), s.categories[name]}
}

func newTally(a, b coded, least int) *tally {
	t := &tally{}
	var height int
	for frequency := least; ; frequency *= 2 {
		t.row, height = frequent(a, frequency)
		t.column, t.width = frequent(b, frequency)
		if (height+1)*(t.width+1) <= maxIndexed {
			break
		}
	}
	t.cell = make([]int32, (height+1)*(t.width+1))
	t.width++
	for record, x := range a.codes {
		t.cell[t.index(x, b.codes[record])]++
	}
	rows, columns := codesOf(t.row, height), codesOf(t.column, t.width-1)
	for i, n := range t.cell {
		t.cell[i] = 0
		if row, column := i/t.width, i%t.width; int(n) >= least && row > 0 && column > 0 {
			t.cells = append(t.cells, cell{known: float64(n), at: rows[row]*len(t.column) + columns[column]})
			t.cell[i] = int32(len(t.cells))
		}
	}
	t.squares, t.now = make([]float64, len(t.cells)+1), make([]float64, len(t.cells)+1)
	return t
}

// frequent numbers the codes, or their categories, with at least that many records, from 1.
func frequent(c coded, least int) (number []int32, values int) {
	number = make([]int32, len(c.histogram))
	place := func(code int) int { return code }
	records := c.histogram
	if c.category != nil {
		place = func(code int) int { return int(c.category[code]) }
		records = make([]int, int(slices.Max(c.category))+1)
		for code, n := range c.histogram {
			records[place(code)] += n
		}
	}
	numbered := make([]int32, len(records))
	for code, n := range c.histogram {
		at := place(code)
		if n == 0 || records[at] < least {
			continue
		}
		if numbered[at] == 0 {
			values++
			numbered[at] = int32(values)
		}
		number[code] = numbered[at]
	}
	return number, values
}

// codesOf returns a code for each number.
func codesOf(number []int32, values int) []int {
	codes := make([]int, values+1)
	for code, n := range number {
		if n > 0 {
			codes[n] = code
		}
	}
	return codes
}

func (t *tally) index(x, y uint32) int { return int(t.row[x])*t.width + int(t.column[y]) }

// independent adds the mean over every group's matchings, n_x n_y / m.
func (t *tally) independent(sizes []uint32, first, second []uint32) {
	begin := 0
	for _, size := range sizes {
		x, y := counted(first[begin:begin+int(size)]), counted(second[begin:begin+int(size)])
		for _, a := range x {
			for _, b := range y {
				if n := t.cell[t.index(a.code, b.code)]; n > 0 {
					t.cells[n-1].independent += float64(a.records*b.records) / float64(size)
				}
			}
		}
		begin += int(size)
	}
}

type codeCount struct {
	code    uint32
	records int
}

// counted counts the records by code.
func counted(codes []uint32) (counts []codeCount) {
	sorted := slices.Sorted(slices.Values(codes))
	for _, code := range sorted {
		if n := len(counts); n > 0 && counts[n-1].code == code {
			counts[n-1].records++
			continue
		}
		counts = append(counts, codeCount{code, 1})
	}
	return counts
}

// table adds one completed table.
func (t *tally) table(first, at, second, to []uint32) {
	clear(t.now)
	for record := range at {
		t.now[t.cell[t.index(first[at[record]], second[to[record]])]]++
	}
	for i := range t.cells {
		n := t.now[i+1]
		t.cells[i].mean += n
		t.squares[i] += float64(n * n)
	}
}

func (t *tally) finish(tables int) []cell {
	n := float64(tables)
	for i := range t.cells {
		c := &t.cells[i]
		c.mean /= n
		c.variance = max(0, t.squares[i]-float64(n*float64(c.mean*c.mean))) / (n - 1)
	}
	return t.cells
}

// covers reports whether the interval with ratio r contains the known number. student is a
// quantile of Student's t; spread scales the variance between the tables.
func (c *cell) covers(r, student, spread float64, tables int) bool {
	variance := float64(spread * float64((1+1/float64(tables))*c.variance))
	half := student * math.Sqrt(variance+float64(r*r*c.mean*c.mean)/4)
	return math.Abs(c.mean-c.known) <= half+1e-9
}

// ratio returns the smallest r with which at most one cell in missedOf is missed. One miss is
// always allowed: a single cell decides nothing.
func (c *comparison) ratio(spread float64) float64 {
	allowed := max(1, len(c.cells)/missedOf)
	return leastRatio(func(r float64) bool {
		missed := 0
		for i := range c.cells {
			if !c.cells[i].covers(r, student, spread, tables) {
				missed++
			}
		}
		return missed <= allowed
	})
}

// withLeast keeps the cells with at least that many known records.
func withLeast(all []comparison, records int) []comparison {
	large := slices.Clone(all)
	for i := range large {
		c := &large[i]
		c.cells = slices.DeleteFunc(slices.Clone(c.cells), func(x cell) bool { return x.known < float64(records) })
	}
	return large
}

// persistentCells keeps, for every pair, the cells that all its re-publications have, and
// averages each over them. What all re-publications miss stays in the mean; chance shrinks.
func persistentCells(republished []comparison) []comparison {
	means := slices.Clone(republished)
	for i := range means {
		c := &means[i]
		if c.times < 2 {
			continue
		}
		sorted := slices.SortedStableFunc(slices.Values(c.cells), func(a, b cell) int { return cmp.Compare(a.at, b.at) })
		c.cells = nil
		for n := c.times; len(sorted) > 0; {
			same := 1
			for same < len(sorted) && sorted[same].at == sorted[0].at {
				same++
			}
			if same == n {
				c.cells = append(c.cells, meanOf(sorted[:same]))
			}
			sorted = sorted[same:]
		}
		c.times = 1
	}
	return means
}

// meanOf returns the mean of independent measures of a cell.
func meanOf(cells []cell) cell {
	n := float64(len(cells))
	mean := cell{at: cells[0].at}
	for _, c := range cells {
		mean.known += c.known / n
		mean.independent += c.independent / n
		mean.mean += c.mean / n
		mean.variance += c.variance / (n * n)
	}
	return mean
}

// pool collects the cells of the wanted comparisons.
func pool(wanted func(*comparison) bool, all ...[]comparison) *comparison {
	pooled := &comparison{}
	for _, some := range all {
		for i := range some {
			if wanted(&some[i]) {
				pooled.cells = append(pooled.cells, some[i].cells...)
			}
		}
	}
	return pooled
}

func anyPair(*comparison) bool { return true }

// association measures how far the completed tables are from independence within groups, beyond
// the differences between tables: the root of sum (d^2 - B) / e over sum e, with d the distance
// from e of Eq. 11. The sum is Pearson's chi-square, so this is phi, restricted to what
// matchings can show.
func (c *comparison) association() float64 {
	above, all := 0.0, 0.0
	for _, x := range c.cells {
		if x.independent > 0 {
			d := x.mean - x.independent
			above += (float64(d*d) - x.variance) / x.independent
			all += x.independent
		}
	}
	if above <= 0 {
		return 0
	}
	return rounded(math.Sqrt(above / all))
}
