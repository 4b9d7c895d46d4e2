package units

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// copied is the i-th fragment of the strata's releases, one after the other: of a tuple of u units with n records each it tells u n
// records. Strata have dictionaries and cells of their own, which become one.
func (r *run) copied(t *table, i int) (*anonymize.Fragment, error) {
	first := r.divided[0].release.Fragments[i]
	f := &anonymize.Fragment{Name: first.Name, Role: first.Role, GroupStart: make([]uint32, 1, len(t.origin)+1)}
	columns := make([]*unitedColumn, len(first.Columns))
	for j := range columns {
		var parts []*anonymize.FragmentColumn
		for _, d := range r.divided {
			parts = append(parts, d.release.Fragments[i].Columns[j])
		}
		columns[j] = unite(parts)
		f.Columns = append(f.Columns, columns[j].column)
	}
	var tuples []uint32 // of the group at hand
	for _, o := range t.origin {
		d := r.divided[o.division]
		of := d.release.Fragments[i]
		tuples = tuples[:0]
		for tuple := of.GroupStart[o.group]; tuple < of.GroupStart[o.group+1]; tuple++ {
			tuples = append(tuples, tuple)
		}
		slices.SortFunc(tuples, func(a, b uint32) int {
			for j, c := range of.Columns {
				if x, y := columns[j].to[o.division][c.Codes[a]], columns[j].to[o.division][c.Codes[b]]; x != y {
					return int(x) - int(y)
				}
			}
			return 0
		})
		for _, tuple := range tuples {
			f.Units = append(f.Units, of.Count[tuple])
			f.Count = append(f.Count, of.Count[tuple]*uint32(d.records))
			for j, c := range of.Columns {
				f.Columns[j].Codes = append(f.Columns[j].Codes, columns[j].to[o.division][c.Codes[tuple]])
			}
		}
		f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
	}
	return f, nil
}

// A unitedColumn is one column for several, and to has the code there of every code of each.
type unitedColumn struct {
	column *anonymize.FragmentColumn
	to     [][]uint32
}

func unite(parts []*anonymize.FragmentColumn) *unitedColumn {
	u := &unitedColumn{column: &anonymize.FragmentColumn{Name: parts[0].Name, Type: parts[0].Type}}
	for _, p := range parts {
		u.column.Dictionary = append(u.column.Dictionary, p.Dictionary...)
	}
	slices.SortFunc(u.column.Dictionary, anonymize.Compare)
	u.column.Dictionary = slices.Compact(u.column.Dictionary)
	points := !slices.ContainsFunc(parts, func(p *anonymize.FragmentColumn) bool { return !p.IsPoint() })
	known := make(map[string]uint32)
	for _, p := range parts {
		values := make([]uint32, len(p.Dictionary))
		for code, v := range p.Dictionary {
			at, _ := slices.BinarySearchFunc(u.column.Dictionary, v, anonymize.Compare)
			values[code] = uint32(at)
		}
		if points {
			u.to = append(u.to, values)
			continue
		}
		u.to = append(u.to, u.cells(p, values, known))
	}
	return u
}

// cells adds the cells of one of the columns, whose values are numbered by values, and returns their numbers.
func (u *unitedColumn) cells(p *anonymize.FragmentColumn, values []uint32, known map[string]uint32) (to []uint32) {
	for _, c := range cellsOf(p) {
		united := anonymize.Cell{Label: c.Label, Weights: c.Weights, Members: make([]uint32, len(c.Members))}
		key := []byte(c.Label)
		for i, m := range c.Members {
			united.Members[i] = values[m] // ascending, as dictionaries are
			key = binary.LittleEndian.AppendUint32(key, values[m])
		}
		for _, w := range c.Weights {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(w))
		}
		number, again := known[string(key)]
		if !again {
			number = uint32(len(u.column.Cells))
			known[string(key)] = number
			u.column.Cells = append(u.column.Cells, united)
		}
		to = append(to, number)
	}
	return to
}

// cellsOf are the cells of a column; one for each value where cells are values.
func cellsOf(c *anonymize.FragmentColumn) []anonymize.Cell {
	if !c.IsPoint() {
		return c.Cells
	}
	cells := make([]anonymize.Cell, len(c.Dictionary))
	for code, v := range c.Dictionary {
		cells[code] = anonymize.Cell{Label: v.String(), Members: []uint32{uint32(code)}}
	}
	return cells
}
