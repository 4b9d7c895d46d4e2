package bucketization

import (
	"context"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A Projection numbers the distinct sub-tuples of a table's columns in the lexicographic order
// of their codes. So sorting numbers sorts sub-tuples, and an array can count them.
type Projection struct {
	Columns   []*anonymize.Column
	ID        []uint32 // the sub-tuple of every record
	Frequency []uint32 // records of every sub-tuple; 0 for a code without records
	Sample    []uint32 // a record of every sub-tuple that has any
}

// NewProjection numbers the sub-tuples of columns, column by column: the pair (number so far,
// next code) gets the next number.
func NewProjection(ctx context.Context, columns []*anonymize.Column) (*Projection, error) {
	p := &Projection{Columns: columns, ID: columns[0].Codes}
	distinct := len(columns[0].Dictionary)
	for i, c := range columns[1:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i == 0 { // the codes belong to the caller
			p.ID = append([]uint32(nil), p.ID...)
		}
		if cells := uint64(distinct) * uint64(len(c.Dictionary)); cells <= uint64(max(1<<16, 4*len(p.ID))) {
			distinct = numberDense(p.ID, c.Codes, len(c.Dictionary), int(cells))
		} else {
			distinct = numberSparse(p.ID, distinct, c.Codes, len(c.Dictionary))
		}
	}
	p.count(distinct)
	return p, ctx.Err()
}

// numberDense replaces id by the rank of the pair (id, code) among the occurring pairs, with an
// array of all possible pairs, and returns their number. O(rows + cells).
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

// numberSparse does the same for pairs that are too many for an array: two counting sorts bring
// equal pairs together. O(rows + distinct + width).
func numberSparse(id []uint32, distinct int, codes []uint32, width int) int {
	all := anonymize.Indices(len(id))
	order := CountingSort(CountingSort(all, codes, width), id, distinct)
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

// CountingSort returns the records in ascending order of key, stable.
func CountingSort(records, key []uint32, width int) []uint32 {
	place := Starts(records, key, width)
	sorted := make([]uint32, len(records))
	for _, record := range records {
		sorted[place[key[record]]] = record
		place[key[record]]++
	}
	return sorted
}

// Starts returns, for width+1 keys, the number of records with a lower key.
func Starts(records, key []uint32, width int) []uint32 {
	start := make([]uint32, width+1)
	for _, record := range records {
		start[key[record]+1]++
	}
	for k := range width {
		start[k+1] += start[k]
	}
	return start
}

// MostFrequent returns the first sub-tuple of greatest frequency.
func (p *Projection) MostFrequent() (id int, frequency uint32) {
	for i, n := range p.Frequency {
		if n > frequency {
			id, frequency = i, n
		}
	}
	return id, frequency
}

// Describe returns "age = 30 and sex = 'F'" for a sub-tuple.
func (p *Projection) Describe(id int) string {
	terms := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		terms[i] = c.Name + " = " + quoted(c.Value(int(p.Sample[id])))
	}
	return strings.Join(terms, " and ")
}

// quoted quotes texts and returns other values unchanged.
func quoted(v anonymize.Value) string {
	if v.Kind == anonymize.Text {
		return "'" + v.Text + "'"
	}
	return v.String()
}

// ProjectionOn returns the projection on one column: its sub-tuples are its codes. O(rows).
func ProjectionOn(column *anonymize.Column) *Projection {
	p := &Projection{Columns: []*anonymize.Column{column}, ID: column.Codes}
	p.count(len(column.Dictionary))
	return p
}

// count sets Frequency and Sample.
func (p *Projection) count(distinct int) {
	p.Frequency, p.Sample = make([]uint32, distinct), make([]uint32, distinct)
	for record, id := range p.ID {
		p.Frequency[id]++
		p.Sample[id] = uint32(record)
	}
}

// Uniques returns the number of sub-tuples with one record, and of those with any.
func (p *Projection) Uniques() (once, distinct int) {
	for _, n := range p.Frequency {
		switch {
		case n == 1:
			once++
			distinct++
		case n > 1:
			distinct++
		}
	}
	return once, distinct
}
