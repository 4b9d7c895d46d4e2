package estimate

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/anonsql/anonsql/anonymize"
)

// An Elsewhere keeps the relations of a release where they are too large to be read: a
// distributed engine. It counts; every division is done here. What it returns are whole
// numbers, so that its own order of work shows in no answer. It is safe for concurrent use.
//
// A class of a fragment's tuples is a number that [Classes] gives them by their values.
type Elsewhere interface {
	// Values returns the values of a column, each once, and how many records have each.
	Values(ctx context.Context, fragment, column int) (values []anonymize.Value, records []uint64, err error)
	// Weights returns, for every combination of one class a fragment and every size m of
	// groups, the sum over the groups of that size of the products of the numbers of records
	// that the classes have in the group. Of a single fragment sizes are not told apart: m is 0.
	// Sums of 0 may be left out, and a sum may come in several parts.
	Weights(ctx context.Context, fragments []Classes) ([]Weight, error)
	// WeightedSums returns Weights, with how many of the records are worth something, and the sums of what they are worth.
	WeightedSums(ctx context.Context, fragments []Classes, of Worth) ([]WeightedSum, error)
	// Profiles returns, for every combination of one class a fragment, how many groups have
	// which size and which numbers of records of the classes, all of them positive.
	Profiles(ctx context.Context, fragments []Classes) ([]Profile, error)
	// Sums returns Profiles, with sums over the groups of what their records of one fragment's class are worth.
	Sums(ctx context.Context, fragments []Classes, of Worth) ([]SumProfile, error)
	// Takes returns, for every combination of one class a fragment and every number that a record
	// of one of them is worth, how many records are taken where a group's low or high least or greatest are.
	Takes(ctx context.Context, fragments []Classes, of Worth) ([]Take, error)
	// ByGroup returns how many records of every group have which class of a fragment, all of them positive. Only a release that has
	// fragments here is asked it: they number the groups.
	ByGroup(ctx context.Context, fragment Classes) ([]GroupCount, error)
}

// NoClass marks tuples that have no class: they are not counted.
const NoClass = dead

// Classes give the tuples of one fragment their classes. A tuple has a class of every unit;
// together they are a number, that of the first unit counting fastest.
type Classes struct {
	Fragment int // index into Release.Fragments
	Units    []ClassUnit
	// Of has the class of every such number; nil: the number is the class.
	Of []uint32
}

// A ClassUnit is a column, or several that are looked at together.
type ClassUnit struct {
	Columns      []int               // indexes into the fragment's Columns
	Dictionaries [][]anonymize.Value // of every column, ascending
	// Class has the class of every combination of values, the first column's counting fastest:
	// below Classes, or NoClass.
	Class   []uint32
	Classes int
}

// A Weight is a sum over the groups of a size.
type Weight struct {
	Classes  []uint32 // one a fragment asked
	Size     uint32
	Products uint64
}

// A Profile says how many groups of Size records have Counts records of the classes, one a
// fragment asked.
type Profile struct {
	Classes []uint32
	Size    uint32
	Counts  []uint32
	Groups  uint64
}

// A Worth says what a record is worth: a whole number, by its values of one unit of one fragment.
type Worth struct {
	Fragment, Unit int     // of the fragments asked, and of its units
	Of             []int64 // as the unit's Class: by combination of values
	None           []bool  // records that are worth nothing, not even 0; nil: all are worth something
}

// A WeightedSum is a Weight; and the same sum where the records of one fragment are those that are worth something, and where
// their number is the sum of what they are worth.
type WeightedSum struct {
	Weight
	Records uint64
	Sum     *big.Int
}

// A SumProfile is a Profile with sums over its groups: of S, the sum of what a group's records are worth,
// of S^2, and of the sum of the squares of what they are worth.
type SumProfile struct {
	Profile
	Sum, SquaredSums, Squares *big.Int
}

// A Take is how many records that are worth Worth are among certain ones of their group, added up over all
// groups. Of f fragments whose classes have a_1, ..., a_f records in a group of m, at least
// low = max(0, sum a_i - (f-1) m) and at most high = min a_i records have all classes.
type Take struct {
	Classes []uint32
	Worth   int64
	// LeastOfLow are among the low records that are worth least, LeastOfHigh among the high ones;
	// GreatestOfLow and GreatestOfHigh likewise.
	LeastOfLow, LeastOfHigh, GreatestOfLow, GreatestOfHigh uint64
}

// A GroupSize says how many groups have how many records.
type GroupSize struct {
	Size   uint32
	Groups uint64
}

// An UnansweredError says what of a question is not answered over relations that are
// elsewhere.
type UnansweredError struct{ What string }

func (e *UnansweredError) Error() string {
	return "the relations of this release are in another engine, where this is not answered: " + e.What
}

// elsewhere is what a Prepared holds of relations that it does not.
type elsewhere struct {
	store   Elsewhere
	sizes   []GroupSize // ascending, none of them 0
	groups  uint64
	columns [][]*distantColumn // by fragment and column
	bytes   *atomic.Int64
}

// A distantColumn is the place for a column's values. Its channel holds the turn to read them.
type distantColumn struct {
	turn chan struct{}
	read atomic.Pointer[readColumn]
}

// A readColumn has the values of a column, and the numbers of records that have them.
type readColumn struct {
	anonymize.FragmentColumn
	records []uint64
}

// maxDistantBytes bounds the memory of the values that are kept of a release. What does not fit is read again for
// every question.
const maxDistantBytes = 16 << 20

// PrepareElsewhere returns a release whose relations e keeps, ready for questions. shape says what
// it is: its fragments have columns with names and types, and neither values nor tuples, but for
// those with cells that stand for several values, which are whole, and then the shape has
// GroupSizes; sizes are those of its groups. Values are read at the first question that touches
// their column, and kept as far as memory is for them ([Prepared.MaxBytes]). Answers, and standard
// errors and bounds of COUNT, are those that [Prepare] would have, to the last bit where its
// kernels fit and to some nine digits where it adds up group by group, as are those of SUM and AVG.
// What it is not asked for there, an [UnansweredError] says.
//
// A question that reads a fragment that is here and one that is not has the records of the latter
// counted by group, and gets the answers that [Prepare] would have, to some nine digits, for
// everything that is asked of cells.
//
// Errors: a shape with counterfeits, or with cells that are not here; sizes that are not those of its records.
func PrepareElsewhere(shape *anonymize.Release, sizes []GroupSize, e Elsewhere) (*Prepared, error) {
	r := *shape
	d := &elsewhere{store: e, bytes: new(atomic.Int64)}
	var records uint64
	for _, s := range sizes {
		if s.Size > 0 && s.Groups > 0 {
			d.sizes = append(d.sizes, s)
			d.groups += s.Groups
			records += uint64(s.Size) * s.Groups
		}
	}
	slices.SortFunc(d.sizes, func(a, b GroupSize) int { return int(a.Size) - int(b.Size) })
	for i := range max(0, len(d.sizes)-1) {
		if d.sizes[i].Size == d.sizes[i+1].Size {
			return nil, fmt.Errorf("size %d of groups is listed twice", d.sizes[i].Size)
		}
	}
	if records != uint64(r.Rows) {
		return nil, fmt.Errorf("the groups have %d records, the release %d", records, r.Rows)
	}
	if r.Forged != 0 {
		return nil, &UnansweredError{"a release with counterfeits"}
	}
	r.Fragments = nil
	for _, f := range shape.Fragments {
		if slices.ContainsFunc(f.Columns, func(c *anonymize.FragmentColumn) bool { return !c.IsPoint() }) {
			if err := d.takeHere(shape, f); err != nil {
				return nil, err
			}
			d.columns, r.Fragments = append(d.columns, nil), append(r.Fragments, f)
			continue
		}
		columns := make([]*distantColumn, len(f.Columns))
		for i := range columns {
			columns[i] = &distantColumn{turn: make(chan struct{}, 1)}
		}
		d.columns = append(d.columns, columns)
		r.Fragments = append(r.Fragments, &anonymize.Fragment{Name: f.Name, Role: f.Role, Columns: f.Columns})
	}
	return &Prepared{release: &r, elsewhere: d, bytes: d.bytes}, nil
}

// isElsewhere tells fragments without tuples of their own.
func isElsewhere(f *anonymize.Fragment) bool { return f.GroupStart == nil }

// loaded is the release with the values of all columns that q reads; and what was read of them, by fragment and column.
func (d *elsewhere) loaded(ctx context.Context, r *anonymize.Release, q *Question) (*anonymize.Release, map[[2]int]*readColumn, error) {
	columns := make(map[[2]int]*readColumn)
	with := *r
	with.Fragments = slices.Clone(r.Fragments)
	for _, f := range q.touched() {
		fragment := *r.Fragments[f]
		fragment.Columns = slices.Clone(fragment.Columns)
		with.Fragments[f] = &fragment
	}
	for _, leaf := range q.Leaves {
		for _, c := range leaf.Columns {
			place := [2]int{leaf.Fragment, c}
			if columns[place] != nil || d.isHere(leaf.Fragment) {
				continue
			}
			read, err := d.column(ctx, r, leaf.Fragment, c)
			if err != nil {
				return nil, nil, err
			}
			columns[place], with.Fragments[leaf.Fragment].Columns[c] = read, &read.FragmentColumn
		}
	}
	return &with, columns, nil
}

// Described is the release with the values of columns, each a fragment and a column of it, as far
// as relations are elsewhere: it has no tuples then, and the other columns no values.
func (p *Prepared) Described(ctx context.Context, columns [][2]int) (*anonymize.Release, error) {
	if p.elsewhere == nil {
		return p.release, nil
	}
	q := &Question{}
	for _, c := range columns {
		q.Leaves = append(q.Leaves, ValueOf(c[0], c[1]))
	}
	described, _, err := p.elsewhere.loaded(ctx, p.release, q)
	return described, err
}

// column reads the values of a column at its first use.
func (d *elsewhere) column(ctx context.Context, r *anonymize.Release, fragment, column int) (*readColumn, error) {
	place := d.columns[fragment][column]
	if read := place.read.Load(); read != nil {
		return read, nil
	}
	select {
	case place.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-place.turn }()
	if read := place.read.Load(); read != nil {
		return read, nil
	}
	values, records, err := d.store.Values(ctx, fragment, column)
	if err != nil {
		return nil, err
	}
	read := &readColumn{FragmentColumn: *r.Fragments[fragment].Columns[column]}
	if read.Dictionary, read.records, err = marginal(values, records, uint64(r.Rows)); err != nil {
		return nil, fmt.Errorf("column %s of fragment %s: %w", read.Name, r.Fragments[fragment].Name, err)
	}
	size := int64(0)
	for _, v := range values {
		size += valueBytes + int64(len(v.Text))
	}
	if d.bytes.Add(size) > maxDistantBytes {
		d.bytes.Add(-size)
		return read, nil
	}
	place.read.Store(read)
	return read, nil
}

// valueBytes is about what a value and its number of records take.
const valueBytes = 56

// marginal sorts values, with the numbers of records that have them, and looks whether they
// are those of so many records.
func marginal(values []anonymize.Value, records []uint64, rows uint64) ([]anonymize.Value, []uint64, error) {
	order, total := make([]int, len(values)), uint64(0)
	for i, v := range values {
		if n, ok := v.Number(); ok && math.IsNaN(n) {
			return nil, nil, fmt.Errorf("a value is not a number")
		}
		order[i] = i
		total += records[i]
	}
	if total != rows {
		return nil, nil, fmt.Errorf("its values have %d records, the release %d", total, rows)
	}
	slices.SortFunc(order, func(a, b int) int { return anonymize.Compare(values[a], values[b]) })
	sorted, counts := make([]anonymize.Value, len(values)), make([]uint64, len(values))
	for to, from := range order {
		sorted[to], counts[to] = values[from], records[from]
		if to > 0 && sorted[to] == sorted[to-1] {
			return nil, nil, fmt.Errorf("value %s is listed twice", sorted[to])
		}
	}
	return sorted, counts, nil
}

// fits refuses sums over all groups of a product of so many numbers of records that could leave
// 63 bits.
func (d *elsewhere) fits(factors int) error {
	width := 0
	if n := len(d.sizes); n > 0 {
		width = bits.Len32(d.sizes[n-1].Size)
	}
	if bits.Len64(d.groups)+factors*width > 63 {
		return &UnansweredError{fmt.Sprintf("a question whose sums over %d groups of up to %d records leave 63 bits", d.groups, d.sizes[len(d.sizes)-1].Size)}
	}
	return nil
}

// size is the place of a size of groups among all.
func (d *elsewhere) size(m uint32) (int, error) {
	i, ok := slices.BinarySearchFunc(d.sizes, m, func(s GroupSize, m uint32) int { return int(s.Size) - int(m) })
	if !ok {
		return 0, fmt.Errorf("the relations are not those of the release: they have groups of %d records", m)
	}
	return i, nil
}
