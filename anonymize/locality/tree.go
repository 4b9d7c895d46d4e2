package locality

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

const (
	// leaf is the number of records that are sorted rather than divided: no
	// more than fit into a group of most releases.
	leaf = 4
	// task is the number of records that one of the tasks has, at most, that
	// run side by side.
	task = 1 << 13
)

// A tree divides the records in two, again and again. A row is the codes of a
// record and its number; rows are moved, so that a node is a piece of memory
// that is read from front to back. Memory: 8 (m+1) bytes a record.
type tree struct {
	width int      // of a row: m codes and the record
	rows  []uint32 // row after row
	spare []uint32 // of the same length
	// span is the greatest code less the least one, by column.
	span []uint32
}

// A node is the rows first .. end-1.
type node struct{ first, end int }

func (n node) size() int { return n.end - n.first }

func newTree(columns []*anonymize.Column, records []uint32) *tree {
	width := len(columns) + 1
	t := &tree{width: width, rows: make([]uint32, len(records)*width), spare: make([]uint32, len(records)*width)}
	for place, record := range records {
		row := t.rows[place*width:][:width]
		for i, c := range columns {
			row[i] = c.Codes[record]
		}
		row[len(columns)] = record
	}
	s := t.newScratch()
	t.measure(node{0, len(records)}, s)
	for i := range s.low {
		t.span = append(t.span, s.high[i]-s.low[i])
	}
	return t
}

// record returns the record at a place.
func (t *tree) record(place int) uint32 { return t.rows[place*t.width+t.width-1] }

// arrange puts the rows into the order of the tree's leaves: large nodes one
// after the other, their parts side by side.
func (t *tree) arrange(ctx context.Context) error {
	s := t.newScratch()
	open, tasks := []node{{0, len(t.rows) / t.width}}, []node(nil)
	for len(open) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if n.size() <= task {
			tasks = append(tasks, n)
		} else if column, ok := t.widestColumn(n, s); ok { // else all are equal
			left, right := t.divide(n, column, s)
			open = append(open, left, right)
		}
	}
	return parallel.Run(ctx, len(tasks), func(i int) error {
		t.refine(tasks[i], t.newScratch())
		return ctx.Err()
	})
}

// refine orders a node.
func (t *tree) refine(n node, s *scratch) {
	for n.size() > leaf {
		column, ok := t.widestColumn(n, s)
		if !ok {
			return // all records are equal
		}
		left, right := t.divide(n, column, s)
		t.refine(left, s)
		n = right
	}
	t.sort(n)
}

// widestColumn returns the column with the widest range of codes in the node, as a
// share of its range in the table; the earlier one of equals. Codes are ranks of
// values: an outlier does not stretch the range of all others.
func (t *tree) widestColumn(n node, s *scratch) (column int, ok bool) {
	t.measure(n, s)
	for i := range s.low {
		here := uint64(s.high[i] - s.low[i])
		switch {
		case here == 0:
		case !ok, here*uint64(t.span[column]) > uint64(s.high[column]-s.low[column])*uint64(t.span[i]):
			column, ok = i, true
		}
	}
	return column, ok
}

// measure finds the least and the greatest code of every column.
func (t *tree) measure(n node, s *scratch) {
	m := t.width - 1
	copy(s.low, t.rows[n.first*t.width:][:m])
	copy(s.high, s.low)
	for at := (n.first + 1) * t.width; at < n.end*t.width; at += t.width {
		for i, code := range t.rows[at : at+m] {
			s.low[i] = min(s.low[i], code)
			s.high[i] = max(s.high[i], code)
		}
	}
}

// divide cuts a node, just measured, in two that are not empty: codes below the
// median, or the next cut, whichever leaves halves of more equal size. Rows keep
// their order inside a half.
func (t *tree) divide(n node, column int, s *scratch) (left, right node) {
	cut := t.median(n, column, s)
	w, to, other := t.width, n.first*t.width, n.first*t.width
	for at := to; at < n.end*w; at += w {
		if t.rows[at+column] < cut {
			copy(t.rows[to:to+w], t.rows[at:at+w])
			to += w
		} else {
			copy(t.spare[other:other+w], t.rows[at:at+w])
			other += w
		}
	}
	copy(t.rows[to:n.end*w], t.spare[n.first*w:other])
	return node{n.first, to / w}, node{to / w, n.end}
}

// sort puts the few records of a leaf into the order of their codes.
func (t *tree) sort(n node) {
	w, m := t.width, t.width-1
	for i := n.first + 1; i < n.end; i++ {
		for at := i * w; at > n.first*w && slices.Compare(t.rows[at-w:at-w+m], t.rows[at:at+m]) > 0; at -= w {
			for j := at; j < at+w; j++ {
				t.rows[j-w], t.rows[j] = t.rows[j], t.rows[j-w]
			}
		}
	}
}

// A scratch is what one goroutine works with.
type scratch struct {
	low, high []uint32 // codes, by column
	count     []uint32 // zero between uses
	codes     []uint32
}

func (t *tree) newScratch() *scratch {
	return &scratch{low: make([]uint32, t.width-1), high: make([]uint32, t.width-1)}
}

// median returns the code that begins the upper part: some records are below
// it, and some are not. The record in the middle has some code; the cut is below
// or above all records that have it.
func (t *tree) median(n node, column int, s *scratch) uint32 {
	half := n.size() / 2
	code, below, next := t.middle(n, column, half, s)
	if below == 0 || next < n.size() && next-half < half-below {
		return code + 1
	}
	return code
}

// middle returns the code of rank half, how many records have a lower one and
// how many have none higher: by counting, or by sorting where codes are many
// more than records.
func (t *tree) middle(n node, column, half int, s *scratch) (code uint32, below, next int) {
	rows := t.rows[n.first*t.width : n.end*t.width]
	low, values := s.low[column], int(s.high[column]-s.low[column])+1
	if values > 4*n.size() {
		s.codes = s.codes[:0]
		for at := column; at < len(rows); at += t.width {
			s.codes = append(s.codes, rows[at])
		}
		slices.Sort(s.codes)
		below, _ = slices.BinarySearch(s.codes, s.codes[half])
		next, _ = slices.BinarySearch(s.codes, s.codes[half]+1)
		return s.codes[half], below, next
	}
	if len(s.count) < values {
		s.count = make([]uint32, values)
	}
	count := s.count[:values]
	for at := column; at < len(rows); at += t.width {
		count[rows[at]-low]++
	}
	for next = int(count[0]); next <= half; next += int(count[code]) {
		below = next
		code++
	}
	clear(count)
	return low + code, below, next
}
