package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// orders makes the tables d.part and d.line, in the shape of TPC-H's: some thirty lines a
// part, four an order, a third of them late. They have no index but the lines' number.
func orders(b *testing.B, db *dbsql.DB, parts, lines int) {
	b.Helper()
	servertest.Exec(b, db, "CREATE DATABASE d",
		"CREATE TABLE d.part (pk INT, brand VARCHAR(10))",
		"CREATE TABLE d.line (id INT PRIMARY KEY, ok INT, pk INT, sk INT, q DECIMAL(6,2), late INT, shipped DATETIME)")
	r := rand.New(rand.NewPCG(1, 2))
	insert := func(table string, rows int, row func(i int) string) {
		for from := 0; from < rows; from += 1000 {
			values := make([]string, 0, 1000)
			for i := from; i < min(from+1000, rows); i++ {
				values = append(values, row(i))
			}
			servertest.Exec(b, db, "INSERT INTO d."+table+" VALUES "+strings.Join(values, ", "))
		}
	}
	insert("part", parts, func(i int) string { return fmt.Sprintf("(%d, 'b%d')", i, r.IntN(25)) })
	insert("line", lines, func(i int) string {
		return fmt.Sprintf("(%d, %d, %d, %d, %d.%02d, %d, FROM_UNIXTIME(%d))", i, i/4, r.IntN(parts), r.IntN(100), 1+r.IntN(50), r.IntN(100), r.IntN(3)/2, 1700000000+r.IntN(100_000_000))
	})
}

// slowShapes are questions that a person waits for.
var slowShapes = []struct{ name, query string }{
	{"scan", "SELECT SUM(q) FROM d.line l"},
	{"average of the part", "SELECT SUM(q) FROM d.line l, d.part p WHERE p.pk = l.pk AND p.brand = 'b3' AND q < (SELECT 0.2 * AVG(q) FROM d.line i WHERE i.pk = p.pk)"},
	{"another line of the order", `SELECT COUNT(*) FROM d.line a WHERE late = 1
		AND EXISTS (SELECT * FROM d.line i WHERE i.ok = a.ok AND i.sk <> a.sk)
		AND NOT EXISTS (SELECT * FROM d.line i WHERE i.ok = a.ok AND i.sk <> a.sk AND i.late = 1)`},
	{"a figure of each part", "SELECT SUM(n) FROM (SELECT (SELECT COUNT(*) FROM d.line i WHERE i.pk = p.pk) n FROM d.part p) t"},
	{"the last of each order", "SELECT COUNT(*) FROM d.line a WHERE q = (SELECT MAX(q) FROM d.line i WHERE i.ok = a.ok)"},
	{"the least of a join", "SELECT COUNT(*) FROM d.part p WHERE 5 > (SELECT MIN(i.q) FROM d.line i JOIN d.part b ON b.pk = i.sk WHERE i.pk = p.pk AND b.brand = 'b3')"},
	{"times", "SELECT COUNT(*) FROM d.line WHERE shipped BETWEEN FROM_UNIXTIME(1720000000) AND FROM_UNIXTIME(1730000000)"},
	{"texts of times", "SELECT COUNT(*) FROM d.line WHERE shipped BETWEEN '2024-07-03 09:46:40' AND '2024-10-27 03:33:20'"},
}

// Subqueries that look at a row outside, and conditions on times, beside a scan of the table
// that they read; over a tenth unless in full of the rows.
func BenchmarkSlowShapes(b *testing.B) {
	db := servertest.Start(b, server.Config{}).Open(b, servertest.Root)
	if !testsize.All() {
		orders(b, db, 200, 6000)
	} else {
		orders(b, db, 2000, 60_000)
	}
	for _, shape := range slowShapes {
		b.Run(shape.name, func(b *testing.B) {
			for b.Loop() {
				var figure dbsql.NullString
				if err := db.QueryRow(shape.query).Scan(&figure); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
