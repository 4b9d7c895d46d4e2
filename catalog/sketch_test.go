package catalog

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
)

// peopleTable makes n people with the given numbers of different values of their
// attributes.
func peopleTable(random *rand.Rand, n int, domains ...int) []*anonymize.Column {
	columns := make([]*anonymize.Column, len(domains))
	for i, domain := range domains {
		values := make([]anonymize.Value, n)
		for row := range values {
			// Skewed, as attributes of people are.
			values[row] = anonymize.TextValue(fmt.Sprintf("%d of column %d", int(float64(domain)*math.Pow(random.Float64(), 1.7)), i))
		}
		columns[i] = anonymize.NewColumn(fmt.Sprint("c", i), "text", values)
	}
	return columns
}

// rowsOf selects rows, columns (all for nil) and new names.
func rowsOf(columns []*anonymize.Column, rows []int, wanted ...int) []*anonymize.Column {
	if wanted == nil {
		for i := range columns {
			wanted = append(wanted, i)
		}
	}
	var selected []*anonymize.Column
	for at, i := range wanted {
		values := make([]anonymize.Value, len(rows))
		for j, row := range rows {
			values[j] = columns[i].Value(row)
		}
		selected = append(selected, anonymize.NewColumn(fmt.Sprint("renamed", at), "varchar(40)", values))
	}
	return selected
}

func sketchOf(t testing.TB, key []byte, columns []*anonymize.Column) sketch {
	s, err := newSketch(context.Background(), key, columns)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func span(first, end int) []int {
	var rows []int
	for i := first; i < end; i++ {
		rows = append(rows, i)
	}
	return rows
}

// stacked puts two tables of the same columns below each other.
func stacked(a, b []*anonymize.Column) []*anonymize.Column {
	var both []*anonymize.Column
	for i := range a {
		var values []anonymize.Value
		for _, part := range []*anonymize.Column{a[i], b[i]} {
			for row := range part.Codes {
				values = append(values, part.Value(row))
			}
		}
		both = append(both, anonymize.NewColumn(a[i].Name, a[i].Type, values))
	}
	return both
}

// Copies are known again: whole ones whatever their columns are, parts and
// mixtures where the columns tell most records apart.
func TestSketchKnowsCopies(t *testing.T) {
	key := []byte("key")
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{200, 400, 20_000} {
		original := peopleTable(random, n, 80, 70, 60, 50, 40, 30)
		stranger := peopleTable(random, n, 80, 70, 60, 50, 40, 30)
		known := sketchOf(t, key, original)
		decoded, err := decodeSketch(known.encode())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name string
			copy []*anonymize.Column
			want float64
		}{
			{"whole", original, 1},
			{"whole, other order and names", rowsOf(original, random.Perm(n), 5, 3, 0, 1, 2, 4), 1},
			{"whole, three columns", rowsOf(original, span(0, n), 4, 2, 1), 1},
			{"whole, two columns", rowsOf(original, span(0, n), 4, 2), 1},
			{"half", rowsOf(original, span(0, n/2)), 1},
			{"half, five columns", rowsOf(original, span(0, n/2), 5, 4, 3, 2, 1), 1},
			{"a third, and strangers", stacked(rowsOf(original, span(0, n/3)), rowsOf(stranger, span(n/3, n))), 1. / 3},
			{"half, and as many again", stacked(rowsOf(original, span(0, n)), rowsOf(stranger, span(0, n))), 1},
		} {
			got := sketchOf(t, key, c.copy).overlap(decoded)
			if math.Abs(got-c.want) > 0.12 { // 5 standard errors at 400 compared records and more
				t.Errorf("%d records, %s: %.3f, want %.2f", n, c.name, got, c.want)
			}
		}
		if got := sketchOf(t, []byte("another"), original).overlap(decoded); got > 0 {
			t.Errorf("under another key: %g", got)
		}
	}
}

// Independent tables are not taken for copies, whether their columns tell records
// apart or not: false positives over 300 pairs of tables of many shapes.
func TestSketchOfIndependentTables(t *testing.T) {
	key := []byte("key")
	most, pairs := 0.0, 0
	for _, shape := range [][]int{{2, 2}, {5, 2, 7}, {80, 2, 15}, {80, 16, 7, 15, 6}, {80, 70, 60, 50}, {1000, 80, 16, 7, 15, 6, 5, 41}, {100000, 2, 5}} {
		for _, n := range []int{30, 300, 3000} {
			for seed := range fewerSeeds(15) {
				random := rand.New(rand.NewPCG(seed, uint64(n)))
				a, b := peopleTable(random, n, shape...), peopleTable(random, n+int(seed)%2, shape...)
				share := sketchOf(t, key, a).overlap(sketchOf(t, key, b))
				most, pairs = max(most, share), pairs+1
				if share >= copied {
					t.Errorf("%v, %d records, seed %d: %.3f", shape, n, seed, share)
				}
			}
		}
	}
	t.Logf("%d pairs, the greatest overlap is %.3f", pairs, most)
}

func TestDamagedSketch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	data := sketchOf(t, []byte("key"), peopleTable(random, 300, 50, 40, 30)).encode()
	for range 2000 {
		damaged := append([]byte{}, data...)
		if at := random.IntN(len(data)); random.IntN(2) == 0 {
			damaged = damaged[:at]
		} else {
			damaged[at] ^= byte(1 + random.IntN(255))
		}
		if s, err := decodeSketch(damaged); err == nil {
			s.overlap(s)
		}
	}
}

// The rule of one public grouping holds through dropping, renaming and copying.
func TestPastPublications(t *testing.T) {
	b := newBench(t)
	r, c, g := b.releases(), b.owner(), grouping{3}
	c.run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT)")
	fill := func(table string, shift int) {
		var rows []string
		for i := range 200 {
			rows = append(rows, fmt.Sprintf("(%d, %d)", i*i+shift, i%7))
		}
		c.run("INSERT INTO " + table + " (q, s) VALUES " + strings.Join(rows, ", "))
	}
	fill("t", 0)
	publish := func(table, name string, change func(p *Publication)) (*ReleaseRecord, error) {
		data, err := c.table(table).Microdata(c.context(), []string{"q", "s"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.session.SessionEnd()
		l := g.start(data.Columns, make([]int64, data.Rows))
		p := &Publication{Release: g.release(l), Records: data.Columns}
		p.Record = ReleaseRecord{Name: name, SourceTable: c.table(table).ID(), Database: "d", Table: table, Method: "test", Columns: []string{"q", "s"}}
		if change != nil {
			change(p)
		}
		return r.Publish(c.context(), p)
	}
	refused := func(table, name, want string, change func(p *Publication)) {
		t.Helper()
		if _, err := publish(table, name, change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s as %s: got %v, want %q", table, name, err, want)
		}
	}
	stored := func(table, name string, composed bool, change func(p *Publication)) {
		t.Helper()
		if record, err := publish(table, name, change); err != nil || record.Composed != composed {
			t.Errorf("%s as %s: %+v, %v", table, name, record, err)
		}
	}
	replace := func(p *Publication) { p.Replace = true }
	private := func(p *Publication) { p.Record.Private = true }
	allow := func(p *Publication) { p.AllowComposition = true }
	stored("t", "p", false, nil)
	stored("t", "p", false, replace)
	c.run("CREATE TABLE copied AS SELECT * FROM t", "CREATE TABLE half AS SELECT s AS s, q AS q FROM t WHERE id <= 100", "CREATE TABLE other (q INT, s INT)")
	fill("other", 40001)
	refused("copied", "q", `about 100 % of the records of d.copied are records of table d.t. Table d.t has the public release "p" (test)`, nil)
	refused("half", "q", "records of d.half are records of table d.t", nil)
	stored("other", "o", false, nil)
	stored("copied", "mine", false, private)
	if _, err := r.Drop(c.context(), "p"); err != nil {
		t.Fatal(err)
	}
	refused("t", "p", `table d.t had a public release until 20`, nil)
	refused("t", "p", `"p" (test), and two independent releases`, replace)
	refused("copied", "q", "Table d.t had a public release until", nil)
	stored("t", "mine2", false, private)
	refused("t", "mine2", "had a public release until", func(p *Publication) { p.Replace = true })
	c.run("ALTER TABLE t RENAME TO people", "DROP TABLE people", "CREATE TABLE people AS SELECT q + 7 AS q, s FROM copied")
	refused("people", "x", "able d.t had a public release until", nil)
	b.reopenWith(c)
	r = b.releases()
	refused("people", "x", "able d.t had a public release until", nil)
	stored("people", "x", true, allow)
	stored("people", "x", false, replace)
	c.session.SessionEnd()
	b.catalog.Close()
	if report := checked(t, b.dir); report.Whole() != nil {
		t.Error(findings(report))
	}
}

// Who may not read a table cannot find out by publishing who is in it.
func TestCopiesOfOthersAreNotTold(t *testing.T) {
	b := newBench(t)
	c := b.owner()
	r, err := OpenReleases(b.catalog, func(ctx *sql.Context, _, table string) bool { return table != "theirs" })
	if err != nil {
		t.Fatal(err)
	}
	c.run("CREATE TABLE theirs (q INT, s INT)", "INSERT INTO theirs VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6)", "CREATE TABLE ours AS SELECT * FROM theirs", "CREATE TABLE again AS SELECT * FROM ours")
	for _, step := range []struct {
		table string
		told  bool
	}{{"theirs", false}, {"ours", false}, {"again", true}} {
		data, err := c.table(step.table).Microdata(c.context(), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.session.SessionEnd()
		p := &Publication{Release: grouping{3}.release(grouping{3}.start(data.Columns, make([]int64, data.Rows))), Records: data.Columns}
		p.Record = ReleaseRecord{Name: step.table, SourceTable: c.table(step.table).ID(), Database: "d", Table: step.table, Columns: []string{"q", "s"}}
		_, err = r.Publish(c.context(), p)
		if (err != nil) != step.told || err != nil && strings.Contains(err.Error(), "theirs") {
			t.Errorf("%s: %v", step.table, err)
		}
	}
}

func BenchmarkSketch(b *testing.B) {
	columns := peopleTable(rand.New(rand.NewPCG(1, 2)), 100_000, 1000, 80, 16, 7, 15, 6, 5, 41, 30, 20)
	key := []byte("key")
	var bytes int
	for b.Loop() {
		bytes = len(sketchOf(b, key, columns).encode())
	}
	b.ReportMetric(float64(bytes), "bytes")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e5, "ns/record")
}
