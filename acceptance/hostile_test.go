package acceptance

import (
	"context"
	dbsql "database/sql"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// hostileTexts are statements that have broken servers, or might. Each gets an error or an answer.
var hostileTexts = []struct {
	name       string
	statements []string
}{
	{"definitions that are prepared", []string{
		"PREPARE p FROM 'CREATE PROCEDURE published.x() SELECT 1'",
		"EXECUTE p",
		"PREPARE p FROM 'CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1'",
		"EXECUTE p",
		"CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1",
	}},
	{"functions of rare arguments", []string{
		"SELECT TRIM(NULL FROM 'a')",
		"SELECT 'a' LIKE 'a' ESCAPE ''",
		"SELECT ROUND(NOW())",
		"SELECT FORMAT(1e300, 400)",
		"SELECT NTILE(0) OVER () FROM published.adult",
		"SELECT 'x' REGEXP '('",
		"SELECT JSON_EXTRACT('{', '$')",
	}},
	{"texts of gigabytes", []string{
		"SELECT REPEAT(REPEAT(REPEAT('a', 10000), 10000), 10000)",
		"SELECT LPAD('a', 2000000000, 'ab')",
		"SELECT SPACE(3000000000)",
	}},
	{"tables that describe the server", []string{
		"SELECT * FROM information_schema.column_statistics",
		"SELECT * FROM information_schema.events",
		"SELECT * FROM information_schema.routines",
		"SELECT * FROM information_schema.triggers",
		"SELECT * FROM information_schema.views",
		"SELECT * FROM information_schema.statistics",
	}},
	{"SHOW", []string{
		"SHOW PROCEDURE STATUS",
		"SHOW TRIGGERS",
		"SHOW EVENTS",
		"SHOW FULL COLUMNS FROM published.adult",
		"SHOW CREATE TABLE published.adult",
		"SHOW INDEX FROM published.adult",
		"SHOW TABLE STATUS FROM published",
		"SHOW VARIABLES LIKE 'version%'",
		"SHOW STATUS",
		"SHOW ENGINES",
		"SHOW COLLATION",
	}},
	{"what only root sets", []string{
		"SET @@GLOBAL.local_infile = 0",
		"SET GLOBAL TRANSACTION ISOLATION LEVEL SERIALIZABLE",
		"SET PERSIST_ONLY local_infile = 0",
		"SET PASSWORD = 'x'",
	}},
	{"half a statement, or none", []string{
		"SELECT * FROM published.adult WHERE n IN (SELECT",
		"SELECT 1;;",
		";",
		"",
		"-- nothing",
		"DO 1",
	}},
	{"what the server does not do", []string{
		"SHUTDOWN",
		"FLUSH PRIVILEGES",
		"RESET MASTER",
		"START REPLICA",
		"CHANGE REPLICATION SOURCE TO SOURCE_HOST = 'x'",
		"LOCK TABLES published.adult READ",
		"UNLOCK TABLES",
		"XA START 'x'",
		"HANDLER published.adult OPEN",
	}},
}

// Statements that, on the engine alone, close the connection, write files, exhaust the memory or stop the clock.
// Whatever they answer, the connection continues, in step.
func TestHostileStatements(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: withPublished})
	db := s.Open(t, analyst(t, s))
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	id := one[int](t, conn, "SELECT CONNECTION_ID()")
	for _, c := range hostileTexts {
		t.Run(c.name, func(t *testing.T) {
			for _, statement := range c.statements {
				keepsConnection(t, conn, id, statement)
			}
		})
	}
	if got := one[string](t, conn, "SELECT @@GLOBAL.local_infile"); got != "1" {
		t.Errorf("an analyst changed a global variable to %s", got)
	}
}

// keepsConnection runs a statement, ignores its result, and checks that the connection still has this id.
func keepsConnection(t *testing.T, conn *dbsql.Conn, id int, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	err := servertest.Drain(conn.QueryContext(ctx, statement))
	if ctx.Err() != nil {
		t.Fatalf("%s was not answered: %v", statement, err)
	}
	if got := one[int](t, conn, "SELECT CONNECTION_ID()"); got != id {
		t.Fatalf("after %s the connection is %d, was %d; its answer was %v", statement, got, id, err)
	}
	t.Logf("%-75s %v", statement, err)
}
