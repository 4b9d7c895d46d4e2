package raw_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/catalog/catalogtest"
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

// A step is a random statement and what it should do to the oracle: the new
// state, or nil when it must fail.
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
	next = o.copy()
	switch random.IntN(8) {
	case 0, 1:
		if o.clashes(id, r, -1) {
			next = nil
		} else {
			next[id] = r
		}
		return fmt.Sprintf("INSERT INTO t (id, n, s) VALUES (%d, %d, %s)", id, n, literal), next
	case 2:
		if !o.clashes(id, r, -1) {
			next[id] = r
		}
		return fmt.Sprintf("INSERT IGNORE INTO t (id, n, s) VALUES (%d, %d, %s)", id, n, literal), next
	case 3:
		for other, row := range o {
			if other == id || r.s != "" && strings.EqualFold(row.s, r.s) {
				delete(next, other)
			}
		}
		next[id] = r
		return fmt.Sprintf("REPLACE INTO t (id, n, s) VALUES (%d, %d, %s)", id, n, literal), next
	case 4:
		if row, ok := o[id]; ok {
			row.n += 100
			next[id] = row
		} else {
			next[id] = oracleRow{n: n}
		}
		return fmt.Sprintf("INSERT INTO t (id, n) VALUES (%d, %d) ON DUPLICATE KEY UPDATE n = t.n + 100", id, n), next
	case 5:
		for other, row := range o {
			if row.n == n {
				delete(next, other)
			}
		}
		return fmt.Sprintf("DELETE FROM t WHERE n = %d", n), next
	case 6:
		if _, ok := o[id]; ok {
			if o.clashes(id, r, id) {
				next = nil
			} else {
				next[id] = r
			}
		}
		return fmt.Sprintf("UPDATE t SET n = %d, s = %s WHERE id = %d", n, literal, id), next
	}
	for other, row := range o {
		if row.n > 2 {
			row.n--
			next[other] = row
		}
	}
	return "UPDATE t SET n = n - 1 WHERE n > 2", next
}

// Random statements in random transactions, with rollbacks and savepoints,
// against the oracle: after every statement the session sees the oracle's
// rows, and another session those of the last commit.
func TestRandomStatements(t *testing.T) {
	for seed := range catalogtest.FewerSeeds(6) {
		random := rand.New(rand.NewPCG(seed, 7))
		b := catalogtest.NewBench(t)
		c, other := b.Owner(), b.Client()
		other.Session.SetCurrentDatabase("d")
		c.Run("CREATE TABLE t (id INT PRIMARY KEY, n INT, s VARCHAR(5) COLLATE utf8mb4_0900_ai_ci UNIQUE, KEY (n))")
		if seed%2 == 1 { // without a primary key rows are found by the unique key or the locator
			c.Run("ALTER TABLE t DROP PRIMARY KEY", "ALTER TABLE t ADD UNIQUE KEY (id)", "ALTER TABLE t MODIFY COLUMN id INT NULL")
		}
		committed := oracle{}
		now := committed
		var saved oracle
		open := false
		const all = "SELECT LPAD(id, 4, '0'), n, s FROM t ORDER BY id"
		for range 250 {
			switch random.IntN(14) {
			case 0:
				c.Run("START TRANSACTION")
				committed, open, saved = now, true, nil
			case 1:
				c.Run("COMMIT")
				committed, open, saved = now, false, nil
			case 2:
				c.Run("ROLLBACK")
				if open {
					now = committed
				}
				open, saved = false, nil
			case 3:
				if open {
					c.Run("SAVEPOINT s")
					saved = now
				}
			case 4:
				if saved != nil {
					c.Run("ROLLBACK TO SAVEPOINT s")
					now = saved
				}
			default:
				statement, next := now.step(random)
				_, err := c.Try(statement)
				if (err == nil) != (next != nil) {
					t.Fatalf("seed %d: %s on %s: error %v, want error %v", seed, statement, now.text(), err, next == nil)
				}
				if next != nil {
					now = next
				}
				if !open {
					committed = now
				}
			}
			c.Want(all, now.text())
			c.Want("SELECT COUNT(*) FROM t", fmt.Sprint(len(now)))
			other.Want(all, committed.text())
			v := random.IntN(5)
			want := 0
			for _, r := range now {
				if r.n == v {
					want++
				}
			}
			c.Want(fmt.Sprintf("SELECT COUNT(id) FROM t WHERE n = %d", v), fmt.Sprint(want))
		}
		c.Session.SessionEnd()
		b.Reopen()
		last := b.Client()
		last.Session.SetCurrentDatabase("d")
		last.Want(all, committed.text())
	}
}
