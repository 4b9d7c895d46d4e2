package raw_test

import (
	"testing"

	"github.com/anonsql/anonsql/catalog/catalogtest"
)

func TestInsertSelectUpdateDelete(t *testing.T) {
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE People (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(20) NOT NULL, age TINYINT UNSIGNED DEFAULT 18)")
	c.Want("INSERT INTO people (name) VALUES ('Ann'), ('Bob')", "ok 2")
	c.Run("INSERT INTO people VALUES (7, 'Cy', NULL)", "INSERT INTO people (name, age) VALUES ('Di', 40)")
	c.Want("SELECT * FROM PEOPLE ORDER BY id", "1|Ann|18 2|Bob|18 7|Cy|NULL 8|Di|40")
	c.Run("UPDATE people SET age = age + 1 WHERE age = 18", "DELETE FROM people WHERE name = 'Cy'")
	c.Want("SELECT age, id FROM people ORDER BY id", "19|1 19|2 40|8")
	c.Want("SELECT COUNT(*) FROM people", "3")
	c.Want("SELECT COUNT(*) FROM people WHERE age > 19", "1")
	c.Want("SELECT name FROM people WHERE id = 8", "Di")
	c.Want("SELECT name FROM people WHERE id IN (1, 8, 1)", "Ann Di")
	c.Want("SELECT name FROM people WHERE id > 1 ORDER BY id LIMIT 1", "Bob")
	c.Want("SELECT table_rows FROM information_schema.tables WHERE table_name = 'People'", "3")
}

func TestStatementsThatReadWhatTheyWrite(t *testing.T) {
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE a (x INT)", "INSERT INTO a VALUES (1), (2), (3)")
	c.Want("INSERT INTO a SELECT x + 10 FROM a", "ok 3")
	c.Want("INSERT INTO a SELECT * FROM a", "ok 6")
	c.Want("SELECT x, COUNT(*) FROM a GROUP BY x ORDER BY x", "1|2 2|2 3|2 11|2 12|2 13|2")
	c.Run("START TRANSACTION", "UPDATE a SET x = x + 1", "UPDATE a SET x = x + 1", "INSERT INTO a SELECT x FROM a", "COMMIT")
	c.Want("SELECT x, COUNT(*) FROM a GROUP BY x ORDER BY x", "3|4 4|4 5|4 13|4 14|4 15|4")
	c.Run("CREATE TABLE k (id INT PRIMARY KEY, n INT)", "INSERT INTO k VALUES (1, 1), (2, 2), (3, 3)")
	c.Run("INSERT INTO k SELECT i + 1, m FROM (SELECT id AS i, n AS m FROM k) q ON DUPLICATE KEY UPDATE n = m * 10")
	c.Want("SELECT * FROM k ORDER BY id", "1|1 2|10 3|20 4|3")
}

// A CHAR has no spaces at its end, whatever was inserted: its key holds 'ab' and 'ab  ' equal.
func TestFixedTexts(t *testing.T) {
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE c (a CHAR(6) PRIMARY KEY, b VARCHAR(6))", "INSERT INTO c VALUES ('ab  ', 'ab  '), ('', ' ')")
	c.Fails("INSERT INTO c VALUES ('ab', 'x')", "duplicate primary key")
	c.Want("SELECT LENGTH(a), LENGTH(b) FROM c ORDER BY a DESC", "2|4 0|1")
	c.Want("UPDATE c SET b = 'y' WHERE a = 'ab'", "ok 1")
	c.Want("DELETE FROM c WHERE a = 'ab'", "ok 1")
}

// A DELETE over a join removes a row once, however many rows it is joined with.
func TestDeleteOverJoins(t *testing.T) {
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE e (id INT PRIMARY KEY, d INT)", "CREATE TABLE d (d INT PRIMARY KEY)",
		"INSERT INTO e VALUES (1, 10), (2, 10), (3, 20)", "INSERT INTO d VALUES (10), (20)")
	c.Run("DELETE e, d FROM e, d WHERE e.d = d.d AND d.d = 10")
	c.Want("SELECT * FROM e", "3|20")
	c.Want("SELECT * FROM d", "20")
}

// A column that becomes an AUTO_INCREMENT one counts on from the numbers that are there.
func TestModifiedToAutoIncrement(t *testing.T) {
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE a (c INT NOT NULL PRIMARY KEY)", "INSERT INTO a VALUES (100), (7)", "ALTER TABLE a MODIFY c INT AUTO_INCREMENT", "INSERT INTO a VALUES ()")
	c.Want("SELECT c FROM a ORDER BY c", "7 100 101")
}

// A DOUBLE that becomes a whole number is rounded to the even one of two, and a zero date that becomes a text is no day.
func TestModifiedToNumbersAndTexts(t *testing.T) {
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE a (id INT PRIMARY KEY, f DOUBLE, g FLOAT, d DATE, w DATETIME)", "SET sql_mode = ''",
		"INSERT INTO a VALUES (1, -0.5, 2.5, '0000-00-00', '0000-00-00'), (2, 0.5, -1.5, '2020-01-02', '2020-01-02 03:04:05'), (3, 1.5, 1.25, NULL, NULL), (4, NULL, NULL, NULL, NULL)",
		"ALTER TABLE a MODIFY f INT, MODIFY g BIGINT, MODIFY d VARCHAR(20), MODIFY w VARCHAR(20)")
	c.Want("SELECT f, g, d, w FROM a ORDER BY id", "0|2|0000-00-00|0000-00-00 00:00:00 0|-2|2020-01-02|2020-01-02 03:04:05 2|1|NULL|NULL NULL|NULL|NULL|NULL")
}

func TestKeys(t *testing.T) {
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE k (id INT PRIMARY KEY, mail VARCHAR(30) COLLATE utf8mb4_0900_ai_ci UNIQUE, n INT, KEY (n))",
		"INSERT INTO k VALUES (1, 'ann@x', 1), (2, NULL, 2), (3, NULL, 3)")
	c.Fails("INSERT INTO k VALUES (1, 'b', 1)", "duplicate primary key given: [1]")
	c.Fails("INSERT INTO k VALUES (9, 'ANN@X', 1)", "duplicate unique key given: [ANN@X]")
	c.Fails("UPDATE k SET mail = 'Ann@X' WHERE id = 2", "duplicate unique key")
	c.Want("SELECT COUNT(*) FROM k", "3")
	c.Want("INSERT IGNORE INTO k VALUES (1, 'c', 1), (4, 'd', 4), (5, 'ANN@x', 5)", "ok 1")
	c.Want("INSERT INTO k VALUES (1, 'z', 1) ON DUPLICATE KEY UPDATE n = n + 100", "ok 2")
	c.Want("REPLACE INTO k VALUES (2, 'ANN@x', 7)", "ok 2")
	c.Want("SELECT * FROM k ORDER BY id", "2|ANN@x|7 3|NULL|3 4|d|4")
	c.Want("SELECT id FROM k WHERE mail = 'ann@X'", "2")
	c.Want("SELECT id FROM k WHERE mail IS NULL", "3")
	c.Want("SELECT id FROM k WHERE n = 7", "2")
	c.Want("SELECT id FROM k WHERE n = 7 OR n BETWEEN 3 AND 4 ORDER BY id", "2 3 4")
	c.Fails("INSERT INTO k VALUES (20, 'e', 1), (21, 'f', 1), (20, 'g', 1)", "duplicate primary key")
	c.Want("SELECT COUNT(*) FROM k WHERE id >= 20", "0")
	c.Want("SELECT a.id, b.id FROM k a JOIN k b ON a.n = b.n ORDER BY 1", "2|2 3|3 4|4")
	c.Run("CREATE TABLE p (a INT, b INT, c TEXT, PRIMARY KEY (b, a), UNIQUE KEY (c(3)))", "INSERT INTO p VALUES (1, 2, 'abcd'), (2, 1, 'xbcd')")
	c.Fails("INSERT INTO p VALUES (5, 5, 'abcz')", "duplicate unique key")
	c.Want("SELECT c FROM p WHERE a = 1 AND b = 2", "abcd")
	c.Want("SELECT c FROM p WHERE b = 1 AND a > 0 OR b = 1 AND a < 9", "xbcd")
	c.Want("SELECT a FROM p WHERE c = 'abcd'", "1")
}

func TestKeylessRowsAreFound(t *testing.T) {
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE n (a INT, b VARCHAR(5), f DOUBLE, x BLOB, j JSON)",
		`INSERT INTO n VALUES (1, 'x', 0.5, x'00FF', '{"b": [1, 2.5], "a": null}'), (1, 'x', 0.5, x'00FF', '{"a": null, "b": [1, 2.5]}'), (NULL, NULL, NULL, NULL, NULL)`)
	c.Want("DELETE FROM n WHERE a = 1 LIMIT 1", "ok 1")
	c.Want("SELECT COUNT(*) FROM n", "2")
	c.Want("UPDATE n SET b = 'y'", "ok 2")
	c.Want("UPDATE n SET a = 5, j = JSON_SET(COALESCE(j, '{}'), '$.c', 1)", "ok 2")
	c.Want("SELECT a, b, f, x, j FROM n ORDER BY f", `5|y|NULL|NULL|{"c":1} 5|y|0.5|x00FF|{"a":null,"b":[1,2.5],"c":1}`)
	c.Want("DELETE FROM n WHERE b = 'y'", "ok 2")
	c.Want("SELECT COUNT(*) FROM n", "0")
}

func TestAlter(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (a INT, b VARCHAR(10), c DOUBLE, UNIQUE KEY ub (b), KEY ac (a, c)) COMMENT 'people'",
		"INSERT INTO t VALUES (1, 'x', 1.5), (2, 'y', 2.5)")
	table, err := b.Catalog.Table(c.Context(), "d", "t")
	if err != nil {
		t.Fatal(err)
	}
	id := table.ID()
	c.Run("ALTER TABLE t ADD COLUMN n INT AFTER a", "ALTER TABLE t ADD COLUMN s VARCHAR(3) NOT NULL DEFAULT 'q' FIRST")
	c.Want("SELECT * FROM t", "q|1|NULL|x|1.5 q|2|NULL|y|2.5")
	c.Run("ALTER TABLE t DROP COLUMN n", "ALTER TABLE t RENAME COLUMN b TO Bee", "ALTER TABLE t MODIFY COLUMN c DECIMAL(6,2)")
	c.Want("SELECT * FROM t WHERE bee = 'y'", "q|2|y|2.5")
	c.Fails("INSERT INTO t (bee) VALUES ('x')", "duplicate unique key")
	c.Run("ALTER TABLE t ADD PRIMARY KEY (a)")
	c.Fails("INSERT INTO t (a) VALUES (2)", "duplicate primary key")
	c.Run("ALTER TABLE t DROP PRIMARY KEY", "ALTER TABLE t DROP INDEX ub", "INSERT INTO t (a, bee) VALUES (2, 'x')")
	c.Fails("ALTER TABLE t ADD UNIQUE KEY u2 (bee)", "[x]")
	c.Fails("ALTER TABLE t ADD PRIMARY KEY (a)", "duplicate primary key")
	c.Run("ALTER TABLE t DROP COLUMN a", "ALTER TABLE t ADD CONSTRAINT pos CHECK (c > 0)")
	c.Fails("INSERT INTO t (c) VALUES (-1)", "pos")
	c.Fails("ALTER TABLE t MODIFY COLUMN bee INT", "x")
	c.Want("SELECT * FROM t", "q|x|1.5 q|y|2.5 q|x|NULL")
	c.Run("ALTER TABLE t ADD COLUMN i BIGINT AUTO_INCREMENT PRIMARY KEY", "ALTER TABLE t RENAME TO u", "ALTER TABLE u ADD COLUMN z1 INT, ADD COLUMN z2 INT DEFAULT 3, DROP COLUMN s")
	for range 2 {
		c.Want("SELECT * FROM u ORDER BY i", "x|1.5|1|NULL|3 y|2.5|2|NULL|3 x|NULL|3|NULL|3")
		rows, err := c.Try("SHOW CREATE TABLE u")
		if err != nil {
			t.Fatal(err)
		}
		const expected = "u|CREATE TABLE `u` (\n  `Bee` varchar(10),\n  `c` decimal(6,2),\n  `i` bigint NOT NULL AUTO_INCREMENT,\n  `z1` int,\n  `z2` int DEFAULT '3',\n" +
			"  PRIMARY KEY (`i`),\n  KEY `ac` (`c`),\n  CONSTRAINT `pos` CHECK ((`c` > 0))\n) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_bin COMMENT='people'"
		if rows[0] != expected {
			t.Errorf("SHOW CREATE TABLE:\n got %s\nwant %s", rows[0], expected)
		}
		table, err = b.Catalog.Table(c.Context(), "D", "U")
		if err != nil || table.ID() != id {
			t.Errorf("the table's id is %d (%v), was %d", table.ID(), err, id)
		}
		c.Session.SessionEnd()
		b.Reopen()
		c = b.Client()
		c.Session.SetCurrentDatabase("d")
	}
	c.Run("INSERT INTO u (c) VALUES (9)")
	c.Want("SELECT i FROM u WHERE c = 9", "4")
}

func TestAutoIncrement(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, x INT) AUTO_INCREMENT = 10", "INSERT INTO t (x) VALUES (1), (2)")
	c.Want("SELECT LAST_INSERT_ID()", "10")
	c.Run("ALTER TABLE t AUTO_INCREMENT = 5", "INSERT INTO t VALUES (NULL, 3)", "INSERT INTO t VALUES (0, 4)", "INSERT INTO t VALUES (100, 5)")
	c.Want("SELECT id FROM t ORDER BY id", "10 11 12 13 100")
	c.Run("DELETE FROM t WHERE id = 100")
	b.Reopen()
	c = b.Client()
	c.Session.SetCurrentDatabase("d")
	c.Run("INSERT INTO t (x) VALUES (6)")
	c.Want("SELECT id FROM t WHERE x = 6", "101")
	c.Run("ALTER TABLE t AUTO_INCREMENT = 500", "INSERT INTO t (x) VALUES (7)", "TRUNCATE TABLE t", "INSERT INTO t (x) VALUES (8)")
	c.Want("SELECT * FROM t", "1|8")
}

func TestTablesMadeOfOthers(t *testing.T) {
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, s VARCHAR(9) DEFAULT 'q', KEY (s)) COMMENT 'c'", "INSERT INTO t VALUES (1, 'a'), (2, NULL)",
		"CREATE TABLE u AS SELECT id, s, id * 2 AS d FROM t", "ALTER TABLE u ADD PRIMARY KEY (id)", "CREATE TABLE v LIKE t", "INSERT INTO v (id) VALUES (7)")
	c.Want("SELECT * FROM u", "1|a|2 2|NULL|4")
	c.Want("SELECT * FROM v", "7|q")
	c.Run("UPDATE t JOIN u ON t.id = u.id SET t.s = 'j', u.s = 'k' WHERE t.id = 2")
	c.Want("SELECT t.s, u.s FROM t JOIN u ON t.id = u.id ORDER BY t.id", "a|a j|k")
	c.Want("WITH w AS (SELECT id FROM t) SELECT COUNT(*) FROM w JOIN v", "2")
	c.Fails("CREATE TABLE w AS SELECT id, 1/0 FROM nothing", "not found")
	c.Want("SHOW TABLES", "t u v")
}
