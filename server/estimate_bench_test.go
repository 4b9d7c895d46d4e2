package server

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// BenchmarkCountAgainstSQLite compares the kernel with SQLite computing the
// plain SQL of the same estimate over the same fragments, in memory, indexed by
// gid: a COUNT over three fragments of groups of seven, two conditions each that
// a tenth of the tuples satisfy.
func BenchmarkCountAgainstSQLite(b *testing.B) {
	for _, rows := range []int{100_000, 1_000_000} {
		r := threeFragments(rows)
		db := inSQLite(b, r)
		q := &estimate.Question{Aggregates: []estimate.Aggregate{{Kind: estimate.Count}}}
		for f := range r.Fragments {
			for c, limit := range []int64{20, 5} {
				q.Leaves = append(q.Leaves, estimate.Where(f, c, func(v anonymize.Value) bool { return v.Int < limit }))
				q.Where = append(q.Where, estimate.Expression{Leaves: []int{len(q.Leaves) - 1}})
			}
		}
		p := estimate.Prepare(r)
		var kernel, plain float64
		ask := func(b *testing.B) float64 {
			answer, err := p.Ask(context.Background(), q)
			if err != nil {
				b.Fatal(err)
			}
			return answer.Rows[0].Figures[0].Float
		}
		ask(b) // the first touch
		b.Run(fmt.Sprintf("rows=%d/kernel", rows), func(b *testing.B) {
			for b.Loop() {
				kernel = ask(b)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/record")
		})
		b.Run(fmt.Sprintf("rows=%d/sqlite", rows), func(b *testing.B) {
			for b.Loop() {
				if err := db.QueryRow(countOverThree).Scan(&plain); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/record")
		})
		if kernel > 0 && plain > 0 && math.Abs(kernel-plain) > 1e-9*plain {
			b.Fatalf("the kernel counts %v records, SQLite %v", kernel, plain)
		}
	}
}

const countOverThree = `
SELECT SUM(x.n * y.n * z.n / (1.0 * g.size * g.size))
FROM g
JOIN (SELECT gid, SUM(count) AS n FROM f0 WHERE a < 20 AND b < 5 GROUP BY gid) AS x ON x.gid = g.gid
JOIN (SELECT gid, SUM(count) AS n FROM f1 WHERE a < 20 AND b < 5 GROUP BY gid) AS y ON y.gid = g.gid
JOIN (SELECT gid, SUM(count) AS n FROM f2 WHERE a < 20 AND b < 5 GROUP BY gid) AS z ON z.gid = g.gid`

// threeFragments draws fragments of two columns of 100 and 10 values, which are
// their codes.
func threeFragments(rows int) *anonymize.Release {
	random := rand.New(rand.NewPCG(1, 2))
	r := &anonymize.Release{Method: "benchmark"}
	for ; r.Rows+7 <= rows; r.Rows += 7 {
		r.GroupSizes = append(r.GroupSizes, 7)
	}
	for i := range 3 {
		f := &anonymize.Fragment{Name: fmt.Sprint("f", i), GroupStart: []uint32{0}}
		for c, values := range []int{100, 10} {
			column := &anonymize.FragmentColumn{Name: "ab"[c : c+1]}
			for v := range values {
				column.Dictionary = append(column.Dictionary, anonymize.IntegerValue(int64(v)))
			}
			f.Columns = append(f.Columns, column)
		}
		for range r.GroupSizes {
			tuple := uint32(0) // ascending: each is a tuple of its own
			for range 7 {
				tuple += 1 + random.Uint32N(142)
				f.Columns[0].Codes = append(f.Columns[0].Codes, tuple/10)
				f.Columns[1].Codes = append(f.Columns[1].Codes, tuple%10)
				f.Count = append(f.Count, 1)
			}
			f.GroupStart = append(f.GroupStart, uint32(f.Tuples()))
		}
		r.Fragments = append(r.Fragments, f)
	}
	return r
}

// inSQLite loads the fragments as relations f0, f1, f2 and the groups as g.
func inSQLite(b *testing.B, r *anonymize.Release) *sql.DB {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // a database in memory belongs to its connection
	tx, err := db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	insert := func(create, into string, rows int, row func(int) []any) {
		if _, err := tx.Exec(create); err != nil {
			b.Fatal(err)
		}
		statement, err := tx.Prepare(into)
		if err != nil {
			b.Fatal(err)
		}
		defer statement.Close()
		for i := range rows {
			if _, err := statement.Exec(row(i)...); err != nil {
				b.Fatal(err)
			}
		}
	}
	insert("CREATE TABLE g (gid INTEGER PRIMARY KEY, size INTEGER)", "INSERT INTO g VALUES (?, ?)", r.Groups(),
		func(g int) []any { return []any{g, r.GroupSizes[g]} })
	for _, f := range r.Fragments {
		g := 0
		insert("CREATE TABLE "+f.Name+" (gid INTEGER, a INTEGER, b INTEGER, count INTEGER)",
			"INSERT INTO "+f.Name+" VALUES (?, ?, ?, ?)", f.Tuples(), func(t int) []any {
				for f.GroupStart[g+1] <= uint32(t) {
					g++
				}
				return []any{g, f.Columns[0].Codes[t], f.Columns[1].Codes[t], f.Count[t]}
			})
		if _, err := tx.Exec("CREATE INDEX " + f.Name + "_gid ON " + f.Name + " (gid)"); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
	return db
}
