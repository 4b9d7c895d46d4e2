package raw_test

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/sqlite"
	"github.com/anonsql/anonsql/testsize"
)

// touched returns the committed changes of a lineage as the numbers of rows.
func touched(b *catalogtest.Bench, id int64) []int64 {
	b.T.Helper()
	rows := []int64{}
	var there int
	b.Stored(fmt.Sprintf("SELECT count(*) FROM sqlite_schema WHERE name = 'live%d'", id), &there)
	if there == 0 {
		return rows
	}
	err := b.Catalog.View(context.Background(), func(tx *dbsql.Conn) error {
		return sqlite.ScanRows(tx, func(found *dbsql.Rows) error {
			var row int64
			err := found.Scan(&row)
			rows = append(rows, row)
			return err
		}, fmt.Sprintf("SELECT row FROM live%d ORDER BY row", id))
	})
	if err != nil {
		b.T.Fatal(err)
	}
	return rows
}

// forgetChanges deletes the recorded changes, as a refresh does.
func forgetChanges(b *catalogtest.Bench, id int64) {
	b.T.Helper()
	b.Store(fmt.Sprintf("UPDATE live_lineages SET next_row = max(next_row, (SELECT coalesce(max(row), 0) + 1 FROM live%d)) WHERE id = %d", id, id),
		fmt.Sprintf("DELETE FROM live%d", id))
}

// Every way to change a row is recorded, unless the released values stay the same. Rows are numbered in the order of
// insertion.
func TestCaptureOfStatements(t *testing.T) {
	b := catalogtest.NewBench(t)
	r := b.Releases()
	c := b.Owner()
	c.Run("CREATE TABLE t (id INT PRIMARY KEY, q VARCHAR(9) COLLATE utf8mb4_0900_ai_ci, s DOUBLE, other INT)",
		"INSERT INTO t VALUES (1, 'a', 1, 0), (2, 'b', 2, 0), (3, NULL, NULL, 0)")
	id := c.Follow(r, "t", "q", "s")
	for _, step := range []struct {
		statements string
		rows       []int64
	}{
		{"UPDATE t SET other = 7", nil},
		{"UPDATE t SET s = s", nil},
		{"UPDATE t SET q = 'A', other = 9 WHERE id = 1", []int64{1}}, // equal under the collation, other bytes
		{"UPDATE t SET s = 5 WHERE q IS NULL", []int64{3}},
		{"INSERT INTO t VALUES (4, 'd', 4, 0)", []int64{4}},
		{"INSERT INTO t VALUES (5, 'd', 4, 0), (6, 'd', 4, 0)", []int64{5, 6}},
		{"INSERT INTO t SELECT id + 10, q, s, other FROM t WHERE id > 4", []int64{7, 8}},
		{"DELETE FROM t WHERE id = 15", []int64{7}},
		{"REPLACE INTO t VALUES (2, 'b', 2, 0)", []int64{2, 9}},
		{"INSERT INTO t VALUES (2, 'x', 2, 0) ON DUPLICATE KEY UPDATE q = 'y'", []int64{9}},
		{"INSERT INTO t VALUES (2, 'x', 2, 0) ON DUPLICATE KEY UPDATE other = 8", nil},
		{"INSERT IGNORE INTO t VALUES (1, 'x', 2, 0), (20, 'x', 2, 0)", []int64{10}},
		{"START TRANSACTION; UPDATE t SET q = 'z'; DELETE FROM t WHERE id = 1; ROLLBACK", nil},
		{"START TRANSACTION; DELETE FROM t WHERE id = 1; SAVEPOINT a; DELETE FROM t WHERE id = 3; ROLLBACK TO SAVEPOINT a; COMMIT", []int64{1}},
		{"fails: INSERT INTO t VALUES (30, 'x', 2, 0), (31, 'x', 2, 0), (3, 'x', 2, 0)", nil},
		{"fails: UPDATE t SET id = 3, q = 'w' WHERE id > 3", nil},
		{"START TRANSACTION; INSERT INTO t VALUES (40, 'x', 2, 0); DELETE FROM t WHERE id = 40; COMMIT", []int64{11}},
		{"INSERT INTO t VALUES (41, 'x', 2, 0)", []int64{12}}, // 11 was given
		{"TRUNCATE TABLE t", []int64{3, 4, 5, 6, 8, 9, 10, 12}},
		{"INSERT INTO t VALUES (1, 'x', 2, 0)", []int64{13}}, // no number of before
	} {
		forgetChanges(b, id)
		if failing, ok := strings.CutPrefix(step.statements, "fails: "); ok {
			c.Fails(failing, "")
		} else {
			c.Run(strings.Split(step.statements, "; ")...)
		}
		if got := touched(b, id); !slices.Equal(got, step.rows) {
			t.Errorf("%s: rows %d are recorded, want %d", step.statements, got, step.rows)
		}
	}
}

func TestCaptureOfLoads(t *testing.T) {
	b := catalogtest.NewBench(t)
	r := b.Releases()
	c := b.Owner()
	c.Run("CREATE TABLE t (id INT PRIMARY KEY, q INT, KEY (q))")
	id := c.Follow(r, "t", "q")
	row := func(i int) sql.Row { return sql.Row{int32(i), int32(i)} }
	c.Load("t", row, 0, 950) // into an empty table, with its index built at the end
	if got := touched(b, id); len(got) != 0 {
		t.Errorf("%d changes before the commit", len(got))
	}
	c.Commit()
	c.Load("t", row, 1000, 1300)
	c.Commit()
	if got := touched(b, id); len(got) != 1250 || got[1249] != 1250 {
		t.Errorf("%d changes", len(got))
	}
	forgetChanges(b, id)
	ctx := c.Context()
	loader, err := c.Table("t").BulkLoad(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := 2000; i < 2500; i++ {
		if err := loader.Append(ctx, row(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := loader.Abort(ctx); err != nil {
		t.Fatal(err)
	}
	c.Commit()
	if got := touched(b, id); len(got) != 0 {
		t.Errorf("%d changes of a load that was undone", len(got))
	}
	c.Want("SELECT COUNT(*) FROM t WHERE q = 5", "1")
}

// Row numbers survive changes of the definition, and the recording continues.
func TestCaptureThroughAlter(t *testing.T) {
	b := catalogtest.NewBench(t)
	r := b.Releases()
	c := b.Owner()
	c.Run("CREATE TABLE t (id INT, q VARCHAR(9), s INT, o DECIMAL(6,2), KEY sq (s, q))",
		"INSERT INTO t VALUES (1, 'a', 1, 1), (2, 'b', 2, 2), (3, 'c', 3, 3), (4, 'd', 4, 4)", "DELETE FROM t WHERE id IN (1, 3)")
	id := c.Follow(r, "t", "q", "s")
	keys := func() []int64 {
		_, keys, err := c.Table("t").MicrodataWithKeys(c.Context(), []string{"id"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Session.SessionEnd()
		return keys
	}
	want, quasi, sensitive := []int64{2, 4}, "q", "s"
	for _, alter := range []string{
		"ALTER TABLE t ADD COLUMN x INT DEFAULT 5", "ALTER TABLE t ADD COLUMN y INT FIRST", "ALTER TABLE t MODIFY COLUMN o DOUBLE",
		"ALTER TABLE t ADD PRIMARY KEY (id)", "ALTER TABLE t RENAME COLUMN q TO quasi", "ALTER TABLE t DROP COLUMN y", "ALTER TABLE t DROP PRIMARY KEY",
		"ALTER TABLE t ADD COLUMN a BIGINT AUTO_INCREMENT PRIMARY KEY", "ALTER TABLE t DROP INDEX sq", "CREATE UNIQUE INDEX i ON t (id)",
		"ALTER TABLE t CHANGE COLUMN s sens INT NOT NULL", "RENAME TABLE t TO u; RENAME TABLE u TO t",
		"ALTER TABLE t MODIFY COLUMN sens INT AFTER id", "ALTER TABLE t MODIFY COLUMN sens BIGINT", "ALTER TABLE t MODIFY COLUMN quasi VARCHAR(40)",
	} {
		c.Run(strings.Split(alter, "; ")...)
		if strings.Contains(alter, "quasi") {
			quasi = "quasi"
		}
		if strings.Contains(alter, "sens") {
			sensitive = "sens"
		}
		if got := keys(); !slices.Equal(got, want) {
			t.Fatalf("%s: rows %d, want %d", alter, got, want)
		}
		c.Fails("ALTER TABLE t MODIFY COLUMN "+quasi+" INT", "") // half-way
		if got := touched(b, id); len(got) != 0 {
			t.Fatalf("%s: records %d", alter, got)
		}
		c.Run("UPDATE t SET "+sensitive+" = 1 + "+sensitive+" WHERE id = 4", "INSERT INTO t (id, "+quasi+", "+sensitive+") SELECT 9, 'n', 9", "DELETE FROM t WHERE id = 9")
		if got := touched(b, id); len(got) != 2 || got[0] != 4 {
			t.Fatalf("%s: then records %d", alter, got)
		}
		forgetChanges(b, id)
		if alter == "ALTER TABLE t DROP PRIMARY KEY" {
			c.Session.SessionEnd()
			b.ReopenWith(c)
			// A lineage without a release does not survive the start.
			id = c.Follow(b.Releases(), "t", "quasi", "s")
		}
	}
}

// A change of the definition that removes a followed column, or changes its type, ends the following with a reason;
// the following of other columns continues.
func TestFollowingEndsWithItsColumns(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c := b.Releases(), b.Owner()
	for _, x := range []struct{ name, alter, reason string }{
		{"a column is dropped", "ALTER TABLE t DROP COLUMN s", "dropped"},
		{"another type", "ALTER TABLE t MODIFY COLUMN s VARCHAR(20)", "became varchar(20)"},
		{"another length", "ALTER TABLE t MODIFY COLUMN q VARCHAR(8)", "became varchar(8)"},
		{"another collation", "ALTER TABLE t MODIFY COLUMN q VARCHAR(9) COLLATE utf8mb4_general_ci", "utf8mb4_general_ci"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c.Run("CREATE TABLE t (id INT PRIMARY KEY, q VARCHAR(9), s INT, KEY (id, s))", "INSERT INTO t VALUES (1, 'a', 1)")
			id, other := c.Follow(r, "t", "q", "s"), c.Follow(r, "t", "id")
			if strings.Contains(x.alter, "DROP") {
				c.Run("ALTER TABLE t DROP INDEX id") // so that the column goes in place
			}
			c.Run("START TRANSACTION", x.alter, "ROLLBACK")
			c.Run("INSERT INTO t (id) VALUES (2)")
			if n, reason := len(touched(b, id)), ended(b, id); (n == 1) != (reason == "") {
				t.Errorf("after a ROLLBACK: %d changes, %q", n, reason)
			}
			if ended(b, id) == "" {
				c.Run(x.alter)
			}
			c.Run("INSERT INTO t (id) VALUES (3)")
			if got := ended(b, id); !strings.Contains(got, x.reason) || len(touched(b, id)) != 0 {
				t.Errorf("%q, %d changes", got, len(touched(b, id)))
			}
			if got := touched(b, other); !slices.Equal(got, []int64{2, 3}) {
				t.Errorf("the other one records %d", got)
			}
			c.Run("DROP TABLE t")
			if n := b.Triggers(); n != 0 {
				t.Fatalf("%d triggers", n)
			}
		})
	}
}

// ended returns why a following ended, "" if it continues.
func ended(b *catalogtest.Bench, id int64) (reason string) {
	b.T.Helper()
	err := b.Catalog.View(b.T.Context(), func(tx *dbsql.Conn) (err error) {
		_, reason, err = raw.LineageByID(tx, id)
		return err
	})
	if err != nil {
		b.T.Fatal(err)
	}
	return reason
}

// A following without a release ends when it is told to, at the next start, and with
// its database.
func TestFollowingWithoutARelease(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c := b.Releases(), b.Owner()
	c.Run("CREATE TABLE t (id INT PRIMARY KEY)")
	id := c.Follow(r, "t", "id")
	c.Run("INSERT INTO t VALUES (1)")
	if err := r.Unfollow(c.Context(), id); err != nil || b.Triggers() != 0 || len(touched(b, id)) != 0 {
		t.Errorf("after Unfollow: %v, %d triggers, changes %d", err, b.Triggers(), touched(b, id))
	}
	c.Follow(r, "t", "id")
	c.Run("START TRANSACTION", "INSERT INTO t VALUES (2)")
	if _, err := r.Follow(c.Context(), c.Table("t"), []string{"id"}); err == nil || !strings.Contains(err.Error(), "COMMIT") {
		t.Errorf("Follow with uncommitted changes: %v", err)
	}
	c.Run("COMMIT")
	b.ReopenWith(c) // as after a kill before Publish
	if n := b.Triggers(); n != 0 {
		t.Errorf("%d triggers after the start", n)
	}
	c.Follow(b.Releases(), "t", "id")
	c.Run("INSERT INTO t VALUES (3)", "DROP DATABASE d")
	if n := b.Triggers(); n != 0 {
		t.Errorf("%d triggers after DROP DATABASE", n)
	}
}

// A model of a followed table: the released column's values by row number, the changed rows, and the lowest free
// number.
type followedModel struct {
	values  map[int64]int
	touched map[int64]bool
	next    int64
}

func (m *followedModel) copy() *followedModel {
	return &followedModel{maps.Clone(m.values), maps.Clone(m.touched), m.next}
}

// Random statements in random transactions against the model: in all more than
// 10,000 changes of rows. Every row has its number in column n, which the model
// knows beforehand, so that statements pick rows by numbers.
func TestRandomCapture(t *testing.T) {
	operations := 0
	for seed := range testsize.Of[uint64](1, 4) {
		random := rand.New(rand.NewPCG(seed, 11))
		b := catalogtest.NewBench(t)
		c := b.Owner()
		c.Run("CREATE TABLE t (n BIGINT PRIMARY KEY, v INT, o INT)")
		id := c.Follow(b.Releases(), "t", "v")
		m := newTransacted(c, &followedModel{map[int64]int{}, map[int64]bool{}, 1}, (*followedModel).copy)
		for range 220 {
			switch random.IntN(16) {
			case 0, 1:
				m.start()
			case 2:
				m.commit()
			case 3:
				m.rollback()
			case 4:
				m.savepoint()
			case 5:
				m.rollbackToSavepoint()
			case 6:
				m.leave()
				if random.IntN(3) == 0 {
					forgetChanges(b, id)
					clear(m.now.touched)
					m.changed(m.now)
				}
			default:
				statement, changes := m.now.step(random)
				operations += changes
				c.Run(statement)
				m.changed(m.now)
			}
			if got, want := touched(b, id), slices.Sorted(maps.Keys(m.committed.touched)); !slices.Equal(got, want) {
				t.Fatalf("seed %d: recorded %d, want %d", seed, got, want)
			}
		}
		c.Session.SessionEnd()
		checkFollowed(t, c, m.committed)
	}
	if operations < 10_000 && testsize.All() {
		t.Errorf("%d operations", operations)
	}
}

// checkFollowed compares the rows of the table, and their numbers, with the model's.
func checkFollowed(t *testing.T, c *catalogtest.Client, m *followedModel) {
	t.Helper()
	data, keys, err := c.Table("t").MicrodataWithKeys(c.Context(), []string{"n", "v"}, nil)
	if err != nil || len(keys) != len(m.values) {
		t.Fatalf("%d rows (%v), want %d", len(keys), err, len(m.values))
	}
	for row, key := range keys {
		if data.Columns[0].Value(row).Int != key || int(data.Columns[1].Value(row).Int) != m.values[key] {
			t.Fatalf("row %d has the number %d and the values %v %v", row, key, data.Columns[0].Value(row), data.Columns[1].Value(row))
		}
	}
}

// insert adds n rows to the model and returns the statement that does the same.
func (m *followedModel) insert(random *rand.Rand, verb string, n int) string {
	var tuples []string
	for range n {
		v := random.IntN(9)
		tuples = append(tuples, fmt.Sprintf("(%d, %d, 0)", m.next, v))
		m.values[m.next], m.touched[m.next] = v, true
		m.next++
	}
	return verb + " INTO t VALUES " + strings.Join(tuples, ", ")
}

// each calls f for the rows that are there above from, up to and with to, and counts
// them.
func (m *followedModel) each(from, to int64, f func(row int64)) int {
	n := 0
	for row := from + 1; row <= to; row++ {
		if _, ok := m.values[row]; ok {
			f(row)
			n++
		}
	}
	return n
}

// empty deletes all rows.
func (m *followedModel) empty() (statement string, changes int) {
	changes = len(m.values)
	for row := range m.values {
		m.touched[row] = true
	}
	clear(m.values)
	return "DELETE FROM t", changes
}

// step changes the model and returns the statement that does the same.
func (m *followedModel) step(random *rand.Rand) (statement string, changes int) {
	below := int64(random.IntN(int(m.next) + 1))
	from := max(0, below-int64(random.IntN(60)))
	where := fmt.Sprintf(" WHERE n > %d AND n <= %d", from, below)
	switch k := random.IntN(12); k {
	case 0, 1, 2, 3, 4:
		n := 1 + random.IntN(60)
		return m.insert(random, []string{"INSERT", "REPLACE"}[k%2], n), n
	case 5, 6:
		n := m.each(from, below, func(row int64) { delete(m.values, row); m.touched[row] = true })
		return "DELETE FROM t" + where, n
	case 7:
		n := m.each(from, below, func(row int64) { m.values[row]++; m.touched[row] = true })
		return "UPDATE t SET v = v + 1" + where, n
	case 8:
		n := m.each(from, below, func(row int64) {
			if m.values[row] != 3 {
				m.values[row], m.touched[row] = 3, true
			}
		})
		return "UPDATE t SET v = 3" + where, n
	case 9:
		return "UPDATE t SET o = o + 1" + where, m.each(from, below, func(int64) {})
	case 10:
		if len(m.values) < 800 {
			return m.insert(random, "INSERT", 20), 20
		}
		return m.empty()
	}
	row := below
	if _, ok := m.values[row]; !ok {
		return m.insert(random, "INSERT IGNORE", 1), 1
	}
	m.values[row], m.touched[row] = m.values[row]+10, true
	return fmt.Sprintf("INSERT INTO t VALUES (%d, 0, 0) ON DUPLICATE KEY UPDATE v = t.v + 10", row), 1
}
