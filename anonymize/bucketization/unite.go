package bucketization

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// An Origin locates a group of a united release: its part, and the gid there.
type Origin struct{ Part, Group int }

// Unite combines groups of several releases into one: group g is that of origins[g], with its cells and
// counts. The parts must have fragments with the same columns; types are those of the first part. The
// error names a column that differs. Promises, facts, counterfeits and models are the caller's.
func Unite(parts []*anonymize.Release, origins []Origin) (*anonymize.Release, error) {
	first := parts[0]
	united := &anonymize.Release{Method: first.Method}
	for _, o := range origins {
		part := parts[o.Part]
		size := part.GroupSizes[o.Group]
		united.Rows += int(size)
		united.GroupSizes = append(united.GroupSizes, size)
		if part.Units != nil {
			united.Units = append(united.Units, part.Units[o.Group])
		}
	}
	for i, f := range first.Fragments {
		fragments := make([]*anonymize.Fragment, len(parts))
		for p, part := range parts {
			if len(part.Fragments) != len(first.Fragments) {
				return nil, fmt.Errorf("a part has %d fragments, the first has %d", len(part.Fragments), len(first.Fragments))
			}
			fragments[p] = part.Fragments[i]
			if err := sameColumns(f, fragments[p]); err != nil {
				return nil, err
			}
		}
		united.Fragments = append(united.Fragments, UniteFragments(fragments, origins))
	}
	return united, nil
}

// sameColumns verifies that two fragments publish the same columns, the second as values if the first does.
func sameColumns(f, other *anonymize.Fragment) error {
	if f.Name != other.Name || f.Role != other.Role || len(f.Columns) != len(other.Columns) {
		return fmt.Errorf("fragment %s of %d columns is %s of %d in another part", f.Name, len(f.Columns), other.Name, len(other.Columns))
	}
	for i, c := range f.Columns {
		if d := other.Columns[i]; c.Name != d.Name || c.IsPoint() && !d.IsPoint() {
			return fmt.Errorf("fragment %s publishes %s, and another part %s, or not as values", f.Name, c.Name, d.Name)
		}
	}
	return nil
}

// UniteFragments is [Unite] for fragments of the same columns. It merges dictionaries,
// restricted to values in the groups' cells, and cells with equal label, members and weights.
func UniteFragments(parts []*anonymize.Fragment, origins []Origin) *anonymize.Fragment {
	first := parts[0]
	f := &anonymize.Fragment{Name: first.Name, Role: first.Role, GroupStart: make([]uint32, 1, len(origins)+1)}
	columns := make([]*unitedColumn, len(first.Columns))
	for j := range columns {
		columns[j] = uniteColumn(parts, origins, j)
		f.Columns = append(f.Columns, columns[j].column)
	}
	var tuples []uint32
	for _, o := range origins {
		part := parts[o.Part]
		tuples = tuples[:0]
		for tuple := part.GroupStart[o.Group]; tuple < part.GroupStart[o.Group+1]; tuple++ {
			tuples = append(tuples, tuple)
		}
		slices.SortFunc(tuples, func(a, b uint32) int {
			for j, c := range part.Columns {
				if order := cmp.Compare(columns[j].to[o.Part][c.Codes[a]], columns[j].to[o.Part][c.Codes[b]]); order != 0 {
					return order
				}
			}
			return 0
		})
		for _, tuple := range tuples {
			f.Count = append(f.Count, part.Count[tuple])
			if part.Units != nil {
				f.Units = append(f.Units, part.Units[tuple])
			}
			for j, c := range part.Columns {
				f.Columns[j].Codes = append(f.Columns[j].Codes, columns[j].to[o.Part][c.Codes[tuple]])
			}
		}
		f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
	}
	return f
}

// A unitedColumn combines the column of several parts: to has, by part, the new code of every used code.
type unitedColumn struct {
	column *anonymize.FragmentColumn
	to     [][]uint32
	known  map[string]uint32 // numbers of cells
}

func uniteColumn(parts []*anonymize.Fragment, origins []Origin, j int) *unitedColumn {
	model := parts[0].Columns[j]
	u := &unitedColumn{column: &anonymize.FragmentColumn{Name: model.Name, Type: model.Type, Constant: true, Spans: model.Spans},
		known: make(map[string]uint32)}
	used, points := usedCodes(parts, origins, j), true
	for p, part := range parts {
		c := part.Columns[j]
		points = points && c.IsPoint()
		if used[p] == nil {
			continue
		}
		u.column.Constant = u.column.Constant && c.Constant
		u.column.Dictionary = mergeValues(u.column.Dictionary, usedValues(c, used[p]))
	}
	for p, part := range parts {
		c := part.Columns[j]
		if used[p] == nil {
			u.to = append(u.to, nil)
			continue
		}
		values := TranslateValues(c.Dictionary, u.column.Dictionary)
		if !points {
			values = u.addCells(c, values, used[p])
		}
		u.to = append(u.to, values)
	}
	return u
}

// usedValues returns the values of a column's used codes, ascending.
func usedValues(c *anonymize.FragmentColumn, used []bool) (values []anonymize.Value) {
	if !c.IsPoint() {
		of := make([]bool, len(c.Dictionary))
		for code, cell := range c.Cells {
			for i := 0; used[code] && i < len(cell.Members); i++ {
				of[cell.Members[i]] = true
			}
		}
		used = of
	}
	for code, v := range c.Dictionary {
		if used[code] {
			values = append(values, v)
		}
	}
	return values
}

// mergeValues returns the values of two ascending dictionaries, each once.
func mergeValues(a, b []anonymize.Value) []anonymize.Value {
	merged := make([]anonymize.Value, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		order := anonymize.Compare(a[0], b[0])
		if order <= 0 {
			merged = append(merged, a[0])
			a = a[1:]
		} else {
			merged = append(merged, b[0])
		}
		if order >= 0 {
			b = b[1:]
		}
	}
	return append(append(merged, a...), b...)
}

// TranslateValues returns, by index in an ascending dictionary, the index of the first value in another one that is not less.
func TranslateValues(dictionary, other []anonymize.Value) []uint32 {
	to, at := make([]uint32, len(dictionary)), 0
	for code, v := range dictionary {
		for at < len(other) && anonymize.Compare(other[at], v) < 0 {
			at++
		}
		to[code] = uint32(at)
	}
	return to
}

// usedCodes returns, by part, the codes of its column that the groups have; nil for a part without groups.
func usedCodes(parts []*anonymize.Fragment, origins []Origin, j int) [][]bool {
	used := make([][]bool, len(parts))
	for _, o := range origins {
		part := parts[o.Part]
		c := part.Columns[j]
		if used[o.Part] == nil {
			used[o.Part] = make([]bool, max(len(c.Dictionary), len(c.Cells)))
		}
		for tuple := part.GroupStart[o.Group]; tuple < part.GroupStart[o.Group+1]; tuple++ {
			used[o.Part][c.Codes[tuple]] = true
		}
	}
	return used
}

// addCells adds the used cells of a part's column, whose values are numbered by values, and returns their numbers.
func (u *unitedColumn) addCells(c *anonymize.FragmentColumn, values []uint32, used []bool) (to []uint32) {
	cells := cellsOf(c)
	to = make([]uint32, len(cells))
	for code, of := range cells {
		if !used[code] {
			continue
		}
		united := anonymize.Cell{Label: of.Label, Weights: of.Weights, Members: make([]uint32, len(of.Members))}
		key := []byte(of.Label)
		for i, m := range of.Members {
			united.Members[i] = values[m] // ascending, as dictionaries are
			key = binary.LittleEndian.AppendUint32(key, values[m])
		}
		for _, w := range of.Weights {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(w))
		}
		number, again := u.known[string(key)]
		if !again {
			number = uint32(len(u.column.Cells))
			u.known[string(key)] = number
			u.column.Cells = append(u.column.Cells, united)
		}
		to[code] = number
	}
	return to
}

// cellsOf returns the cells of a column; one per value if cells are points.
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
