package server

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/testsize"
)

// sideGroup is the size of the groups, sideFragments the number of fragments.
const (
	sideGroup     = 7
	sideFragments = 4
)

// A sideQuestion counts the records whose tuples are below two limits in each of
// the first so many fragments, perhaps by the second column of the last.
type sideQuestion struct {
	selectivity string
	limits      [2]int64
	touched     int
	grouped     bool
}

// BenchmarkSideBySide compares, on the same fragments and in one run, the
// kernel alone and with standard error and bounds, the weighted join, the
// straightforward loop over byte codes on one core, one pass over the touched
// bytes, and SQLite computing the plain SQL of the same estimate in memory.
// Ten million records run in full only, which take 3 GB and some minutes to
// load.
//
// SQLite's tables are clustered by (gid, a, b), have covering indexes by gid and
// by (a, b), and are analyzed. The plain SQL has two forms: "sqlite" counts every
// fragment's tuples per group and joins the counts, "sqlite/tuples" joins the
// tuples; the second, which is the better one where few tuples match, is left
// out where half of them do: it takes five times as long there.
func BenchmarkSideBySide(b *testing.B) {
	sizes := []int{100_000, 1_000_000, 10_000_000}
	if !testsize.All() {
		sizes = sizes[:2]
	}
	for _, rows := range sizes {
		r := sideRelease(rows)
		s := &sideBySide{rows: rows, release: r, prepared: estimate.Prepare(r), bytes: bytesOf(r), db: inSQLite(b, r)}
		for touched := 1; touched <= sideFragments; touched++ {
			for _, grouped := range []bool{false, true} {
				for _, q := range []sideQuestion{
					{"0.1%", [2]int64{1, 1}, touched, grouped}, {"1%", [2]int64{10, 1}, touched, grouped},
					{"10%", [2]int64{20, 5}, touched, grouped}, {"50%", [2]int64{71, 7}, touched, grouped},
				} {
					s.compare(b, q)
				}
			}
		}
	}
}

type sideBySide struct {
	rows     int
	release  *anonymize.Release
	prepared *estimate.Prepared
	bytes    []byteFragment
	db       *sql.DB
}

// compare runs every way to answer q and checks that they agree.
func (s *sideBySide) compare(b *testing.B, q sideQuestion) {
	kind := "COUNT"
	if q.grouped {
		kind = "GROUP_BY"
	}
	asked := q.question()
	ctx := context.Background()
	want := s.loop(q)
	if _, err := s.prepared.Ask(ctx, asked); err != nil { // the columns' first touch
		b.Fatal(err)
	}
	for _, way := range []struct {
		name string
		run  func() ([]float64, error)
	}{
		{"kernel", func() ([]float64, error) { return figures(s.prepared.Ask(ctx, asked)) }},
		{"kernel+spread", func() ([]float64, error) { return s.withSpread(ctx, asked) }},
		{"join", func() ([]float64, error) { return figures(estimate.PrepareTuples(s.release).Ask(ctx, asked)) }},
		{"loop", func() ([]float64, error) { return s.loop(q), nil }},
		{"pass", func() ([]float64, error) { passed += onePass(s.bytes[:q.touched]); return want, nil }},
		{"sqlite", func() ([]float64, error) { return s.query(q.countsSQL()) }},
		{"sqlite/tuples", func() ([]float64, error) { return s.query(q.tuplesSQL()) }},
	} {
		if way.name == "sqlite/tuples" && q.selectivity == "50%" {
			continue
		}
		b.Run(fmt.Sprintf("rows=%d/%s/fragments=%d/selectivity=%s/%s", s.rows, kind, q.touched, q.selectivity, way.name), func(b *testing.B) {
			var got []float64
			var err error
			for b.Loop() {
				if got, err = way.run(); err != nil {
					b.Fatal(err)
				}
			}
			if !slices.EqualFunc(got, want, func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, y) }) {
				b.Fatalf("%v records, the loop has %v", got, want)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.release.Rows), "ns/record")
		})
	}
}

// passed keeps the pass from being left out.
var passed uint64

func (s *sideBySide) withSpread(ctx context.Context, q *estimate.Question) ([]float64, error) {
	answer, err := s.prepared.AskWithSpread(ctx, q)
	if err != nil {
		return nil, err
	}
	if _, err := s.prepared.StandardErrors(ctx, q, answer); err != nil {
		return nil, err
	}
	if _, err := s.prepared.Bounds(ctx, q, answer); err != nil {
		return nil, err
	}
	return figures(answer, nil)
}

// figures are the counts that are not 0, by key.
func figures(answer *estimate.Answer, err error) ([]float64, error) {
	if err != nil {
		return nil, err
	}
	var counts []float64
	for _, row := range answer.Rows {
		if count := row.Figures[0].Float; count > 0 {
			counts = append(counts, count)
		}
	}
	return counts, nil
}

func (q sideQuestion) question() *estimate.Question {
	asked := &estimate.Question{Aggregates: []estimate.Aggregate{{Kind: estimate.Count}}}
	leaf := func(l estimate.Leaf) estimate.Expression {
		asked.Leaves = append(asked.Leaves, l)
		return estimate.Expression{Leaves: []int{len(asked.Leaves) - 1}}
	}
	for f := range q.touched {
		for c, limit := range q.limits {
			asked.Where = append(asked.Where, leaf(estimate.ValueLeaf(f, c, func(v anonymize.Value) bool { return v.Int < limit })))
		}
	}
	if q.grouped {
		asked.Keys = append(asked.Keys, leaf(estimate.ValueOf(q.touched-1, 1)))
	}
	return asked
}

// countsSQL counts the tuples per group first.
func (q sideQuestion) countsSQL() string {
	product, from := "1.0", "g"
	for f := range q.touched {
		columns, by := "", "gid"
		if q.grouped && f == q.touched-1 {
			columns, by = "b, ", "gid, b"
		}
		from += fmt.Sprintf(" JOIN (SELECT gid, %sSUM(count) AS n FROM f%d WHERE a < %d AND b < %d GROUP BY %s) AS x%d ON x%d.gid = g.gid",
			columns, f, q.limits[0], q.limits[1], by, f, f)
		product += fmt.Sprintf(" * x%d.n", f)
	}
	return q.sum(product, from, "")
}

// tuplesSQL joins the tuples.
func (q sideQuestion) tuplesSQL() string {
	product, from, where := "1.0", "g", " WHERE 1"
	for f := range q.touched {
		from += fmt.Sprintf(" JOIN f%d AS x%d ON x%d.gid = g.gid", f, f, f)
		where += fmt.Sprintf(" AND x%d.a < %d AND x%d.b < %d", f, q.limits[0], f, q.limits[1])
		product += fmt.Sprintf(" * x%d.count", f)
	}
	return q.sum(product, from, where)
}

func (q sideQuestion) sum(product, from, where string) string {
	text := "SELECT SUM(" + product + strings.Repeat(" / g.size", q.touched-1) + ") FROM " + from + where
	if q.grouped {
		key := fmt.Sprintf("x%d.b", q.touched-1)
		text += " GROUP BY " + key + " ORDER BY " + key
	}
	return text
}

func (s *sideBySide) query(text string) ([]float64, error) {
	rows, err := s.db.Query(text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var counts []float64
	for rows.Next() {
		var count sql.NullFloat64
		if err := rows.Scan(&count); err != nil {
			return nil, err
		}
		if count.Valid {
			counts = append(counts, count.Float64)
		}
	}
	return counts, rows.Err()
}

// byteFragment is what the straightforward loop reads.
type byteFragment struct {
	columns [2][]uint8
	start   []uint32
	count   []uint32
}

func bytesOf(r *anonymize.Release) []byteFragment {
	fragments := make([]byteFragment, len(r.Fragments))
	for i, f := range r.Fragments {
		fragments[i] = byteFragment{start: f.GroupStart, count: f.Count}
		for c := range fragments[i].columns {
			for _, code := range f.Columns[c].Codes {
				fragments[i].columns[c] = append(fragments[i].columns[c], uint8(code))
			}
		}
	}
	return fragments
}

// loop is what one would write first: group by group, fragment by fragment,
// tuple by tuple, on one core.
func (s *sideBySide) loop(q sideQuestion) []float64 {
	var keep [2][256]bool
	for c, limit := range q.limits {
		for code := range limit {
			keep[c][code] = true
		}
	}
	var totals [10]float64
	for g, m := range s.release.GroupSizes {
		product := float64(m)
		for _, f := range s.bytes[:q.touched-1] {
			matching := uint32(0)
			for t := f.start[g]; t < f.start[g+1]; t++ {
				if keep[0][f.columns[0][t]] && keep[1][f.columns[1][t]] {
					matching += f.count[t]
				}
			}
			product *= float64(matching) / float64(m)
		}
		f := &s.bytes[q.touched-1]
		for t := f.start[g]; t < f.start[g+1]; t++ {
			if keep[0][f.columns[0][t]] && keep[1][f.columns[1][t]] {
				key := uint8(0)
				if q.grouped {
					key = f.columns[1][t]
				}
				totals[key] += product * float64(f.count[t]) / float64(m)
			}
		}
	}
	return slices.DeleteFunc(totals[:], func(x float64) bool { return x == 0 })
}

// onePass reads the touched bytes once, eight at a time.
func onePass(fragments []byteFragment) (sum uint64) {
	for _, f := range fragments {
		for _, codes := range f.columns {
			for ; len(codes) >= 8; codes = codes[8:] {
				sum += binary.LittleEndian.Uint64(codes)
			}
		}
	}
	return sum
}

// sideRelease draws fragments of two columns of 100 and 10 values, which are
// their codes.
func sideRelease(rows int) *anonymize.Release {
	random := rand.New(rand.NewPCG(1, 2))
	r := &anonymize.Release{Method: "benchmark"}
	for ; r.Rows+sideGroup <= rows; r.Rows += sideGroup {
		r.GroupSizes = append(r.GroupSizes, sideGroup)
	}
	for i := range sideFragments {
		f := &anonymize.Fragment{Name: fmt.Sprint("f", i), GroupStart: []uint32{0}}
		for c, values := range []int{100, 10} {
			column := &anonymize.FragmentColumn{Name: "ab"[c : c+1]}
			for v := range values {
				column.Dictionary = append(column.Dictionary, anonymize.IntegerValue(int64(v)))
			}
			f.Columns = append(f.Columns, column)
		}
		for range r.GroupSizes {
			appendTuples(random, f)
		}
		r.Fragments = append(r.Fragments, f)
	}
	return r
}

// appendTuples adds the tuples of one group, ascending, each once.
func appendTuples(random *rand.Rand, f *anonymize.Fragment) {
	var tuples [sideGroup]uint32
	for i := range tuples {
		tuples[i] = random.Uint32N(1000)
	}
	slices.Sort(tuples[:])
	for i, tuple := range tuples {
		if i > 0 && tuple == tuples[i-1] {
			f.Count[len(f.Count)-1]++
			continue
		}
		f.Columns[0].Codes = append(f.Columns[0].Codes, tuple/10)
		f.Columns[1].Codes = append(f.Columns[1].Codes, tuple%10)
		f.Count = append(f.Count, 1)
	}
	f.GroupStart = append(f.GroupStart, uint32(f.Tuples()))
}

// inSQLite loads the fragments as relations f0, f1, ... and the groups as g.
func inSQLite(b *testing.B, r *anonymize.Release) *sql.DB {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // a database in memory belongs to its connection
	must := func(statement string, arguments ...any) {
		if _, err := db.Exec(statement, arguments...); err != nil {
			b.Fatal(err)
		}
	}
	must("PRAGMA temp_store = memory")
	must("BEGIN")
	must("CREATE TABLE g (gid INTEGER PRIMARY KEY, size INTEGER)")
	load(b, db, "g", 2, r.Groups(), func(g int) []any { return []any{g, r.GroupSizes[g]} })
	for _, f := range r.Fragments {
		g := 0
		must("CREATE TABLE " + f.Name + " (gid INTEGER, a INTEGER, b INTEGER, count INTEGER, PRIMARY KEY (gid, a, b)) WITHOUT ROWID")
		load(b, db, f.Name, 4, f.Tuples(), func(t int) []any {
			for f.GroupStart[g+1] <= uint32(t) {
				g++
			}
			return []any{g, f.Columns[0].Codes[t], f.Columns[1].Codes[t], f.Count[t]}
		})
		must("CREATE INDEX " + f.Name + "_gid ON " + f.Name + " (gid, a, b, count)")
		must("CREATE INDEX " + f.Name + "_values ON " + f.Name + " (a, b, gid, count)")
	}
	must("COMMIT")
	must("ANALYZE")
	return db
}

// load inserts rows, many at a time.
func load(b *testing.B, db *sql.DB, table string, columns, rows int, row func(int) []any) {
	const together = 200
	one := "(" + strings.Repeat(", ?", columns)[2:] + ")"
	insert := func(n int) *sql.Stmt {
		statement, err := db.Prepare("INSERT INTO " + table + " VALUES " + strings.Repeat(", "+one, n)[2:])
		if err != nil {
			b.Fatal(err)
		}
		return statement
	}
	many := insert(together)
	defer many.Close()
	for first := 0; first < rows; first += together {
		var values []any
		for i := first; i < min(first+together, rows); i++ {
			values = append(values, row(i)...)
		}
		statement := many
		if len(values) < together*columns {
			statement = insert(len(values) / columns)
			defer statement.Close()
		}
		if _, err := statement.Exec(values...); err != nil {
			b.Fatal(err)
		}
	}
}
