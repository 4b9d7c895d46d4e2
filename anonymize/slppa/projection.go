package slppa

import (
	"context"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A projection numbers the distinct sub-tuples of one table's columns, in the
// order of their codes, column by column. So sorting numbers sorts sub-tuples,
// and counting sub-tuples is counting in an array.
type projection struct {
	columns   []*anonymize.Column
	id        []uint32 // the sub-tuple of every record
	frequency []uint32 // records of every sub-tuple; 0 for a code that no record has
	sample    []uint32 // a record of every sub-tuple with records
}

// project numbers the sub-tuples of every table, tables side by side.
func project(ctx context.Context, tables []qiTable) ([]*projection, error) {
	projections := make([]*projection, len(tables))
	err := share(len(tables), func(t int) (err error) {
		projections[t], err = newProjection(ctx, tables[t].columns)
		return err
	})
	return projections, err
}

// newProjection takes one column after the other: the pair (number so far, next
// code) gets the next number.
func newProjection(ctx context.Context, columns []*anonymize.Column) (*projection, error) {
	p := &projection{columns: columns, id: columns[0].Codes}
	distinct := len(columns[0].Dictionary)
	for i, c := range columns[1:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i == 0 { // the codes are the caller's
			p.id = append([]uint32(nil), p.id...)
		}
		if cells := uint64(distinct) * uint64(len(c.Dictionary)); cells <= uint64(max(1<<16, 4*len(p.id))) {
			distinct = numberDense(p.id, c.Codes, len(c.Dictionary), int(cells))
		} else {
			distinct = numberSparse(p.id, distinct, c.Codes, len(c.Dictionary))
		}
	}
	p.frequency, p.sample = make([]uint32, distinct), make([]uint32, distinct)
	for record, id := range p.id {
		p.frequency[id]++
		p.sample[id] = uint32(record)
	}
	return p, ctx.Err()
}

// numberDense replaces id by the rank of the pair (id, code) among the pairs
// that occur, with an array of all pairs there could be, and returns their
// number. O(rows + cells).
func numberDense(id, codes []uint32, width, cells int) int {
	rank := make([]uint32, cells)
	for record, code := range codes {
		pair := id[record]*uint32(width) + code
		id[record] = pair
		rank[pair] = 1
	}
	distinct := uint32(0)
	for pair, occurs := range rank {
		rank[pair] = distinct
		distinct += occurs
	}
	for record, pair := range id {
		id[record] = rank[pair]
	}
	return int(distinct)
}

// numberSparse does the same for pairs too many for an array: two counting
// sorts bring equal pairs together. O(rows + distinct + width).
func numberSparse(id []uint32, distinct int, codes []uint32, width int) int {
	all := make([]uint32, len(id))
	for record := range all {
		all[record] = uint32(record)
	}
	order := countingSort(countingSort(all, codes, width), id, distinct)
	number := make([]uint32, len(id))
	next := uint32(0)
	for i, record := range order {
		if i > 0 {
			if last := order[i-1]; id[last] != id[record] || codes[last] != codes[record] {
				next++
			}
		}
		number[record] = next
	}
	copy(id, number)
	return int(next) + 1
}

// countingSort returns the records in ascending order of key, stable.
func countingSort(records, key []uint32, width int) []uint32 {
	place := starts(records, key, width)
	sorted := make([]uint32, len(records))
	for _, record := range records {
		sorted[place[key[record]]] = record
		place[key[record]]++
	}
	return sorted
}

// starts returns, for width+1 keys, how many of the records have a lower one.
func starts(records, key []uint32, width int) []uint32 {
	start := make([]uint32, width+1)
	for _, record := range records {
		start[key[record]+1]++
	}
	for k := range width {
		start[k+1] += start[k]
	}
	return start
}

// mostFrequent returns the first sub-tuple of greatest frequency.
func (p *projection) mostFrequent() (id int, frequency uint32) {
	for i, n := range p.frequency {
		if n > frequency {
			id, frequency = i, n
		}
	}
	return id, frequency
}

// describe writes a sub-tuple as "age = 30 and sex = 'F'".
func (p *projection) describe(id int) string {
	terms := make([]string, len(p.columns))
	for i, c := range p.columns {
		terms[i] = c.Name + " = " + quoted(c.Value(int(p.sample[id])))
	}
	return strings.Join(terms, " and ")
}

// quoted writes texts in quotes and other values as they are.
func quoted(v anonymize.Value) string {
	if v.Kind == anonymize.Text {
		return "'" + v.Text + "'"
	}
	return v.String()
}
