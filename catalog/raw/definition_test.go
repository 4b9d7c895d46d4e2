package raw_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/catalog/catalogtest"
)

func TestViewsProceduresAndDatabasesSurvive(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (x INT)", "INSERT INTO t VALUES (1), (2)", "CREATE VIEW V AS SELECT x + 1 AS y FROM t",
		"CREATE PROCEDURE p(n INT) SELECT x FROM t WHERE x = n", "CREATE DATABASE E2 COLLATE utf8mb4_0900_ai_ci")
	c.Fails("CREATE VIEW v AS SELECT 1", "already exists")
	c.Fails("CREATE TABLE v (x INT)", "already exists")
	c.Fails("CREATE DATABASE D", "exists")
	c.Fails("CREATE TABLE T (x INT)", "already exists")
	for range 2 {
		c.Want("SELECT * FROM v", "2 3")
		c.Want("CALL p(2)", "2")
		c.Want("SHOW DATABASES", "E2 d information_schema")
		b.Reopen()
		c = b.Client()
		c.Session.SetCurrentDatabase("d")
	}
	c.Run("CREATE TABLE E2.ci (s VARCHAR(9) PRIMARY KEY)", "INSERT INTO e2.CI VALUES ('Doctor')")
	c.Want("SELECT s FROM E2.ci WHERE s = 'DOCTOR'", "Doctor")
	c.Run("DROP VIEW v", "DROP PROCEDURE p", "DROP DATABASE e2")
	c.Fails("SELECT * FROM v", "table not found")
	c.Fails("CALL p(1)", "does not exist")
	c.Want("SHOW DATABASES", "d information_schema")
	c.Run("CREATE DATABASE E2", "CREATE TABLE e2.ci (x INT)")
}

func TestRefusals(t *testing.T) {
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE t (x INT PRIMARY KEY)")
	for statement, part := range map[string]string{
		"CREATE TABLE g (p POINT)":                                       "not supported",
		"CREATE TABLE g (a INT, b INT AS (a + 1) VIRTUAL)":               "virtual generated columns",
		"CREATE TABLE g (a INT, FOREIGN KEY (a) REFERENCES t (x))":       "foreign key",
		"CREATE TEMPORARY TABLE g (a INT)":                               "emporary",
		"CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.x = 1": "triggers",
		"CREATE EVENT g ON SCHEDULE EVERY 1 DAY DO SELECT 1":             "event",
		"SET PERSIST max_connections = 5":                                "not supported",
		"CREATE TABLE `" + strings.Repeat("n", 65) + "` (x INT)":         "invalid identifier",
		"ALTER TABLE t DROP COLUMN x":                                    "at least one column",
	} {
		c.Fails(statement, part)
	}
	c.Want("SHOW TABLES", "t")
}

func TestDefaultsChecksAndGeneratedColumns(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run(`CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(20) DEFAULT 'it''s', e VARCHAR(5) DEFAULT '', n INT DEFAULT (1 + 2),
		d DATE DEFAULT '2020-02-29', ts DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6), u DECIMAL(5,2) DEFAULT 1.5,
		g INT AS (n * 2) STORED, h INT DEFAULT (n + 1), nn INT DEFAULT NULL, CONSTRAINT c1 CHECK (n < 10), CHECK (u > 0) NOT ENFORCED)`)
	for i := range 3 {
		c.Run("INSERT INTO t (id) VALUES (" + string(rune('1'+i)) + ")")
		c.Fails("INSERT INTO t (id, n) VALUES (99, 10)", "c1")
		c.Run("INSERT INTO t (id, u) VALUES (1000, -1)", "DELETE FROM t WHERE id = 1000")
		if i == 1 {
			c.Run("ALTER TABLE t MODIFY COLUMN nn BIGINT", "RENAME TABLE t TO t2", "RENAME TABLE t2 TO t")
		}
		b.Reopen()
		c = b.Client()
		c.Session.SetCurrentDatabase("d")
	}
	c.Want("SELECT id, s, e, n, d, u, g, h, nn FROM t ORDER BY id",
		"1|it's||3|2020-02-29 00:00:00.000000|1.5|6|4|NULL 2|it's||3|2020-02-29 00:00:00.000000|1.5|6|4|NULL 3|it's||3|2020-02-29 00:00:00.000000|1.5|6|4|NULL")
	c.Want("SELECT COUNT(*) FROM t WHERE ts > '2020-01-01'", "3")
	c.Run("UPDATE t SET n = 5 WHERE id = 2")
	c.Want("SELECT g FROM t WHERE id = 2", "10")
}

// The bytes of the file must not contain deleted data.
func TestDeletedRowsLeaveTheFile(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (x TEXT, y TEXT)", "CREATE TABLE u (x TEXT)", "INSERT INTO t VALUES ('Xsecret-row', 'Xsecret-column'), ('kept', '')",
		"INSERT INTO u VALUES (CONCAT('Xsecret-table', REPEAT('z', 20000)))",
		"DELETE FROM t WHERE x = 'Xsecret-row'", "ALTER TABLE t DROP COLUMN y", "DROP TABLE u")
	if err := b.Catalog.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(b.Dir, "anonsql.db"))
	if err != nil || !strings.Contains(string(data), "kept") || strings.Contains(string(data), "Xsecret") {
		t.Errorf("the file still holds deleted values, or not the others (%v)", err)
	}
}
