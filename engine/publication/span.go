package publication

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Span is a cell of a relation of ranges: the values of the column's domain from Low to High, none if both are NULL; and NULL if Null is set.
type Span struct {
	Low, High anonymize.Value
	Null      bool
}

// spanOf converts three columns of a row.
func (c Column) spanOf(row []any) (s Span, err error) {
	if s.Low, err = c.value(row[0]); err != nil {
		return s, err
	}
	if s.High, err = c.value(row[1]); err != nil {
		return s, err
	}
	s.Null, _ = row[2].(bool)
	return s, nil
}

// CellsOf makes the distinct cells of spans over an ascending domain, in the order of their
// members; place has every span's cell. A span whose ends are not in the domain is an error.
// Cells that are stretches of the domain share one list.
func CellsOf(domain []anonymize.Value, spans []Span) (cells []anonymize.Cell, place []uint32, err error) {
	m := newMembers(domain)
	made, order := make([]anonymize.Cell, len(spans)), make([]int, len(spans))
	for i, s := range spans {
		var ok bool
		if made[i], ok = m.cell(s); !ok {
			return nil, nil, fmt.Errorf("a group has the range from %v to %v, whose ends are not among the values of the column", s.Low, s.High)
		}
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return slices.Compare(made[x].Members, made[y].Members) })
	cells, place = make([]anonymize.Cell, len(made)), make([]uint32, len(made))
	for at, i := range order {
		cells[at], place[i] = made[i], uint32(at)
	}
	return cells, place, nil
}

// members are lists of a domain's codes that cells share.
type members struct {
	domain   []anonymize.Value
	all      []uint32
	withNull map[int][]uint32 // NULL, and the codes from the key on
}

func newMembers(domain []anonymize.Value) *members {
	m := &members{domain: domain, all: anonymize.Indices(len(domain)), withNull: make(map[int][]uint32)}
	return m
}

// cell returns the cell of a span; false if an end is not in the domain.
func (m *members) cell(s Span) (c anonymize.Cell, ok bool) {
	if s.Null && (len(m.domain) == 0 || !m.domain[0].IsNull()) {
		return c, false
	}
	if s.Low.IsNull() || s.High.IsNull() {
		return anonymize.Cell{Label: anonymize.NullValue.String(), Members: m.all[:min(1, len(m.all))]}, s.Null && s.Low.IsNull() && s.High.IsNull()
	}
	first, found := slices.BinarySearchFunc(m.domain, s.Low, anonymize.Compare)
	last, foundLast := slices.BinarySearchFunc(m.domain, s.High, anonymize.Compare)
	if !found || !foundLast || last < first {
		return c, false
	}
	c = anonymize.Cell{Label: s.Low.String(), Members: m.all[first : last+1]}
	if first < last {
		c.Label = s.label()
	}
	if s.Null {
		c.Label, c.Members = "{NULL,"+c.Label+"}", m.codesFrom(first)[:last-first+2]
	}
	return c, true
}

// codesFrom returns NULL and the codes from first on.
func (m *members) codesFrom(first int) []uint32 {
	if first == 1 {
		return m.all
	}
	if m.withNull[first] == nil {
		m.withNull[first] = append([]uint32{0}, m.all[first:]...)
	}
	return m.withNull[first]
}

// label labels several values. A hyphen inside texts needs no care.
func (s Span) label() string {
	if s.Low.Kind == anonymize.Text {
		return "[" + s.Low.String() + "-" + s.High.String() + "]"
	}
	return anonymize.IntervalLabel(s.Low.String(), s.High.String())
}
