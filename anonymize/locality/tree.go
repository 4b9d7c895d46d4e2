package locality

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

const (
	// leaf is the number of records that are sorted instead of divided, at most a small
	// group's.
	leaf = 4
	// task is the greatest number of records of a parallel task.
	task = 1 << 13
)

// A tree halves the records recursively. A row has the codes of a record and its number. Rows
// are moved, so that a node is a contiguous piece of memory. Memory: 8 (m+1) bytes per record.
type tree struct {
	width int      // of a row: m codes and the record
	rows  []uint32 // row after row
	spare []uint32 // of the same length
	// span is the greatest code minus the least one, by column.
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
		} else if column, ok := t.widestColumn(n, s); ok { // otherwise all are equal
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

// widestColumn returns the column with the widest range of codes in the node relative to its
// range in the table, the first on a tie. Codes are ranks of values, so an outlier does not
// stretch the range.
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

// divide cuts a node, which was just measured, in two nonempty parts: at the median code or the
// next cut, whichever gives more equal halves. Rows keep their order inside a half.
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

// sort sorts the few records of a leaf by their codes.
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

// A scratch is the memory of one goroutine.
type scratch struct {
	low, high []uint32 // codes, by column
	count     []uint32 // zero between uses
	codes     []uint32
}

func (t *tree) newScratch() *scratch {
	return &scratch{low: make([]uint32, t.width-1), high: make([]uint32, t.width-1)}
}

// median returns the first code of the upper part, so that neither part is empty. The cut is
// below or above all records with the middle record's code.
func (t *tree) median(n node, column int, s *scratch) uint32 {
	half := n.size() / 2
	code, below, next := t.middle(n, column, half, s)
	if below == 0 || next < n.size() && next-half < half-below {
		return code + 1
	}
	return code
}

// middle returns the code of rank half, the number of records with a lower code and the number
// with none higher. It counts, or sorts if there are many more codes than records.
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
