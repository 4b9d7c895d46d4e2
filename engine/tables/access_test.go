package tables_test

import (
	dbsql "database/sql"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server/servertest"
)

// people answers as an engine with one table of three rows.
func people(statement string) enginetest.Answer {
	switch {
	case strings.Contains(statement, `"information_schema"."schemata"`):
		return enginetest.Answer{Columns: []string{"schema_name varchar"}, Rows: [][]any{{"hr"}, {"sales"}}}
	case strings.Contains(statement, `"information_schema"."tables"`):
		return enginetest.Answer{Columns: []string{"table_name varchar"}, Rows: [][]any{{"people"}, {"visits"}}}
	case strings.Contains(statement, "information_schema"):
		return enginetest.Answer{Columns: []string{"column_name varchar", "data_type varchar", "is_nullable varchar"},
			Rows: [][]any{{"age", "integer", "YES"}, {"disease", "varchar", "YES"}, {"tags", "array(varchar)", "YES"}}}
	case strings.HasPrefix(statement, "SELECT count(*)"):
		return enginetest.Answer{Columns: []string{"n bigint"}, Rows: [][]any{{3}}}
	case strings.HasPrefix(statement, `SELECT "age", "disease" FROM "lake"."sales"."people"`):
		return enginetest.Answer{Columns: []string{"age integer", "disease varchar"}, Rows: [][]any{{30, "flu"}, {40, "flu"}, {nil, "cold"}}}
	}
	return enginetest.Answer{Name: "NOT_SUPPORTED", Type: "USER_ERROR", Message: "no answer is prepared"}
}

// atStandIn is a server whose engine records its requests.
func atStandIn(t *testing.T) (*front, *enginetest.StandIn) {
	t.Helper()
	s := enginetest.NewStandIn(people)
	t.Cleanup(s.Close)
	return serve(t, "trino://anonsql@"+s.Address()+"/lake", 0), s
}

// attempts are statements that would reach the engine.
var attempts = []string{
	"SELECT * FROM ANON_DETECT('trino.sales.people')",
	"SELECT * FROM ANON_DETECT(`trino.sales`.people)",
	"SELECT * FROM ANATOMY('trino.sales.people', l = 2)",
	"CALL set_attributes('trino.sales.people', 'sa=disease')",
	"CALL set_taxonomy('trino.sales.people', 'disease', 'root=any')",
	"CALL anonymize('trino.sales.people', 'anatomy', 'l=2', 'sa=disease', 'qi=age')",
	"CALL anonymize('`trino.sales`.`people`', 'anatomy', 'l=2')",
	"CALL tune('trino.sales.people', 'methods=anatomy')",
	"SELECT * FROM `trino.sales`.people",
	"USE `trino.sales`",
	"SHOW TABLES FROM `trino.sales`",
	"SELECT * FROM information_schema.columns WHERE table_schema LIKE 'trino%'",
	"CREATE DATABASE `trino.sales`",
	"SHOW DATABASES LIKE 'trino%'",
}

// TestAnalystsMakeNoRequest: no statement of an analyst reaches the engine. An owner's statement does.
func TestAnalystsMakeNoRequest(t *testing.T) {
	f, engine := atStandIn(t)
	servertest.Exec(t, f.owner, "CALL create_analyst('ana', 'correct horse battery 1')", "CREATE USER nobody IDENTIFIED BY 'correct horse battery 2'")
	for _, account := range []servertest.Account{{User: "ana", Password: "correct horse battery 1"}, {User: "nobody", Password: "correct horse battery 2"}} {
		db := f.Open(t, account)
		for _, statement := range attempts {
			if found, err := tries(db, statement); err == nil && len(found) > 0 {
				t.Errorf("%s: %s is answered with %q", account.User, statement, found)
			}
			if prepared, err := db.Prepare(statement); err == nil {
				prepared.Close()
			}
		}
	}
	if heard := engine.Statements(); len(heard) > 0 {
		t.Errorf("the engine heard %q", heard)
	}
	prepared, err := f.Open(t, servertest.Root).Prepare(attempts[0])
	if err != nil {
		t.Fatal(err)
	}
	prepared.Close()
	if len(engine.Statements()) == 0 {
		t.Error("the engine did not hear the owner prepare a statement")
	}
	query(t, f.owner, "%s", attempts[0])
	for _, text := range engine.Statements() {
		if !strings.HasPrefix(text, "SELECT ") {
			t.Errorf("the engine was told %s", text)
		}
	}
}

// TestPrivileges: GRANT opens the tables of a schema, to a session that is there already, and REVOKE closes them.
func TestPrivileges(t *testing.T) {
	f, engine := atStandIn(t)
	servertest.Exec(t, f.owner, "CREATE USER olga IDENTIFIED BY 'correct horse battery 3'", "GRANT SELECT ON published.* TO olga", "GRANT EXECUTE ON *.* TO olga")
	olga := f.Open(t, servertest.Account{User: "olga", Password: "correct horse battery 3"})
	olga.SetMaxOpenConns(1)
	const detect, describe = "SELECT `column` FROM ANON_DETECT('trino.sales.people')", "CALL set_attributes('trino.sales.people', 'sa=disease')"
	refused(t, olga, 1142, "SELECT command denied", detect)
	servertest.Exec(t, f.owner, "GRANT SELECT ON `trino.sales`.* TO olga")
	if got := strings.Join(query(t, olga, detect), " "); got != "age disease" {
		t.Errorf("the columns are %q", got)
	}
	refused(t, olga, 1142, "ALTER command denied", describe)
	servertest.Exec(t, f.owner, "GRANT ALTER ON `trino.sales`.people TO olga")
	query(t, olga, describe)
	refused(t, olga, 1142, "denied", "SELECT * FROM ANON_DETECT('trino.hr.people')")
	servertest.Exec(t, f.owner, "REVOKE SELECT, ALTER ON `trino.sales`.* FROM olga", "REVOKE ALTER ON `trino.sales`.people FROM olga")
	before := len(engine.Statements())
	refused(t, olga, 1142, "denied", detect)
	if heard := engine.Statements()[before:]; len(heard) > 0 {
		t.Errorf("after REVOKE the engine heard %q", heard)
	}
}

// TestDatabasesOfTheEngine: an owner finds the schemas and tables that he has privileges on, and works in one as in a database.
func TestDatabasesOfTheEngine(t *testing.T) {
	f, engine := atStandIn(t)
	servertest.Exec(t, f.owner, "CREATE USER olga IDENTIFIED BY 'correct horse battery 3'", "GRANT SELECT, ALTER ON `trino.sales`.people TO olga",
		"GRANT EXECUTE ON *.* TO olga", "CREATE DATABASE shop")
	olga := f.Open(t, servertest.Account{User: "olga", Password: "correct horse battery 3"})
	olga.SetMaxOpenConns(1)
	for account, db := range map[string]*dbsql.DB{"root": f.owner, "olga": olga} {
		for statement, want := range map[string]map[string]string{
			"SHOW DATABASES LIKE 'trino%'":    {"root": "trino.hr trino.sales", "olga": "trino.sales"},
			"SHOW TABLES FROM `trino.sales`":  {"root": "people visits", "olga": "people"},
			"SHOW TABLES FROM `Trino.SALES`":  {"root": "people visits", "olga": "people"},
			"SHOW DATABASES LIKE 'sho%'":      {"root": "shop", "olga": ""},
			"SHOW TABLES FROM trino.sales.hr": {"root": "1064", "olga": "1064"},
		} {
			found, err := tries(db, statement)
			if number := servertest.Number(err); number != 0 {
				found = []string{strconv.Itoa(number)}
			}
			if got := strings.Join(found, " "); got != want[account] {
				t.Errorf("%s: %s has %q, want %q", account, statement, got, want[account])
			}
		}
	}
	refused(t, f.owner, 1049, "trino.no", "USE `trino.no`")
	refused(t, olga, 1044, "denied", "USE `trino.hr`")
	servertest.Exec(t, olga, "USE `trino.sales`")
	before := len(engine.Statements())
	servertest.Exec(t, olga, "SELECT 1", "SET @a = 1", "CALL set_attributes('people', 'sa=disease')")
	if heard := engine.Statements()[before:]; len(heard) > 2 {
		t.Errorf("the engine heard %q: the current database is looked up once, and the table", heard)
	}
	if got := query(t, olga, "SELECT DATABASE()"); got[0] != "trino.sales" {
		t.Errorf("the database is %s", got[0])
	}
	if got := strings.Join(query(t, olga, "SELECT `column` FROM ANON_DETECT('people')"), " "); got != "age disease" {
		t.Errorf("the columns are %q", got)
	}
	if got := strings.Join(query(t, olga, "SHOW WARNINGS"), " "); !strings.Contains(got, "column tags of ") || !strings.Contains(got, "left out: its type is array(varchar)") {
		t.Errorf("of a column that is left out the notes say %q", got)
	}
	refused(t, f.owner, 1105, "define views there", "CREATE VIEW `trino.sales`.v AS SELECT 1")
	refused(t, olga, 1105, "ask for its rows there", "SELECT * FROM people")
	if got := query(t, f.owner, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema LIKE 'trino.%%'"); got[0] != "0" {
		t.Errorf("information_schema has %s tables of the engine", got[0])
	}
}

// TestNamesOfTheEngine: no database of the store has one.
func TestNamesOfTheEngine(t *testing.T) {
	f, _ := atStandIn(t)
	refused(t, f.owner, 1044, "is kept for the server", "CREATE DATABASE `Trino.shop`")
	refused(t, f.owner, 1105, "trino://", "CREATE DATABASE `trino://x`")
	servertest.Exec(t, f.owner, "CREATE DATABASE trino", "CREATE TABLE trino.sales (a INT)", "INSERT INTO trino.sales VALUES (1)")
	if got := query(t, f.owner, "SELECT COUNT(*) FROM trino.sales"); got[0] != "1" {
		t.Errorf("a table of a database called trino has %s rows", got[0])
	}
}
