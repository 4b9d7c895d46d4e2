package raw_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/testsize"
)

// An oracle is the slow, obvious table: a map from id to (n, s), s unique
// without regard to case when not NULL.
type oracle map[int]oracleRow

type oracleRow struct {
	n int
	s string // "" is NULL
}

func (o oracle) clashes(id int, r oracleRow, self int) bool {
	for other, row := range o {
		if other != self && (other == id || r.s != "" && strings.EqualFold(row.s, r.s)) {
			return true
		}
	}
	return false
}

func (o oracle) text() string {
	var rows []string
	for id, r := range o {
		s := r.s
		if s == "" {
			s = "NULL"
		}
		rows = append(rows, fmt.Sprintf("%04d|%d|%s", id, r.n, s))
	}
	slices.Sort(rows)
	return strings.Join(rows, " ")
}

func (o oracle) copy() oracle {
	c := oracle{}
	for id, r := range o {
		c[id] = r
	}
	return c
}

// with returns the oracle with one more row, or with a replaced one.
func (o oracle) with(id int, r oracleRow) oracle {
	next := o.copy()
	next[id] = r
	return next
}

// without is the oracle without the rows that gone is true of.
func (o oracle) without(gone func(id int, r oracleRow) bool) oracle {
	next := o.copy()
	for id, r := range o {
		if gone(id, r) {
			delete(next, id)
		}
	}
	return next
}

// A step is a random statement and its expected effect on the oracle: the new state, or nil if it must fail.
func (o oracle) step(random *rand.Rand) (statement string, next oracle) {
	id, n := random.IntN(30), random.IntN(5)
	r := oracleRow{n: n}
	if random.IntN(3) > 0 {
		r.s = string(rune("aAbBcCdDeEfFgGhH"[random.IntN(16)]))
	}
	literal := "NULL"
	if r.s != "" {
		literal = "'" + r.s + "'"
	}
	switch random.IntN(8) {
	case 0, 1:
		return fmt.Sprintf("INSERT INTO t (id, n, s) VALUES (%d, %d, %s)", id, n, literal), o.inserted(id, r, nil)
	case 2:
		return fmt.Sprintf("INSERT IGNORE INTO t (id, n, s) VALUES (%d, %d, %s)", id, n, literal), o.inserted(id, r, o)
	case 3:
		rest := o.without(func(other int, row oracleRow) bool {
			return other == id || r.s != "" && strings.EqualFold(row.s, r.s)
		})
		return fmt.Sprintf("REPLACE INTO t (id, n, s) VALUES (%d, %d, %s)", id, n, literal), rest.with(id, r)
	case 4:
		row, ok := o[id]
		if row.n += 100; !ok {
			row = oracleRow{n: n}
		}
		return fmt.Sprintf("INSERT INTO t (id, n) VALUES (%d, %d) ON DUPLICATE KEY UPDATE n = t.n + 100", id, n), o.with(id, row)
	case 5:
		return fmt.Sprintf("DELETE FROM t WHERE n = %d", n), o.without(func(_ int, row oracleRow) bool { return row.n == n })
	case 6:
		return fmt.Sprintf("UPDATE t SET n = %d, s = %s WHERE id = %d", n, literal, id), o.updated(id, r)
	}
	next = o.copy()
	for other, row := range o {
		if row.n > 2 {
			row.n--
			next[other] = row
		}
	}
	return "UPDATE t SET n = n - 1 WHERE n > 2", next
}

// inserted is the oracle with a row more, or otherwise when the row clashes.
func (o oracle) inserted(id int, r oracleRow, otherwise oracle) oracle {
	if o.clashes(id, r, -1) {
		return otherwise
	}
	return o.with(id, r)
}

// updated is the oracle with another row of an id that it has; nil when it clashes.
func (o oracle) updated(id int, r oracleRow) oracle {
	switch _, ok := o[id]; {
	case !ok:
		return o
	case o.clashes(id, r, id):
		return nil
	}
	return o.with(id, r)
}

// Random statements in random transactions, with rollbacks and savepoints,
// against the oracle: after every statement the session sees the oracle's
// rows, and another session those of the last commit.
func TestRandomStatements(t *testing.T) {
	for seed := range testsize.Of[uint64](1, 6) {
		random := rand.New(rand.NewPCG(seed, 7))
		b := catalogtest.NewBench(t)
		c, other := b.Owner(), b.Client()
		other.Session.SetCurrentDatabase("d")
		c.Run("CREATE TABLE t (id INT PRIMARY KEY, n INT, s VARCHAR(5) COLLATE utf8mb4_0900_ai_ci UNIQUE, KEY (n))")
		if seed%2 == 1 { // without a primary key rows are found by the unique key or the locator
			c.Run("ALTER TABLE t DROP PRIMARY KEY", "ALTER TABLE t ADD UNIQUE KEY (id)", "ALTER TABLE t MODIFY COLUMN id INT NULL")
		}
		m := newTransacted(c, oracle{}, oracle.copy)
		for range 250 {
			switch random.IntN(14) {
			case 0:
				m.start()
			case 1:
				m.commit()
			case 2:
				m.rollback()
			case 3:
				m.savepoint()
			case 4:
				m.rollbackToSavepoint()
			default:
				statement, next := m.now.step(random)
				_, err := c.Try(statement)
				if (err == nil) != (next != nil) {
					t.Fatalf("seed %d: %s on %s: error %v, want error %v", seed, statement, m.now.text(), err, next == nil)
				}
				if next != nil {
					m.changed(next)
				}
			}
			other.Want(allOfOracle, m.committed.text())
			m.now.compare(c, random.IntN(5))
		}
		c.Session.SessionEnd()
		b.Reopen()
		last := b.Client()
		last.Session.SetCurrentDatabase("d")
		last.Want(allOfOracle, m.committed.text())
	}
}

const allOfOracle = "SELECT LPAD(id, 4, '0'), n, s FROM t ORDER BY id"

// compare expects the oracle's rows, their number, and, by the index, the rows with n = v.
func (o oracle) compare(c *catalogtest.Client, v int) {
	c.T.Helper()
	c.Want(allOfOracle, o.text())
	c.Want("SELECT COUNT(*) FROM t", fmt.Sprint(len(o)))
	want := 0
	for _, r := range o {
		if r.n == v {
			want++
		}
	}
	c.Want(fmt.Sprintf("SELECT COUNT(id) FROM t WHERE n = %d", v), fmt.Sprint(want))
}
