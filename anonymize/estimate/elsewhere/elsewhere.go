package elsewhere

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// Relations describe the relations of a Prepared that another engine keeps.
type Relations struct {
	store   figures.Elsewhere
	sizes   []figures.GroupSize // ascending, none of them 0
	groups  uint64
	Columns [][]*distantColumn // by fragment and column
	Bytes   atomic.Int64
}

// A distantColumn caches a column's values. Turn is the lock for reading them.
type distantColumn struct {
	Turn chan struct{}
	read atomic.Pointer[readColumn]
}

// A readColumn has the values of a column and the number of records with each.
type readColumn struct {
	anonymize.FragmentColumn
	records []uint64
}

// MaxBytes is the most memory for cached values of a release. Values beyond it are read again
// for every question.
const MaxBytes = 16 << 20

// Loaded returns the release with the values of all columns that q reads, and these columns by fragment and column.
func (d *Relations) Loaded(ctx context.Context, r *anonymize.Release, q *question.Question) (*anonymize.Release, map[[2]int]*readColumn, error) {
	columns := make(map[[2]int]*readColumn)
	with := *r
	with.Fragments = slices.Clone(r.Fragments)
	for _, f := range q.Touched() {
		fragment := *r.Fragments[f]
		fragment.Columns = slices.Clone(fragment.Columns)
		with.Fragments[f] = &fragment
	}
	for _, leaf := range q.Leaves {
		for _, c := range leaf.Columns {
			place := [2]int{leaf.Fragment, c}
			if columns[place] != nil || d.IsHere(leaf.Fragment) {
				continue
			}
			read, err := d.Column(ctx, r, leaf.Fragment, c)
			if err != nil {
				return nil, nil, err
			}
			columns[place], with.Fragments[leaf.Fragment].Columns[c] = read, &read.FragmentColumn
		}
	}
	return &with, columns, nil
}

// Column returns the values of a column and reads them on first use.
func (d *Relations) Column(ctx context.Context, r *anonymize.Release, fragment, column int) (*readColumn, error) {
	place := d.Columns[fragment][column]
	if read := place.read.Load(); read != nil {
		return read, nil
	}
	select {
	case place.Turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-place.Turn }()
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
	if d.Bytes.Add(size) > MaxBytes {
		d.Bytes.Add(-size)
		return read, nil
	}
	place.read.Store(read)
	return read, nil
}

// Margin returns the values of a column, ascending, and the number of records with each.
func (d *Relations) Margin(ctx context.Context, r *anonymize.Release, fragment, column int) (values []anonymize.Value, records []uint64, err error) {
	read, err := d.Column(ctx, r, fragment, column)
	if err != nil {
		return nil, nil, err
	}
	return read.Dictionary, read.records, nil
}

// valueBytes is the approximate memory of a value and its number of records.
const valueBytes = 56

// marginal sorts values with their numbers of records and verifies that these add up to rows.
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

// fits refuses questions whose sums over all groups, of products of that many record counts,
// could exceed 63 bits.
func (d *Relations) fits(factors int) error {
	width := 0
	if n := len(d.sizes); n > 0 {
		width = bits.Len32(d.sizes[n-1].Size)
	}
	if bits.Len64(d.groups)+factors*width > 63 {
		return &question.UnansweredError{What: fmt.Sprintf("a question whose sums over %d groups of up to %d records leave 63 bits", d.groups, d.sizes[len(d.sizes)-1].Size)}
	}
	return nil
}

// size returns the index of a group size in sizes.
func (d *Relations) size(m uint32) (int, error) {
	i, ok := slices.BinarySearchFunc(d.sizes, m, func(s figures.GroupSize, m uint32) int { return int(s.Size) - int(m) })
	if !ok {
		return 0, fmt.Errorf("the relations are not those of the release: they have groups of %d records", m)
	}
	return i, nil
}

// New verifies that a shape, sizes and relations belong to one release, and returns the shape without tuples.
func New(shape *anonymize.Release, sizes []figures.GroupSize, e figures.Elsewhere) (*Relations, *anonymize.Release, error) {
	r := *shape
	d := &Relations{store: e}
	var records uint64
	for _, s := range sizes {
		if s.Size > 0 && s.Groups > 0 {
			d.sizes = append(d.sizes, s)
			d.groups += s.Groups
			records += uint64(s.Size) * s.Groups
		}
	}
	slices.SortFunc(d.sizes, func(a, b figures.GroupSize) int { return int(a.Size) - int(b.Size) })
	for i := range max(0, len(d.sizes)-1) {
		if d.sizes[i].Size == d.sizes[i+1].Size {
			return nil, nil, fmt.Errorf("size %d of groups is listed twice", d.sizes[i].Size)
		}
	}
	if records != uint64(r.Rows) {
		return nil, nil, fmt.Errorf("the groups have %d records, the release %d", records, r.Rows)
	}
	if r.Forged != 0 {
		return nil, nil, &question.UnansweredError{What: "a release with counterfeits"}
	}
	r.Fragments = nil
	for _, f := range shape.Fragments {
		if slices.ContainsFunc(f.Columns, func(c *anonymize.FragmentColumn) bool { return !c.IsPoint() }) {
			if err := d.takeHere(shape, f); err != nil {
				return nil, nil, err
			}
			d.Columns, r.Fragments = append(d.Columns, nil), append(r.Fragments, f)
			continue
		}
		columns := make([]*distantColumn, len(f.Columns))
		for i := range columns {
			columns[i] = &distantColumn{Turn: make(chan struct{}, 1)}
		}
		d.Columns = append(d.Columns, columns)
		r.Fragments = append(r.Fragments, &anonymize.Fragment{Name: f.Name, Role: f.Role, Columns: f.Columns})
	}
	return d, &r, nil
}
