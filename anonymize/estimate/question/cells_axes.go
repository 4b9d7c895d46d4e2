package question

import (
	"context"
	"encoding/binary"

	"github.com/anonsql/anonsql/anonymize"
)

// An axis numbers the values of a column: two values have equal numbers if a leaf over several
// columns treats them alike, whatever the other values are.
type axis []uint32

// axesOf returns the axes of a leaf's columns. If the combinations of values are few, it
// evaluates the leaf on all; else every value has its own number.
func (l *Leaf) axesOf(ctx context.Context, f *anonymize.Fragment) ([]axis, error) {
	size := 1
	for _, c := range l.Columns {
		size = min(maxProduct+1, size*len(f.Columns[c].Dictionary))
	}
	axes := make([]axis, len(l.Columns))
	if size > maxProduct {
		for i, c := range l.Columns {
			axes[i] = anonymize.Indices(len(f.Columns[c].Dictionary))
		}
		return axes, nil
	}
	table := make([]uint32, size)
	numbering := NewTupleNumbering(2)
	values := make([]anonymize.Value, len(l.Columns))
	work := Checkpoint{Ctx: ctx}
	for at := range table {
		if err := work.Pass(WorkPerEvaluation); err != nil {
			return nil, err
		}
		rest := at
		for i, c := range l.Columns {
			values[i] = f.Columns[c].Dictionary[rest%len(f.Columns[c].Dictionary)]
			rest /= len(f.Columns[c].Dictionary)
		}
		table[at] = numbering.Number(distinguish([]Outcome{l.Outcome(values), {}}))
	}
	stride := 1
	for i, c := range l.Columns {
		n := len(f.Columns[c].Dictionary)
		axes[i] = newAxis(table, n, stride)
		stride *= n
	}
	return axes, nil
}

// newAxis numbers the n slices of a table along a dimension. Cost: one pass over the table.
func newAxis(table []uint32, n, stride int) axis {
	numbers := make(map[string]uint32)
	list := make(axis, n)
	var slice []byte
	for v := range list {
		slice = slice[:0]
		for first := v * stride; first < len(table); first += n * stride {
			for _, id := range table[first : first+stride] {
				slice = binary.LittleEndian.AppendUint32(slice, id)
			}
		}
		number, ok := numbers[string(slice)]
		if !ok {
			number = uint32(len(numbers))
			numbers[string(slice)] = number
		}
		list[v] = number
	}
	return list
}
