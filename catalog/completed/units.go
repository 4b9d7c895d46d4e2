package completed

// A UnitNumbering numbers the units of completed tables, from 1 in each.
type UnitNumbering struct {
	before []int64 // units before the groups
	starts []int   // rows before the groups
	group  int
	of     []uint16 // units of the table's rows in their groups
	table  int
	row    int
}

// NewUnitNumbering returns a numbering before the first row of a table.
func NewUnitNumbering(sizes, units []uint32) *UnitNumbering {
	n := &UnitNumbering{before: []int64{0}, starts: []int{0}, table: -1}
	for g, size := range sizes {
		n.starts = append(n.starts, n.starts[g]+int(size))
		n.before = append(n.before, n.before[g]+int64(units[g]))
	}
	return n
}

// Next returns the number of the next row's unit.
func (n *UnitNumbering) Next() int64 {
	for n.row >= n.starts[n.group+1] {
		n.group++
	}
	number := n.before[n.group] + int64(n.of[n.row]) + 1
	n.row++
	return number
}

// Begin begins a table.
func (n *UnitNumbering) Begin(table int, of []uint16) {
	n.table, n.of, n.group, n.row = table, of, 0, 0
}

// IsOf reports whether the numbering is inside a table.
func (n *UnitNumbering) IsOf(table int) bool { return n.table == table }
