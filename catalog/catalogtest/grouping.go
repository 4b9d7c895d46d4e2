package catalogtest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Grouping is a minimal method for tests: it groups k records in their order, and its updates are sealed.
type Grouping int

// Start groups the records of a table; the last ones wait for a full group.
func (g Grouping) Start(columns []*anonymize.Column, keys []int64) *anonymize.Live {
	l := &anonymize.Live{Columns: columns, Key: keys, Group: make([]uint32, len(keys)), Kind: make([]anonymize.RecordKind, len(keys))}
	for i := range keys {
		if l.Group[i] = uint32(i / int(g)); i/int(g) == len(keys)/int(g) {
			l.Group[i] = anonymize.Waiting
		}
	}
	return l
}

type liveRow struct {
	key    int64
	group  uint32
	kind   anonymize.RecordKind
	values [2]anonymize.Value
}

// Next applies changes.
func (g Grouping) Next(l *anonymize.Live, ch *anonymize.Changed) *anonymize.Live {
	var rows []liveRow
	touched := make(map[int64]int)
	for i, key := range ch.Key {
		touched[key] = i
	}
	for i, key := range l.Key {
		row := liveRow{key, l.Group[i], l.Kind[i], [2]anonymize.Value{l.Columns[0].Value(i), l.Columns[1].Value(i)}}
		at, ok := touched[key]
		if ok && key != 0 {
			if r := ch.Row[at]; r >= 0 && ch.Columns[0].Value(r) == row.values[0] && ch.Columns[1].Value(r) == row.values[1] {
				delete(touched, key) // no change
			} else if row.group == anonymize.Waiting {
				continue
			} else {
				row.key, row.kind = 0, anonymize.ForgedByDeletion
			}
		}
		rows = append(rows, row)
	}
	for _, key := range slices.Sorted(maps.Keys(touched)) {
		if r := ch.Row[touched[key]]; r >= 0 {
			rows = append(rows, liveRow{key, anonymize.Waiting, anonymize.Person, [2]anonymize.Value{ch.Columns[0].Value(r), ch.Columns[1].Value(r)}})
		}
	}
	return g.settle(rows, l.Columns)
}

// settle drops groups without a person, groups waiting records and numbers the groups.
func (g Grouping) settle(rows []liveRow, columns []*anonymize.Column) *anonymize.Live {
	alive := make(map[uint32]bool)
	var waiting []int
	for i, row := range rows {
		alive[row.group] = alive[row.group] || row.kind == anonymize.Person
		if row.group == anonymize.Waiting {
			waiting = append(waiting, i)
		}
	}
	for n, i := range waiting[:len(waiting)/int(g)*int(g)] {
		rows[i].group = uint32(1<<20 + n/int(g))
		alive[rows[i].group] = true
	}
	number := map[uint32]uint32{anonymize.Waiting: anonymize.Waiting}
	l := &anonymize.Live{}
	var values [2][]anonymize.Value
	for _, row := range rows {
		if !alive[row.group] {
			continue
		}
		gid, ok := number[row.group]
		if !ok {
			gid = uint32(len(number) - 1)
			number[row.group] = gid
		}
		l.Key, l.Group, l.Kind = append(l.Key, row.key), append(l.Group, gid), append(l.Kind, row.kind)
		for j := range values {
			values[j] = append(values[j], row.values[j])
		}
	}
	for j, c := range columns {
		l.Columns = append(l.Columns, anonymize.NewColumn(c.Name, c.Type, values[j]))
	}
	return l
}

// Release publishes the groups: every column a fragment.
func (g Grouping) Release(l *anonymize.Live) *anonymize.Release {
	r := &anonymize.Release{Method: "test"}
	_, r.Forged = l.Count()
	for _, gid := range l.Group {
		if gid == anonymize.Waiting {
			continue
		}
		for int(gid) >= len(r.GroupSizes) {
			r.GroupSizes = append(r.GroupSizes, 0)
		}
		r.GroupSizes[gid]++
		r.Rows++
	}
	for j, c := range l.Columns {
		counts := make(map[[2]uint32]uint32)
		for i, gid := range l.Group {
			if gid != anonymize.Waiting {
				counts[[2]uint32{gid, c.Codes[i]}]++
			}
		}
		f := &anonymize.Fragment{Name: fmt.Sprint("f", j),
			Role: []anonymize.FragmentRole{anonymize.QuasiIdentifying, anonymize.Sensitive}[j], GroupStart: make([]uint32, len(r.GroupSizes)+1)}
		column := &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary}
		tuples := slices.SortedFunc(maps.Keys(counts), func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
		for _, tuple := range tuples {
			f.GroupStart[tuple[0]+1]++
			f.Count = append(f.Count, counts[tuple])
			column.Codes = append(column.Codes, tuple[1])
		}
		for gid := range r.GroupSizes {
			f.GroupStart[gid+1] += f.GroupStart[gid]
		}
		f.Columns = []*anonymize.FragmentColumn{column}
		r.Fragments = append(r.Fragments, f)
	}
	return r
}
