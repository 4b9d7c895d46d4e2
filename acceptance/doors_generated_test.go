package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/information_schema"

	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/functions"
	"github.com/anonsql/anonsql/server/servertest"
)

// shut expects that a statement is refused, with this number unless it is 0, and shows nothing.
func shut(t *testing.T, user string, conn *dbsql.Conn, number int, statement string) {
	t.Helper()
	shown, got := try(conn, statement)
	if secret := leaked(statement, shown); got == 0 || number != 0 && got != number || secret != "" {
		t.Errorf("%s: %s\n%d: %.500s\nwant %d, shows %q", user, statement, got, shown, number, secret)
	}
}

// ofReleases are the table functions whose argument is a release.
var ofReleases = map[string]bool{"anon_privacy": true, "anon_utility": true}

// Every table function checks the privilege on the table, whatever the table and its spelling.
func TestDoorsOfTableFunctions(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	for _, user := range []string{"bi", "staff", "rich"} {
		conn := attacker(t, s, user)
		for _, f := range (&functions.Environment{}).TableFunctions() {
			name, text := 1142, 1142
			if ofReleases[strings.ToLower(f.Name())] {
				name, text = 1210, 1210 // a table of another database is no release
			}
			call := "SELECT * FROM " + f.Name() + "("
			for _, argument := range []string{"zvault.zledger", "'zvault.zledger'", "`zvault`.`zledger`", "'ZVAULT.ZLEDGER'", "zvault.zview", "mysql.user"} {
				number := name
				if argument[0] == '\'' {
					number = text
				}
				shut(t, user, conn, number, call+argument+")")
			}
			for _, statement := range []string{call + "zprivate)", call + "published.zprivate)", call + "common.peek)", call + "zvault.zledger, qi = 'age', sa = 'disease', k = 2, l = 2)",
				"EXPLAIN " + call + "zvault.zledger)", "CREATE VIEW mine.v AS " + call + "zvault.zledger)"} {
				shut(t, user, conn, 0, statement)
				wantSameIfAbsent(t, user, conn, statement)
			}
		}
	}
}

// openProcedures are procedures that everybody may call; they check privileges on what they read. True marks those
// that answer every reader of a release, by its name.
var openProcedures = map[string]bool{"explain_sql": false, "report": true}

// Every other procedure needs EXECUTE, and the privileges for its work.
func TestDoorsOfProcedures(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	names := map[string]bool{}
	for _, p := range (&functions.Environment{}).Procedures() {
		names[strings.ToLower(p.Name)] = true
	}
	for _, user := range []string{"bi", "staff", "rich"} {
		conn := attacker(t, s, user)
		for name := range names {
			number := 1370
			ofReleases, open := openProcedures[name]
			if user == "rich" || open {
				number = 0
			}
			for _, arguments := range []string{"", "'zvault.zledger'", "'zvault.zledger', 'slppa', 'beta=0.5', 'publish=w'", "'zvault.zledger', 'age', 'prefix=1'", "'zvault.zledger', 'qi=age'",
				"'zvault.zview'", "'zprivate'", "'published.zprivate', 'queries=1'", "'p'", "'p', 'queries=1'", "'SELECT zident FROM zvault.zledger'", "(SELECT zident FROM zvault.zledger LIMIT 1)"} {
				for _, prefix := range []string{"CALL ", "CALL mine."} {
					statement := prefix + name + "(" + arguments + ")"
					switch {
					case ofReleases && strings.HasPrefix(arguments, "'p'"):
						if shown, _ := try(conn, statement); leaked(statement, shown) != "" {
							t.Errorf("%s: %s shows %s\n%.2000s", user, statement, leaked(statement, shown), shown)
						}
					case user != "rich" && prefix == "CALL mine.":
						shut(t, user, conn, 0, statement)
					default:
						shut(t, user, conn, number, statement)
						wantSameIfAbsent(t, user, conn, statement)
					}
				}
			}
		}
		for _, m := range methods.All() {
			for _, options := range []string{"'publish=w'", "'private=true', 'publish=w'", "'dry_run=true'"} {
				number := 1370
				if user == "rich" {
					number = 1142
				}
				shut(t, user, conn, number, "CALL anonymize('zvault.zledger', '"+m.Name+"', "+options+")")
			}
		}
		for _, f := range functions.Scalars() {
			shut(t, user, conn, 1142, "SELECT "+f.FunctionName()+"(COUNT(*)) FROM zvault.zledger")
			shut(t, user, conn, 1146, "SELECT "+f.FunctionName()+"(COUNT(*)) FROM published.zprivate")
		}
	}
}

// No function of the engine evaluates a subquery that the account may not run, and none reads a file of the server.
func TestDoorsOfEngineFunctions(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	file := filepath.Join(s.Config.DataDir, "door.txt")
	if err := os.WriteFile(file, []byte("zebra in a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	conn := attacker(t, s, "bi")
	const raw = "(SELECT zident FROM zvault.zledger LIMIT 1)"
	for _, f := range slices.Concat(function.BuiltIns, function.GetLockingFuncs(sql.NewLockSubsystem())) {
		for n := range 4 {
			if n > 0 {
				shut(t, "bi", conn, 0, "SELECT "+f.FunctionName()+"("+strings.Repeat(raw+", ", n-1)+raw+")")
			}
			statement := "SELECT " + f.FunctionName() + "(" + strings.TrimSuffix(strings.Repeat("'"+file+"', ", n), ", ") + ")"
			if shown, _ := try(conn, statement); leaked(statement, shown) != "" {
				t.Errorf("%s shows %s", statement, shown)
			}
		}
	}
}

// haunt does as root what other sessions might see, and continues until the test ends.
func haunt(t *testing.T, s *servertest.Server) {
	t.Helper()
	db := s.Open(t, servertest.Root)
	conn := s.Connect(t, servertest.Root)
	for _, statement := range []string{"USE zvault", "SET @z = 'zebra1'", "PREPARE zstatement FROM 'SELECT * FROM zvault.zledger'", "SELECT GET_LOCK('zlock', 0)",
		"CALL set_taxonomy('zvault.zledger', 'zident', 'prefix=5')", "CALL evaluate('zprivate', 'queries=3', 'qi=1')",
		"SELECT CAST('zebra9' AS SIGNED) + 0 FROM zvault.zledger"} {
		failsWith(t, conn, 0, statement)
	}
	if _, number := try(conn, "CALL anonymize('zvault.zledger', 'slppa', 'beta=0.0001', 'allow_composition=true', 'publish=zfailed')"); number == 0 {
		t.Fatal("the publication succeeded")
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { // a statement for the process list
		defer close(done)
		for ctx.Err() == nil {
			_, _ = db.ExecContext(ctx, "SELECT SLEEP(5) FROM zvault.zledger WHERE zident = 'zebra1'")
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	servertest.Eventually(t, "the process list shows root its own statement", func() bool {
		shown, _ := try(conn, "SHOW FULL PROCESSLIST")
		return strings.Contains(shown, "SLEEP(5)")
	})
}

// Tables that describe the server show only what belongs to the account, and not where the server keeps its data.
func TestDoorsOfSystemTables(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	haunt(t, s)
	root := s.Open(t, servertest.Root)
	for _, user := range []string{"bi", "staff", "rich"} {
		conn := attacker(t, s, user)
		answers := func(number int, statement string) {
			t.Helper()
			shown, got := try(conn, statement)
			if secret := leaked("", shown); got != number || secret != "" || strings.Contains(shown, s.Config.DataDir) {
				t.Errorf("%s: %s\n%d: shows %q\n%.2000s", user, statement, got, secret, shown)
			}
		}
		tables := slices.Sorted(maps.Keys(information_schema.GetInformationSchemaTables()))
		if len(tables) < 60 {
			t.Fatalf("information_schema has %d tables", len(tables))
		}
		for _, table := range tables {
			answers(0, "SELECT * FROM information_schema."+table)
		}
		for _, table := range []string{"tables", "columns", "views", "statistics", "partitions", "triggers|trigger_schema", "table_constraints", "check_constraints|constraint_schema", "schemata|schema_name",
			"key_column_usage", "referential_constraints|constraint_schema", "routines|routine_schema", "parameters|specific_schema", "events|event_schema", "column_statistics|schema_name"} {
			table, column, ok := strings.Cut(table, "|")
			if !ok {
				column = "table_schema"
			}
			shown, number := try(conn, "SELECT * FROM information_schema."+table+" WHERE "+column+" = CONCAT('zv', 'ault')")
			if number != 0 || strings.Count(shown, "\n") > 1 {
				t.Errorf("%s: %s of the raw database: %d %s", user, table, number, shown)
			}
		}
		for _, table := range listedTables(t, root, "anonsql") {
			number := 0
			if user == "staff" || table == "audit" {
				number = 1142
			}
			answers(number, "SELECT * FROM anonsql."+table)
		}
		for _, table := range listedTables(t, root, "mysql") {
			answers(1142, "SELECT * FROM mysql."+table)
		}
		for _, relation := range listedTables(t, attackerPool(t, s, user), "published") {
			answers(0, "SELECT * FROM published."+relation)
			answers(0, "SHOW CREATE TABLE published."+relation)
			answers(0, "SHOW FULL COLUMNS FROM published."+relation)
		}
		for _, statement := range []string{"SHOW WARNINGS", "SHOW FULL PROCESSLIST", "SHOW STATUS", "SHOW VARIABLES", "SHOW GLOBAL VARIABLES", "SHOW TABLE STATUS", "SHOW PROCEDURE STATUS",
			"SELECT @z", "SELECT IS_FREE_LOCK('a')", "SELECT * FROM ANON_PRIVACY(p)", "SELECT * FROM ANON_UTILITY(p)", "USE information_schema", "SELECT * FROM processlist", "SELECT * FROM tables", "USE published"} {
			answers(0, statement)
		}
		shut(t, user, conn, 1243, "EXECUTE zstatement")
	}
}

func attackerPool(t *testing.T, s *servertest.Server, user string) *dbsql.DB {
	t.Helper()
	return s.Open(t, servertest.Account{User: user, Password: attackers[user]})
}

func listedTables(t *testing.T, db *dbsql.DB, database string) []string {
	t.Helper()
	tables := strings.Fields(listed(t, db, fmt.Sprintf("SHOW TABLES FROM %s", database)))
	if len(tables) == 0 {
		t.Fatalf("%s has no tables", database)
	}
	return tables
}
