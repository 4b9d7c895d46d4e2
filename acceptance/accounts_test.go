package acceptance

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// withPublished starts a server with a system database "published" that has a table "adult" with one row.
func withPublished(h server.Host) (server.Extensions, error) {
	canRead := sql.FunctionN{Name: "test_can_read", Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
		return &ask{arguments: arguments, answer: func(ctx *sql.Context, v []string) any {
			return fmt.Sprint(h.CanRead(ctx, v[0], v[1]))
		}}, nil
	}}
	return server.Extensions{SystemDatabases: []sql.Database{published{}}, Functions: []sql.Function{canRead}}, nil
}

// published is a read-only database with one read-only table.
type published struct{}

func (published) Name() string                                 { return "published" }
func (published) GetTableNames(*sql.Context) ([]string, error) { return []string{"adult"}, nil }
func (published) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	return adult{}, strings.EqualFold(name, "adult"), nil
}

type adult struct{}

func (adult) Name() string               { return "adult" }
func (adult) String() string             { return "adult" }
func (adult) Collation() sql.CollationID { return sql.Collation_Default }
func (adult) Schema() sql.Schema {
	return sql.Schema{{Name: "n", Type: types.Int64, Source: "adult", DatabaseSource: "published"}}
}
func (adult) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(whole{}), nil
}
func (adult) PartitionRows(*sql.Context, sql.Partition) (sql.RowIter, error) {
	return sql.RowsToRowIter(sql.NewRow(int64(7))), nil
}

type whole struct{}

func (whole) Key() []byte { return nil }

func analyst(t *testing.T, s *servertest.Server) servertest.Account {
	t.Helper()
	servertest.Exec(t, s.Open(t, servertest.Root),
		"CREATE USER ana IDENTIFIED BY 'secret'", "GRANT SELECT ON published.* TO ana")
	return servertest.Account{User: "ana", Password: "secret"}
}

// refusedToAnalysts are statements that need more than SELECT on published.*.
var refusedToAnalysts = []struct {
	query string
	want  int
}{
	{"SELECT * FROM raw.adult", 1142},
	{"SELECT 1 FROM (SELECT * FROM raw.adult) t", 1142},
	{"WITH c AS (SELECT * FROM raw.adult) SELECT * FROM c", 1142},
	{"SELECT (SELECT COUNT(*) FROM raw.adult)", 1142},
	{"EXPLAIN SELECT * FROM raw.adult", 1142},
	{"USE raw", 1044},
	{"INSERT INTO raw.adult VALUES (1)", 1142},
	{"DROP TABLE raw.adult", 1142},
	{"CREATE DATABASE mine", 1044},
	{"DROP DATABASE raw", 1044},
	{"CREATE USER eve", 1227},
	{"GRANT SELECT ON raw.* TO ana", 1227},
	{"SET GLOBAL max_connections = 1", 1227},
	{"SET PERSIST max_connections = 1", 1290},
	{"SELECT 1 INTO OUTFILE 'x'", 1290},
	{"SELECT 1 INTO DUMPFILE 'x'", 1290},
	{"KILL 4000000", 1094},
}

// An analyst reads releases and nothing else, and sees no other names.
func TestAnalyst(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE DATABASE raw", "CREATE TABLE raw.adult (n INT)")
	db := s.Open(t, analyst(t, s))
	if n := one[int](t, db, "SELECT n FROM published.adult"); n != 7 {
		t.Errorf("published.adult has %d", n)
	}
	if n := one[int](t, db, "SELECT n FROM adult"); n != 7 {
		t.Errorf("adult without USE has %d", n)
	}
	for _, c := range refusedToAnalysts {
		t.Run(c.query, func(t *testing.T) {
			_, err := db.Exec(c.query)
			number(t, err, c.want)
		})
	}
	for _, query := range []string{"SHOW DATABASES", "SELECT table_schema, table_name FROM information_schema.tables", "SELECT table_schema, column_name FROM information_schema.columns"} {
		if strings.Contains(all(t, db, query), "raw") {
			t.Errorf("%s shows the raw database", query)
		}
	}
	if own := all(t, db, "SHOW GRANTS"); !strings.Contains(own, "`published`.*") {
		t.Errorf("SHOW GRANTS: %s", own)
	}
}

// GRANT and REVOKE take effect at once, also in an open session.
func TestPrivilegesInAnOpenSession(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE raw", "CREATE TABLE raw.adult (n INT)")
	account := analyst(t, s)
	db := s.Open(t, account)
	if got := one[string](t, db, "SELECT test_can_read('raw', 'adult')"); got != "false" {
		t.Errorf("the analyst can read the raw table: %s", got)
	}
	servertest.Exec(t, root, "GRANT SELECT ON raw.adult TO ana")
	if got := one[string](t, db, "SELECT test_can_read('raw', 'adult')"); got != "true" {
		t.Errorf("after GRANT: %s", got)
	}
	one[int](t, db, "SELECT COUNT(*) FROM raw.adult")
	servertest.Exec(t, root, "REVOKE SELECT ON raw.adult FROM ana")
	_, err := db.Exec("SELECT * FROM raw.adult")
	number(t, err, 1142)
	servertest.Exec(t, root, "DROP USER ana")
	_, err = db.Exec("SELECT * FROM published.adult")
	if err == nil {
		t.Error("a dropped account still reads")
	}
	if _, err := s.Open(t, account).Conn(context.Background()); servertest.Number(err) != 1045 {
		t.Errorf("a dropped account connects: %v", err)
	}
}

func TestSystemDatabaseIsNotWritten(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	db := s.Open(t, servertest.Root)
	servertest.Exec(t, db, "CREATE DATABASE raw", "CREATE TABLE raw.t (n INT)")
	for _, query := range []string{
		"INSERT INTO published.adult VALUES (1)",
		"INSERT INTO adult VALUES (1)",
		"INSERT INTO adult SELECT * FROM raw.t",
		"REPLACE INTO published.adult VALUES (1)",
		"UPDATE published.adult SET n = 1",
		"UPDATE published.adult JOIN raw.t ON adult.n = t.n SET adult.n = 1",
		"DELETE FROM published.adult",
		"DELETE adult FROM published.adult JOIN raw.t ON adult.n = t.n",
		"TRUNCATE TABLE published.adult",
		"DROP TABLE published.adult",
		"ALTER TABLE published.adult ADD COLUMN x INT",
		"RENAME TABLE published.adult TO published.other",
		"RENAME TABLE raw.t TO published.t",
		"CREATE TABLE published.x (n INT)",
		"CREATE TABLE x (n INT)",
		"CREATE TABLE published.x AS SELECT 1",
		"CREATE TABLE published.x LIKE raw.t",
		"CREATE VIEW published.v AS SELECT 1",
		"DROP VIEW published.adult",
		"CREATE INDEX i ON published.adult (n)",
		"CREATE TRIGGER published.g BEFORE INSERT ON published.adult FOR EACH ROW SET NEW.n = 1",
		"CREATE PROCEDURE published.p() SELECT 1",
		"DROP DATABASE published",
		"ALTER DATABASE published COLLATE utf8mb4_bin",
	} {
		_, err := db.Exec(query)
		if n := servertest.Number(err); n != 1142 && n != 1044 || !strings.Contains(err.Error(), "kept by the server") {
			t.Errorf("%s: %v", query, err)
		}
	}
	one[int](t, db, "SELECT COUNT(*) FROM published.adult")
}

// Accounts, privileges and passwords survive a restart.
func TestAccountsSurviveRestart(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	account := analyst(t, s)
	root := servertest.Account{User: "root", Password: "new"}
	servertest.Exec(t, s.Open(t, servertest.Root), "ALTER USER 'root'@'localhost' IDENTIFIED BY 'new'",
		"CREATE ROLE reader", "GRANT SELECT ON raw.* TO reader", "GRANT reader TO ana")
	s.Stop(t)
	s = servertest.Start(t, s.Config)
	one[int](t, s.Open(t, account), "SELECT COUNT(*) FROM published.adult")
	if got := one[string](t, s.Open(t, account), "SELECT test_can_read('raw', 't')"); got != "true" {
		t.Error("the role is lost")
	}
	one[int](t, s.Open(t, root), "SELECT COUNT(*) FROM published.adult")
	_, err := s.Open(t, servertest.Root).Conn(context.Background())
	number(t, err, 1045)
}
