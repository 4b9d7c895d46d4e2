package estimate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/cells"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/planes"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A releaseBuilder makes releases from records written out, "a,b" per record;
// what reads as an integer is one.
type releaseBuilder struct {
	names  [][]string
	groups [][][]string
}

func newReleaseBuilder(names ...[]string) *releaseBuilder { return &releaseBuilder{names: names} }

func (b *releaseBuilder) group(fragments ...[]string) { b.groups = append(b.groups, fragments) }

func (b *releaseBuilder) release() *anonymize.Release {
	r := &anonymize.Release{Method: "test"}
	for _, g := range b.groups {
		r.GroupSizes = append(r.GroupSizes, uint32(len(g[0])))
		r.Rows += len(g[0])
	}
	for i, names := range b.names {
		tuples := make([][][]anonymize.Value, len(b.groups))
		for g := range b.groups {
			for _, text := range b.groups[g][i] {
				var tuple []anonymize.Value
				for _, v := range strings.Split(text, ",") {
					if number, err := strconv.ParseInt(v, 10, 64); err == nil {
						tuple = append(tuple, anonymize.IntegerValue(number))
					} else {
						tuple = append(tuple, anonymize.TextValue(v))
					}
				}
				tuples[g] = append(tuples[g], tuple)
			}
		}
		r.Fragments = append(r.Fragments, newFragment(fmt.Sprintf("f%d", i), names, tuples))
	}
	return r
}

// newFragment stores tuples[group][record][column] sorted, with counts.
func newFragment(name string, names []string, tuples [][][]anonymize.Value) *anonymize.Fragment {
	f := &anonymize.Fragment{Name: name, GroupStart: []uint32{0}}
	codes := make([]*anonymize.Column, len(names))
	for c, columnName := range names {
		var values []anonymize.Value
		for _, group := range tuples {
			for _, tuple := range group {
				values = append(values, tuple[c])
			}
		}
		codes[c] = anonymize.NewColumn(columnName, "text", values)
		f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: columnName, Type: "text", Dictionary: codes[c].Dictionary})
	}
	row := 0
	for _, group := range tuples {
		var coded [][]uint32
		for range group {
			tuple := make([]uint32, len(names))
			for c := range names {
				tuple[c] = codes[c].Codes[row]
			}
			coded = append(coded, tuple)
			row++
		}
		slices.SortFunc(coded, slices.Compare)
		for i, tuple := range coded {
			if i > 0 && slices.Equal(tuple, coded[i-1]) {
				f.Count[len(f.Count)-1]++
				continue
			}
			f.Count = append(f.Count, 1)
			for c := range names {
				f.Columns[c].Codes = append(f.Columns[c].Codes, tuple[c])
			}
		}
		f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
	}
	return f
}

// randomRelease has 1-3 groups of 1-4 records and 1-3 fragments of 1-2
// columns with few values, some NULL; with cells, some columns are spread.
func randomRelease(random *rand.Rand, cells bool) *anonymize.Release {
	r := &anonymize.Release{Method: "test"}
	for range 1 + random.IntN(3) {
		size := 1 + random.IntN(4)
		r.GroupSizes = append(r.GroupSizes, uint32(size))
		r.Rows += size
	}
	for i := range 1 + random.IntN(3) {
		names := []string{fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i)}[:1+random.IntN(2)]
		tuples := make([][][]anonymize.Value, len(r.GroupSizes))
		for g, size := range r.GroupSizes {
			for range size {
				tuple := make([]anonymize.Value, len(names))
				for c := range tuple {
					if tuple[c] = anonymize.IntegerValue(int64(random.IntN(4)) - 1); random.IntN(6) == 0 {
						tuple[c] = anonymize.NullValue
					}
				}
				tuples[g] = append(tuples[g], tuple)
			}
		}
		f := newFragment(fmt.Sprintf("f%d", i), names, tuples)
		if cells && random.IntN(2) == 0 {
			for _, c := range f.Columns {
				spread(random, c)
			}
		}
		r.Fragments = append(r.Fragments, f)
	}
	return r
}

// spread replaces the points of a column by intervals, or by cells of random
// members.
func spread(random *rand.Rand, c *anonymize.FragmentColumn) {
	for code := range c.Dictionary {
		cell := anonymize.Cell{Label: fmt.Sprint("cell ", code)}
		interval, low, high := random.IntN(3) == 0, random.IntN(code+1), code+random.IntN(len(c.Dictionary)-code)
		for member := range c.Dictionary {
			if interval && low <= member && member <= high || !interval && (member == code || random.IntN(2) == 0) {
				cell.Members = append(cell.Members, uint32(member))
			}
		}
		if !interval && random.IntN(2) == 0 {
			left := 1.0
			for i := range cell.Members {
				w := left * random.Float64()
				if i == len(cell.Members)-1 {
					w = left
				}
				cell.Weights = append(cell.Weights, w)
				left -= w
			}
		}
		c.Cells = append(c.Cells, cell)
	}
}

// generated is a larger release: three fragments of two columns, groups of m.
func generated(random *rand.Rand, rows, values, m int) *anonymize.Release {
	r := &anonymize.Release{Method: "test"}
	for r.Rows+m <= rows {
		r.GroupSizes = append(r.GroupSizes, uint32(m))
		r.Rows += m
	}
	for i := range 3 {
		tuples := make([][][]anonymize.Value, len(r.GroupSizes))
		for g := range tuples {
			for range m {
				tuples[g] = append(tuples[g], []anonymize.Value{
					anonymize.IntegerValue(int64(random.IntN(values))), anonymize.IntegerValue(int64(random.IntN(10)))})
			}
		}
		r.Fragments = append(r.Fragments, newFragment(fmt.Sprintf("f%d", i), []string{fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i)}, tuples))
	}
	return r
}

func mustSides(t *testing.T, r *anonymize.Release, q *Question) []*question.Side {
	t.Helper()
	sides, err := question.SidesOf(context.Background(), r, q)
	if err != nil {
		t.Fatal(err)
	}
	return sides
}

// kept is who counted for an answer; nobody where it keeps nothing.
func kept(a *Answer) (k struct {
	boxes    *figures.BoxSums
	cells    *cells.Counter
	portions []portion
}) {
	if w, ok := a.Kept.(*way); ok {
		switch c := w.Counter.(type) {
		case *planes.Counter:
			k.boxes = c.Boxes
		case *cells.Counter:
			k.cells = c
		case *apart:
			k.portions = c.portions
		}
	}
	return k
}
