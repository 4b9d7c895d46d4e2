package publication

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// anonymity is k: how many records the relation of ranges shows with the same ranges, at least, in whichever groups (Samarati 2001).
func (a *Attempt) anonymity(ctx context.Context, promised anonymize.Promise) (anonymize.Guarantee, error) {
	g := anonymize.Guarantee{Name: "k", Required: &promised.Bound, WorstGroup: -1}
	r := a.Fragments[0]
	var names []string
	for _, name := range r.stored() {
		names = append(names, a.engine.Dialect.Name(name))
	}
	err := a.engine.Conn.Query(ctx, fmt.Sprintf("SELECT min(records), min_by(gid, records) FROM (SELECT min(gid) AS gid, %s AS records FROM %s GROUP BY %s) AS shown",
		a.records(), a.relation(r), strings.Join(names, ", ")), func(row []any) error {
		k, err := whole(row[0])
		if err != nil {
			return err
		}
		gid, err := whole(row[1])
		g.Achieved, g.WorstGroup, g.Detail = float64(k), int(gid), fmt.Sprintf("%d records are shown alike", k)
		g.Holds = uint64(k) >= promised.Bound.Num
		return err
	})
	return g, err
}

// within wants that every record of the assignment lies in the ranges of its group.
func (a *Attempt) within(ctx context.Context, r Relation) error {
	released := a.plan.released()
	var outside []string
	for _, c := range r.Columns {
		of, name := "a."+attribute(slices.Index(released, c)), func(ending string) string { return "r." + a.engine.Dialect.Name(c.Name+ending) }
		outside = append(outside, fmt.Sprintf("%s IS NULL AND NOT %s OR %s < %s OR %s > %s OR %s IS NOT NULL AND %s IS NULL",
			of, name(null), of, name(low), of, name(high), of, name(low)))
	}
	n, err := a.one(ctx, fmt.Sprintf("SELECT count(*) FROM %s AS a LEFT JOIN %s AS r ON r.gid = a.gid WHERE r.gid IS NULL OR %s", a.table(a.source), a.relation(r), strings.Join(outside, " OR ")))
	if err == nil && n > 0 {
		err = fmt.Errorf("the release was not accepted: %d records lie outside of the ranges of their groups", n)
	}
	return err
}

// A span is a cell as a relation of ranges has it.
type span struct {
	low, high anonymize.Value
	null      bool
}

// spanOf reads three columns.
func (c Column) spanOf(row []any) (s span, err error) {
	if s.low, err = c.value(row[0]); err != nil {
		return s, err
	}
	if s.high, err = c.value(row[1]); err != nil {
		return s, err
	}
	s.null, _ = row[2].(bool)
	return s, nil
}

// cell is the cell of a span over a domain, ascending. It is false where an end is no value of the domain.
func (s span) cell(domain []anonymize.Value) (c anonymize.Cell, ok bool) {
	if s.null {
		if len(domain) == 0 || !domain[0].IsNull() {
			return c, false
		}
		c.Members = []uint32{0}
	}
	if s.low.IsNull() {
		c.Label = anonymize.NullValue.String()
		return c, s.null
	}
	first, found := slices.BinarySearchFunc(domain, s.low, anonymize.Compare)
	last, foundLast := slices.BinarySearchFunc(domain, s.high, anonymize.Compare)
	if !found || !foundLast || last < first {
		return c, false
	}
	for code := first; code <= last; code++ {
		c.Members = append(c.Members, uint32(code))
	}
	c.Label = s.low.String()
	if first < last {
		c.Label = s.label()
	}
	if s.null {
		c.Label = "{NULL," + c.Label + "}"
	}
	return c, true
}

// label is that of several values. Hyphens of texts say nothing.
func (s span) label() string {
	if s.low.Kind == anonymize.Text {
		return "[" + s.low.String() + "-" + s.high.String() + "]"
	}
	return anonymize.IntervalLabel(s.low.String(), s.high.String())
}

// pullRanges is pull of a relation of ranges.
func (a *Attempt) pullRanges(ctx context.Context, r Relation, every int64) (*anonymize.Fragment, []int64, error) {
	names := []string{"gid"}
	for _, name := range r.stored() {
		names = append(names, a.engine.Dialect.Name(name))
	}
	names = append(names, a.count())
	var tuples []tuple
	numbers, spans := make([]map[span]uint32, len(r.Columns)), make([][]span, len(r.Columns))
	err := a.engine.Conn.Query(ctx, fmt.Sprintf("SELECT %s FROM %s WHERE mod(gid, %d) = 0", strings.Join(names, ", "), a.relation(r), every), func(row []any) error {
		t, err := newTuple(row, len(r.Columns))
		if err != nil {
			return err
		}
		for i, c := range r.Columns {
			s, err := c.spanOf(row[1+3*i : 4+3*i])
			if err != nil {
				return err
			}
			if numbers[i] == nil {
				numbers[i] = make(map[span]uint32)
			}
			number, known := numbers[i][s]
			if !known {
				number = uint32(len(spans[i]))
				numbers[i][s], spans[i] = number, append(spans[i], s)
			}
			t.codes[i] = number
		}
		tuples = append(tuples, t)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	f := &anonymize.Fragment{Name: r.Fragment(), Role: r.Role}
	for i, c := range r.Columns {
		domain, err := a.readDomain(ctx, r, i)
		if err != nil {
			return nil, nil, err
		}
		column, place, err := columnOf(c, domain, spans[i])
		if err != nil {
			return nil, nil, err
		}
		for t := range tuples {
			tuples[t].codes[i] = place[tuples[t].codes[i]]
		}
		f.Columns = append(f.Columns, column)
	}
	return f, lay(f, tuples), nil
}

// columnOf makes cells of spans, in the order of their members. place is where a span's is.
func columnOf(c Column, domain []anonymize.Value, spans []span) (column *anonymize.FragmentColumn, place []uint32, err error) {
	cells, order := make([]anonymize.Cell, len(spans)), make([]int, len(spans))
	for i, s := range spans {
		var ok bool
		if cells[i], ok = s.cell(domain); !ok {
			return nil, nil, fmt.Errorf("the release was not accepted: a group has the range %v of column %q, whose ends are not among its values", s, c.Name)
		}
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return slices.Compare(cells[x].Members, cells[y].Members) })
	column = &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: domain, Cells: make([]anonymize.Cell, len(cells))}
	place = make([]uint32, len(cells))
	for at, i := range order {
		column.Cells[at], place[i] = cells[i], uint32(at)
	}
	return column, place, nil
}
