package anonymize

import "slices"

// A FragmentRole says which kind of attributes a fragment publishes.
type FragmentRole string

const (
	QuasiIdentifying FragmentRole = "qi"
	Sensitive        FragmentRole = "sa"
	// Mixed is for methods that publish both kinds of attributes in one relation (slicing,
	// where the sensitive attribute is in a column group). It has one sensitive attribute, the
	// last column, so that a reader of the release alone can tell which it is.
	Mixed FragmentRole = "mixed"
)

// A FragmentColumn is one attribute of a fragment: a code per tuple.
type FragmentColumn struct {
	Name string
	Type string // the SQL type as text, as in Column
	// Dictionary has the attribute's values, ascending. Cells are distributions over it.
	Dictionary []Value
	// Cells is nil when every cell is a point: then a tuple's code is an
	// index into Dictionary. Otherwise it is an index into Cells.
	Cells []Cell
	// Codes has one entry per tuple of the fragment.
	Codes []uint32
	// Constant says that, in every unit, all records have one value. It is published. Without units it means nothing.
	Constant bool
	// Spans says that the dictionary has points of intervals ([Taxonomy.Spanning]): the table's numbers are between them, too.
	Spans bool
}

// IsConstant reports whether all records of a unit have one code.
func IsConstant(codes, unit []uint32) bool {
	first := make(map[uint32]uint32)
	for record, u := range unit {
		if code, known := first[u]; known && code != codes[record] {
			return false
		}
		first[u] = codes[record]
	}
	return true
}

// IsPoint reports whether every cell is a single value.
func (c *FragmentColumn) IsPoint() bool { return c.Cells == nil }

// Recode replaces each value of the raw column that is not in c's dictionary by the greatest smaller value in
// it ([FragmentColumn.Place]). This applies only to numbers published in intervals whose leaves are points, so
// that a comparison with the release has the precision of these points. Recode returns other columns unchanged.
func (c *FragmentColumn) Recode(raw *Column) *Column {
	if c.IsPoint() || !raw.IsNumeric() {
		return raw
	}
	if !slices.ContainsFunc(raw.Dictionary, func(v Value) bool { return c.Place(v) != v }) {
		return raw
	}
	return raw.mapped(c.Place)
}

// Place returns v if the dictionary has it, else the greatest number below v; v itself if there
// is none, if v exceeds all, or if v is a text.
func (c *FragmentColumn) Place(v Value) Value {
	after, found := slices.BinarySearchFunc(c.Dictionary, v, Compare)
	if found || after == 0 || after == len(c.Dictionary) || c.Dictionary[after-1].Kind != v.Kind || v.Kind == Text {
		return v
	}
	return c.Dictionary[after-1]
}

// Recode applies [FragmentColumn.Recode] to every column that the release publishes.
func (r *Release) Recode(columns []*Column) []*Column {
	recoded := slices.Clone(columns)
	for i, c := range columns {
		if fragment, column, ok := r.Locate(c.Name); ok {
			recoded[i] = r.Fragments[fragment].Columns[column].Recode(c)
		}
	}
	return recoded
}

// A Fragment is one published relation (gid, columns..., count), such as the QI and SA tables
// in the literature. Tuples are ordered by gid, then by codes, and each is stored once, so that
// their order carries no information.
type Fragment struct {
	Name    string // "qi1", "qi2", ..., "sa"
	Role    FragmentRole
	Columns []*FragmentColumn
	// GroupStart has Groups()+1 entries: the tuples of gid g are
	// GroupStart[g] .. GroupStart[g+1]-1.
	GroupStart []uint32
	// Count is the number of records behind each tuple, at least 1.
	Count []uint32
	// Units is, by tuple, the number of units with that tuple in any of their records; nil if every record is a unit.
	Units []uint32
}

// Groups returns the number of groups.
func (f *Fragment) Groups() int { return len(f.GroupStart) - 1 }

// Tuples returns the number of stored tuples.
func (f *Fragment) Tuples() int { return len(f.Count) }

// Column returns the position of the named column (case-sensitive; names are
// the raw table's), or -1.
func (f *Fragment) Column(name string) int {
	return slices.IndexFunc(f.Columns, func(c *FragmentColumn) bool { return c.Name == name })
}

// Weigh returns the number of records by code of c, a column of f with point cells.
func (f *Fragment) Weigh(c *FragmentColumn) []int {
	weight := make([]int, len(c.Dictionary))
	for t, code := range c.Codes {
		weight[code] += int(f.Count[t])
	}
	return weight
}

// Indices returns 0 to n-1: the numbers of all rows, codes or groups.
func Indices(n int) []uint32 {
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}

// Ints is Indices as ints.
func Ints(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Gather returns of[at[i]] for all i.
func Gather[T any, I int | uint32](of []T, at []I) []T {
	gathered := make([]T, len(at))
	for i, from := range at {
		gathered[i] = of[from]
	}
	return gathered
}

// NumberRows numbers rows so that rows with equal codes in all columns have equal numbers,
// which are below distinct. columns[i] has one code per row. It makes one pass over the codes.
func NumberRows(columns [][]uint32, rows int) (number []uint32, distinct int) {
	number, distinct = make([]uint32, rows), 1
	for _, codes := range columns {
		seen := make(map[uint64]uint32)
		for row, code := range codes {
			pair := uint64(number[row])<<32 | uint64(code)
			n, known := seen[pair]
			if !known {
				n = uint32(len(seen))
				seen[pair] = n
			}
			number[row] = n
		}
		distinct = len(seen)
	}
	return number, distinct
}

// NumberTuples applies NumberRows to the fragment's tuples, comparing their first columns only.
func (f *Fragment) NumberTuples(columns int) (number []uint32, distinct int) {
	codes := make([][]uint32, columns)
	for i, c := range f.Columns[:columns] {
		codes[i] = c.Codes
	}
	return NumberRows(codes, f.Tuples())
}
