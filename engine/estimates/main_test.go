package estimates

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mattn/go-sqlite3"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// A kind is an engine's type, with a function for its i-th value.
type kind struct {
	name  string
	value func(i int) anonymize.Value
}

// kinds are the types of columns in random releases.
var kinds = []kind{
	{"bigint", func(i int) anonymize.Value { return anonymize.IntegerValue(int64(i*3 - 4)) }},
	{"varchar", func(i int) anonymize.Value { return anonymize.TextValue(fmt.Sprintf("it's \"%d\" é", i)) }},
	{"double", func(i int) anonymize.Value { return anonymize.RealValue(float64(i) / 3) }},
}

// allKinds are the stand-in's types, and the engine's others.
var allKinds = append(slices.Clone(kinds), []kind{
	{"decimal(12,2)", func(i int) anonymize.Value { return anonymize.DecimalValue(fmt.Sprintf("%.2f", float64(i-3)*12345.25)) }},
	{"date", func(i int) anonymize.Value { return anonymize.InstantValue(int64(i-9) * 86_400_000_000 * 17) }},
	{"timestamp(6)", func(i int) anonymize.Value { return anonymize.InstantValue(int64(i-9) * 86_400_000_001) }},
	{"real", func(i int) anonymize.Value { return anonymize.RealValue(float64(float32(i) / 7)) }},
	{"boolean", func(i int) anonymize.Value { return anonymize.IntegerValue(int64(i % 2)) }},
	{"uuid", func(i int) anonymize.Value {
		return anonymize.TextValue(fmt.Sprintf("12151fd2-7586-11e9-8f9e-2a86e4085a%02x", i))
	}},
}...)

// randomRelease has groups of one size or of several, and fragments of 1 to 3 columns of a few values or of 60, some NULL.
func randomRelease(random *rand.Rand, groups, fragments int, kinds []kind) *anonymize.Release {
	r := &anonymize.Release{Method: "test"}
	least, spread := 4, random.IntN(4)
	if random.IntN(3) == 0 {
		least = 20 // so that tuples are added up before they meet
	}
	for range groups {
		m := least + random.IntN(1+spread)
		r.GroupSizes = append(r.GroupSizes, uint32(m))
		r.Rows += m
	}
	for i := range fragments {
		var columns []*anonymize.Column
		for c := range 1 + random.IntN(3) {
			kind, domain := kinds[random.IntN(len(kinds))], []int{1, 2, 3, 7, 60}[random.IntN(5)]
			values := make([]anonymize.Value, r.Rows)
			for row := range values {
				if values[row] = kind.value(random.IntN(domain)); random.IntN(9) == 0 {
					values[row] = anonymize.NullValue
				}
			}
			columns = append(columns, anonymize.NewColumn(fmt.Sprintf("c%d \"%d", i, c), kind.name, values))
		}
		r.Fragments = append(r.Fragments, fragmentOf(fmt.Sprintf("f%d", i), columns, r.GroupSizes))
	}
	return r
}

// fragmentOf has the tuples of groups of these sizes, one after the other.
func fragmentOf(name string, columns []*anonymize.Column, sizes []uint32) *anonymize.Fragment {
	f := &anonymize.Fragment{Name: name, GroupStart: []uint32{0}}
	for _, c := range columns {
		f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary})
	}
	row := 0
	for _, m := range sizes {
		var tuples [][]uint32
		for range m {
			tuple := make([]uint32, len(columns))
			for i, c := range columns {
				tuple[i] = c.Codes[row]
			}
			tuples = append(tuples, tuple)
			row++
		}
		slices.SortFunc(tuples, slices.Compare)
		for i, tuple := range tuples {
			if i > 0 && slices.Equal(tuple, tuples[i-1]) {
				f.Count[len(f.Count)-1]++
				continue
			}
			f.Count = append(f.Count, 1)
			for c, code := range tuple {
				f.Columns[c].Codes = append(f.Columns[c].Codes, code)
			}
		}
		f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
	}
	return f
}

// relationsOf returns the relations of a release's fragments, named by its number.
func relationsOf(r *anonymize.Release, path ...string) (list []Relation) {
	for _, f := range r.Fragments {
		relation := Relation{Path: slices.Concat(path[:len(path)-1], []string{path[len(path)-1] + "_" + f.Name})}
		for _, c := range f.Columns {
			relation.Columns = append(relation.Columns, Column{c.Name, c.Type})
		}
		list = append(list, relation)
	}
	return list
}

// shapeOf returns what is known of a release whose relations are in an engine.
func shapeOf(r *anonymize.Release) (*anonymize.Release, []estimate.GroupSize) {
	shape, counts := &anonymize.Release{Method: r.Method, Rows: r.Rows}, map[uint32]uint64{}
	for _, f := range r.Fragments {
		fragment := &anonymize.Fragment{Name: f.Name}
		for _, c := range f.Columns {
			fragment.Columns = append(fragment.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type})
		}
		shape.Fragments = append(shape.Fragments, fragment)
	}
	var sizes []estimate.GroupSize
	for _, m := range r.GroupSizes {
		counts[m]++
	}
	for m, n := range counts {
		sizes = append(sizes, estimate.GroupSize{Size: m, Groups: n})
	}
	return shape, sizes
}

// inserts returns statements that create the relations of a release, with random, incomplete group numbers; cast means that literals are
// converted to the columns' types.
func inserts(random *rand.Rand, d *dialect.Dialect, r *anonymize.Release, relations []Relation, cast bool) (texts []string) {
	return insertsOf(random, d, r, relations, cast, random.Perm(2*r.Groups()))
}

// insertsOf are inserts with numbers of groups.
func insertsOf(random *rand.Rand, d *dialect.Dialect, r *anonymize.Release, relations []Relation, cast bool, numbers []int) (texts []string) {
	for i, f := range r.Fragments {
		var types []string
		for _, c := range relations[i].Columns {
			types = append(types, d.Name(c.Name)+" "+c.Type)
		}
		texts = append(texts, fmt.Sprintf("CREATE TABLE %s (gid bigint, %s, %s bigint)", d.Name(relations[i].Path...), strings.Join(types, ", "), d.Name("count")))
		var rows []string
		for g := range r.Groups() {
			for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
				row := fmt.Sprintf("(%d", numbers[g])
				for c, column := range f.Columns {
					text := d.Null()
					if v := column.Dictionary[column.Codes[t]]; !v.IsNull() {
						text, _ = relations[i].Columns[c].literal(d, v)
					}
					if cast {
						text = "CAST(" + text + " AS " + column.Type + ")"
					}
					row += ", " + text
				}
				rows = append(rows, row+fmt.Sprintf(", %d)", f.Count[t]))
			}
		}
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		texts = append(texts, fmt.Sprintf("INSERT INTO %s VALUES %s", d.Name(relations[i].Path...), strings.Join(rows, ", ")))
	}
	return texts
}

// registered is the driver of stand-ins.
var registered sync.Once

// A standIn runs statements of the dialect that SQLite reads, too: names of one part, and types that it has.
type standIn struct {
	db      *sql.DB
	lookups int
}

// lookedUp begins the dialect's look-up in a map, which SQLite lacks.
const lookedUp = "element_at(map(ARRAY["

// withoutMap writes a CASE for the lookup at the beginning of a text.
func withoutMap(text string) string {
	keys, rest := elements(text[len(lookedUp):])
	values, rest := elements(strings.TrimPrefix(rest, ", ARRAY["))
	expression, rest := elements(strings.TrimPrefix(rest, "), "))
	var b strings.Builder
	b.WriteString("CASE " + strings.Join(expression, ", "))
	for i, key := range keys {
		b.WriteString(" WHEN " + key + " THEN " + values[i])
	}
	return b.String() + " END" + rest
}

// elements are the parts between commas, up to a closing bracket, which is left out of the rest.
func elements(text string) (list []string, rest string) {
	depth, quoted, from := 0, false, 0
	for i, c := range text {
		switch {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			depth++
		case (c == ')' || c == ']') && depth == 0:
			return append(list, text[from:i]), text[i+1:]
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth == 0:
			list, from = append(list, text[from:i]), i+1
		}
	}
	panic("a bracket is open: " + text)
}

func newStandIn(t *testing.T) *standIn {
	t.Helper()
	registered.Do(func() {
		sql.Register("standin", &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
			return errors.Join(c.RegisterFunc("greatest", func(list ...int64) int64 { return slices.Max(list) }, true),
				c.RegisterFunc("least", func(list ...int64) int64 { return slices.Min(list) }, true))
		}})
	})
	db, err := sql.Open("standin", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return &standIn{db: db}
}

func (s *standIn) exec(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, err := s.db.Exec(text); err != nil {
			t.Fatalf("%.200s: %v", text, err)
		}
	}
}

func (s *standIn) query(ctx context.Context, text string, row func([]any) error) error {
	s.lookups += strings.Count(text, lookedUp)
	for at := strings.LastIndex(text, lookedUp); at >= 0; at = strings.LastIndex(text, lookedUp) {
		text = text[:at] + withoutMap(text[at:])
	}
	rows, err := s.db.QueryContext(ctx, text)
	if err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, to := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		to[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return rows.Err()
}
