package slicing

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// rows is the table row by row, in the order of the splits so far: a bucket is a range of rows,
// and a split moves rows inside its range. Each row has the codes of the quasi-identifiers,
// then the class, the pair and the record. So a pass over a bucket reads contiguous memory.
type rows struct {
	cells  []uint32
	m      int // quasi-identifiers
	stride int // m + 3
}

// A bucket is the rows first .. end-1.
type bucket struct{ first, end int }

func (b bucket) size() int { return b.end - b.first }

// rowsPerTask is the number of rows that one task of newRows writes.
const rowsPerTask = 1 << 15

func newRows(in *anonymize.Input, s *sensitive) *rows {
	m := len(in.QuasiIdentifiers)
	r := &rows{m: m, stride: m + 3, cells: make([]uint32, in.Rows*(m+3))}
	// No task fails, and none is long.
	_ = parallel.Run(context.Background(), (in.Rows+rowsPerTask-1)/rowsPerTask, func(task int) error {
		for record := task * rowsPerTask; record < min((task+1)*rowsPerTask, in.Rows); record++ {
			row := r.cells[record*r.stride:][:r.stride]
			for q, c := range in.QuasiIdentifiers {
				row[q] = c.Codes[record]
			}
			row[m], row[m+1], row[m+2] = s.classOf(uint32(record)), s.pair[record], uint32(record)
		}
		return nil
	})
	return r
}

// cellsOf returns the cells of a bucket, stride to a row.
func (r *rows) cellsOf(b bucket) []uint32 { return r.cells[b.first*r.stride : b.end*r.stride] }

// split moves the rows of b with a code up to c.last to the front and returns the two parts.
func (r *rows) split(b bucket, c cut) (left, right bucket) {
	cells := r.cellsOf(b)
	i, j := 0, len(cells)-r.stride
	for {
		for i <= j && cells[i+c.attribute] <= c.last {
			i += r.stride
		}
		for i <= j && cells[j+c.attribute] > c.last {
			j -= r.stride
		}
		if i > j {
			middle := b.first + i/r.stride
			return bucket{b.first, middle}, bucket{middle, b.end}
		}
		left, right := cells[i:][:r.stride], cells[j:][:r.stride]
		for k := range left {
			left[k], right[k] = right[k], left[k]
		}
	}
}

// partition returns the buckets that begin at the given rows, ascending.
func (r *rows) partition(starts []int) *bucketization.Partition {
	n := len(r.cells) / r.stride
	p := &bucketization.Partition{Start: make([]uint32, 0, len(starts)+1), Member: make([]uint32, n)}
	for _, first := range starts {
		p.Start = append(p.Start, uint32(first))
	}
	p.Start = append(p.Start, uint32(n))
	for i := range p.Member {
		p.Member[i] = r.cells[i*r.stride+r.m+2]
	}
	return p
}
