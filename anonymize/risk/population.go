package risk

import (
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// Matches are the persons of a population in the classes of a release.
type Matches struct {
	// Records has, by class, the number of persons that its cells cover.
	Records []uint64
	// Population is the number of persons, Uncovered the number with quasi-identifiers that no class covers, and Unique the number with
	// quasi-identifiers that nobody else has.
	Population, Uncovered, Unique uint64
	// Several is the first class that shares a record of the population with a later one; -1 if
	// there is none.
	Several int
}

// Match counts the records of a population, which has columns with the names of the release's
// quasi-identifiers. A cell covers its members; if they are neighbours in a dictionary of numbers, also
// everything between the least and the greatest; and if it is "*" for all of them, everything. Match fails if a
// class has more records than the population, which then does not include the table. units has the person of
// each row of the population; nil if every row is a person. If ctx ends, Match returns its error.
//
// Cost: a pass over the population, and for every distinct combination of its values the tree
// nodes of covering cells. If cells overlap so much that thousands of classes cover each
// person, that is minutes for a million persons.
func (c *Classes) Match(ctx context.Context, population *anonymize.Microdata, units []uint32) (*Matches, error) {
	m := &Matches{Records: make([]uint64, len(c.Records)), Population: uint64(population.Rows), Several: -1}
	cells := make([]*coverage, len(c.Fragment.Columns))
	codes, raw := make([][]uint32, len(cells)), make([][]uint32, len(cells))
	for i, column := range c.Fragment.Columns {
		of := population.Column(column.Name)
		if of == nil {
			return nil, fmt.Errorf("it has no column %s", column.Name)
		}
		cells[i] = newCoverage(column, of)
		raw[i], codes[i] = of.Codes, anonymize.Gather(cells[i].kind, of.Codes)
	}
	persons, owners := population.Rows, units
	if units != nil {
		m.Population = uint64(slices.Max(units)) + 1
		codes = oncePerUnit(append(codes, units), units)
		codes, owners = codes[:len(cells)], codes[len(cells)]
		persons = len(owners)
		raw = oncePerUnit(append(raw, units), units)
		raw, units = raw[:len(cells)], raw[len(cells)]
	}
	m.Unique = uniques(raw, units)
	combinations, distinct := anonymize.NumberRows(codes, persons)
	records, first := make([]uint64, distinct), make([]int, distinct)
	for row, n := range combinations {
		records[n]++
		first[n] = row
	}
	of := &crowd{cells, codes, first, records, make([]uint32, distinct)}
	if err := c.count(ctx, m, of); err != nil {
		return nil, err
	}
	if uint64(persons) > m.Population {
		if m.Several >= 0 {
			return nil, fmt.Errorf("some of its persons have several quasi-identifiers, and classes overlap, one of them that of %s: nobody knows whom two classes have", c.Describe(m.Several))
		}
		m.countUnits(of.class, combinations, owners)
	}
	return m, c.countMatches(m)
}

// countUnits counts each unit once in each class of its rows, and once if no class covers some of them.
func (m *Matches) countUnits(classOf, combinations, units []uint32) {
	classes := anonymize.Gather(classOf, combinations)
	clear(m.Records)
	m.Uncovered = 0
	for _, class := range oncePerUnit([][]uint32{classes}, units)[0] {
		if class == 0 {
			m.Uncovered++
		} else {
			m.Records[class-1]++
		}
	}
}

// oncePerUnit keeps one of the equal rows of a unit.
func oncePerUnit(columns [][]uint32, units []uint32) [][]uint32 {
	number, distinct := anonymize.NumberRows(append(slices.Clone(columns), units), len(units))
	once := make([][]uint32, len(columns))
	for i, codes := range columns {
		once[i] = make([]uint32, distinct)
		for row, n := range number {
			once[i][n] = codes[row]
		}
	}
	return once
}

// A crowd is the distinct combinations of a population: a row of each, its number of persons, and 1 + the last class that covers it, or 0.
type crowd struct {
	cells   []*coverage
	codes   [][]uint32
	row     []int
	persons []uint64
	class   []uint32
}

// chunk is the number of combinations of a parallel task.
const chunk = 1024

// count finds the classes of every combination, in parallel.
func (c *Classes) count(ctx context.Context, m *Matches, of *crowd) error {
	tree := c.tree()
	newPart := func(int) *Matches { return &Matches{Records: make([]uint64, len(m.Records)), Several: -1} }
	parts, err := parallel.Collect(ctx, parallel.All, (len(of.row)+chunk-1)/chunk, newPart, func(part *Matches, task int) error {
		part.take(tree, of, task*chunk, min((task+1)*chunk, len(of.row)))
		return nil
	})
	for _, part := range parts {
		m.Uncovered += part.Uncovered
		if part.Several >= 0 && (m.Several < 0 || part.Several < m.Several) {
			m.Several = part.Several
		}
		for class, n := range part.Records {
			m.Records[class] += n
		}
	}
	return err
}

// take counts the combinations at [first, end).
func (m *Matches) take(tree *node, of *crowd, first, end int) {
	var found []uint32
	for n := first; n < end; n++ {
		found = tree.covering(found[:0], of.cells, of.codes, of.row[n], 0)
		if len(found) == 0 {
			m.Uncovered += of.persons[n]
		}
		if len(found) > 1 {
			if least := int(slices.Min(found)); m.Several < 0 || least < m.Several {
				m.Several = least
			}
		}
		for _, class := range found {
			m.Records[class] += of.persons[n]
			of.class[n] = 1 + class
		}
	}
}

// countMatches requires that the population has at least as many records as every class.
func (c *Classes) countMatches(m *Matches) error {
	for j, n := range c.Records {
		if m.Records[j] < n {
			return fmt.Errorf("%d of its records have %s, and the release has %d: it does not have everybody of the table, or has other values or types",
				m.Records[j], c.Describe(j), n)
		}
	}
	return nil
}

// uniques returns the number of units with a row whose codes no other unit has; if units is nil, every row is a unit.
func uniques(columns [][]uint32, units []uint32) uint64 {
	number, distinct := anonymize.NumberRows(columns, len(columns[0]))
	records := make([]uint32, distinct)
	for _, n := range number {
		records[n]++
	}
	found, rows := make(map[uint32]bool), uint64(0)
	for row, n := range number {
		switch {
		case records[n] > 1:
		case units == nil:
			rows++
		default:
			found[units[row]] = true
		}
	}
	return rows + uint64(len(found))
}

// A coverage says which cells of a column cover which values of the population. Values covered
// by the same cells are of one kind.
type coverage struct {
	kind  []uint32   // by the population's code
	cells [][]uint32 // by kind: codes of the release's column, ascending
}

func newCoverage(released *anonymize.FragmentColumn, population *anonymize.Column) *coverage {
	v := &coverage{kind: make([]uint32, len(population.Dictionary))}
	covering, anything := cellsByMember(released), cellsOfAnything(released)
	known := make(map[string]uint32)
	for code, value := range population.Dictionary {
		at, found := slices.BinarySearchFunc(released.Dictionary, value, anonymize.Compare)
		cells := anything
		switch {
		case found:
			cells = covering[at]
		case isBetween(released.Dictionary, value, at) && !released.IsPoint():
			cells = intervals(released, covering[at-1], covering[at])
		}
		key := fmt.Sprint(cells)
		kind, ok := known[key]
		if !ok {
			kind = uint32(len(v.cells))
			known[key] = kind
			v.cells = append(v.cells, cells)
		}
		v.kind[code] = kind
	}
	return v
}

// isBetween reports whether a value that is not in the dictionary is a number between the
// values before and at index at.
func isBetween(dictionary []anonymize.Value, value anonymize.Value, at int) bool {
	_, isNumber := value.Number()
	return isNumber && at > 0 && at < len(dictionary) && dictionary[at-1].Kind == value.Kind && dictionary[at].Kind == value.Kind
}

// suppressedLabel is the label of a cell without information.
const suppressedLabel = "*"

// cellsOfAnything returns the cells that cover values outside the release's dictionary.
func cellsOfAnything(c *anonymize.FragmentColumn) (cells []uint32) {
	for cell := range c.Cells {
		if c.Cells[cell].Label == suppressedLabel && len(c.Cells[cell].Members) == len(c.Dictionary) {
			cells = append(cells, uint32(cell))
		}
	}
	return cells
}

// cellsByMember lists, by code of the dictionary, the cells with that member.
func cellsByMember(c *anonymize.FragmentColumn) [][]uint32 {
	covering := make([][]uint32, len(c.Dictionary))
	if c.IsPoint() {
		for code := range covering {
			covering[code] = []uint32{uint32(code)}
		}
		return covering
	}
	for cell := range c.Cells {
		for _, member := range c.Cells[cell].Members {
			covering[member] = append(covering[member], uint32(cell))
		}
	}
	return covering
}

// intervals returns the cells that contain both neighbours of a number outside the dictionary
// and everything between their ends.
func intervals(c *anonymize.FragmentColumn, below, above []uint32) (both []uint32) {
	for _, cell := range below {
		members := c.Cells[cell].Members
		whole := int(members[len(members)-1]-members[0]) == len(members)-1
		if _, in := slices.BinarySearch(above, cell); in && whole {
			both = append(both, cell)
		}
	}
	return both
}
