package proxy_test

import (
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/functions"
)

// ownersCalls is a call of every procedure about the table people and the release of it.
var ownersCalls = map[string]string{
	"set_attributes":  "CALL set_attributes('T.people', 'ei=id', 'qi=age,sex,zip', 'sa=disease')",
	"set_taxonomy":    "CALL set_taxonomy('T.people', 'age', 'intervals=5')",
	"anonymize":       "CALL anonymize('T.people', 'mondrian', 'k=2', 'publish=again', 'allow_composition=true', 'fit=false', 'attacks=false')",
	"tune":            "CALL tune('T.people', 'methods=anatomy', 'anatomy.l=3', 'queries=5')",
	"advise":          "CALL advise('T.people', 'queries=5')",
	"refresh_release": "CALL refresh_release('people')",
	"fit_release":     "CALL fit_release('people')",
	"drop_release":    "CALL drop_release('people')",
	"export_release":  "CALL export_release('people')",
	"evaluate":        "CALL evaluate('people', 'queries=5', 'qi=1')",
	"classify":        "CALL classify('people', 'target=disease', 'folds=2')",
	"report":          "CALL report('people')",
	"explain_sql":     "CALL explain_sql('SELECT COUNT(*) FROM published.people')",
	"import_release":  "CALL import_release('nothing')",
	"create_analyst":  "CALL create_analyst('eve', 'a long password')",
	"set_limits":      "CALL set_limits('eve', 'memory=0')",
	"set_defaults":    "CALL set_defaults('eve', 'sql_notes=0')",
}

// denied reports whether a call is refused for missing privileges.
func (c *client) denied(call string) bool {
	_, err := c.tries(call)
	e, ok := err.(*mysql.MySQLError)
	return ok && (e.Number == 1142 || e.Number == 1227 || e.Number == 1143)
}

// TestEveryProcedureNeedsPrivilegesUpstream: an account's privileges on the upstream table decide which procedures it may call. A
// release survives the calls of others.
func TestEveryProcedureNeedsPrivilegesUpstream(t *testing.T) {
	f, owner := publishedPeople(t)
	database := strings.ToLower(t.Name())
	owner.exec("CREATE OR REPLACE USER none, low, some, alters, publishes", "GRANT SELECT ON "+database+".people TO low",
		"GRANT SELECT (id, age) ON "+database+".people TO some", "GRANT ALTER ON "+database+".* TO some, alters",
		"GRANT SELECT ON "+database+".* TO publishes", "GRANT ALTER ON "+database+".people TO publishes")
	t.Cleanup(func() { owner.exec("DROP USER none, low, some, alters, publishes") })
	open := map[string]bool{"report": true, "explain_sql": true}
	reads := map[string]bool{"tune": true, "advise": true, "classify": true}
	whole := map[string]bool{"import_release": true, "create_analyst": true, "set_limits": true, "set_defaults": true}
	walked := map[string]bool{}
	for _, p := range (&functions.Environment{}).Procedures() {
		if walked[p.Name] {
			continue
		}
		walked[p.Name] = true
		call := strings.ReplaceAll(ownersCalls[p.Name], "T.", database+".")
		if call == "" {
			t.Errorf("procedure %s has no call here: say what it needs", p.Name)
			continue
		}
		for _, account := range []string{"none", "low", "some", "alters", "publishes"} {
			if account == "publishes" && p.Name == "drop_release" {
				continue // it may, and others are still to be tried
			}
			want := !open[p.Name] && (whole[p.Name] || account != "publishes" && !(account == "low" && reads[p.Name]))
			if got := connect(t, f.owners, account, "", "").denied(call); got != want {
				t.Errorf("%s by %s: denied is %v, want %v", call, account, got, want)
			}
		}
	}
	owner.want("SELECT name, method FROM anonsql.releases ORDER BY name", "again|mondrian", "people|anatomy")
	connect(t, f.owners, "publishes", "", "").exec(ownersCalls["drop_release"])
}

// TestRevokedWhileItPublishes: an open session has the current privileges at its next statement.
func TestRevokedWhileItPublishes(t *testing.T) {
	f, owner := publishedPeople(t)
	database := strings.ToLower(t.Name())
	owner.exec("CREATE OR REPLACE USER once", "GRANT SELECT, ALTER ON "+database+".people TO once")
	t.Cleanup(func() { owner.exec("DROP USER once") })
	once := connect(t, f.owners, "once", "", "")
	once.exec("CALL set_attributes('" + database + ".people', 'ei=id', 'qi=age,sex,zip', 'sa=disease')")
	owner.exec("REVOKE ALTER ON " + database + ".people FROM once")
	once.refused("CALL drop_release('people')", 1142, "It reads the table, and lacks ALTER")
	once.refused("CALL anonymize('"+database+".people', 'anatomy', 'l=3', 'private=true', 'publish=mine')", 1142, "ALTER command denied")
}

// TestWithdrawWhenTheTableIsGone: the data can be deleted, and the release after it, by who made it, and by nobody who could not have.
func TestWithdrawWhenTheTableIsGone(t *testing.T) {
	f, owner := publishedPeople(t)
	database := strings.ToLower(t.Name())
	owner.exec("CREATE OR REPLACE USER low, maker", "GRANT SELECT ON "+database+".* TO low", "GRANT SELECT, ALTER ON "+database+".people TO maker")
	t.Cleanup(func() { owner.exec("DROP USER low, maker") })
	low, maker := connect(t, f.owners, "low", "", ""), connect(t, f.owners, "maker", "", "")
	maker.exec("CALL anonymize('" + database + ".people', 'drasl', 'k=4', 'publish=now', 'private=true', 'fit=false')")
	owner.exec("DROP TABLE people")
	for _, release := range []string{"people", "now"} {
		if _, err := low.tries("CALL drop_release('" + release + "')"); err == nil {
			t.Errorf("an account with SELECT withdraws %s", release)
		}
	}
	maker.want("CALL drop_release('now')", "now|dropped")
	owner.want("CALL drop_release('people')", "people|dropped")
}

// TestPartOfATable: who may read some columns sees a part of the table, and takes nothing away of what its owner has said of the others.
func TestPartOfATable(t *testing.T) {
	f, owner := begin(t)
	owner.people(100)
	owner.exec("CALL set_attributes('people', 'ei=id', 'qi=age,sex,zip', 'sa=disease')", "CALL anonymize('people', 'anatomy', 'l=2', 'fit=false')")
	const attributes = "SELECT `column`, role FROM anonsql.attributes ORDER BY 1"
	want := owner.query(attributes)
	direct := connect(t, f.upstream.Address, "root", "", "")
	direct.exec("CREATE OR REPLACE USER partly", "GRANT SELECT(age, sex), ALTER ON testpartofatable.people TO partly")
	partly := connect(t, f.owners, "partly", "", "")
	for _, statement := range []string{"CALL evaluate('people', 'queries=10')", "SELECT ANON_ACTUAL(COUNT(*)) FROM published.people", "CALL drop_release('people')",
		"CALL anonymize('testpartofatable.people', 'anatomy', 'l=2')", "CALL set_attributes('testpartofatable.people', 'qi=age')",
		"SELECT * FROM ANON_DETECT('testpartofatable.people')", "SELECT * FROM ANATOMY(testpartofatable.people, 2, sa = 'sex', qi = 'age')"} {
		number := uint16(1142)
		if strings.Contains(statement, "testpartofatable.") { // what the server itself says of SELECT *
			number = 1143
		}
		partly.refused(statement, number, "denied")
	}
	direct.exec("GRANT CREATE TEMPORARY TABLES ON testpartofatable.* TO partly")
	partly.exec("CREATE TEMPORARY TABLE testpartofatable.people (x INT)")
	partly.refused("CALL set_attributes('testpartofatable.people', 'qi=age')", 30001, "a temporary table of your session may hide testpartofatable.people")
	owner.want(attributes, want...)
}

// TestViewThatMayNotBeShown: a view needs no more privileges than a table.
func TestViewThatMayNotBeShown(t *testing.T) {
	f, owner := begin(t)
	owner.people(30)
	owner.exec("CREATE VIEW adults AS SELECT * FROM people WHERE age > 0", "CREATE OR REPLACE USER viewer", "GRANT SELECT, ALTER ON testviewthatmaynotbeshown.adults TO viewer")
	t.Cleanup(func() { owner.exec("DROP USER viewer") })
	connect(t, f.owners, "viewer", "", "").exec("CALL set_attributes('testviewthatmaynotbeshown.adults', 'qi=age')")
}

// TestPrivilegesWithANSIQuotes: the sql_mode changes how SHOW GRANTS quotes names, not the privileges.
func TestPrivilegesWithANSIQuotes(t *testing.T) {
	f, owner := begin(t)
	owner.people(30)
	owner.exec("CREATE OR REPLACE USER quotes", "GRANT SELECT, ALTER ON testprivilegeswithansiquotes.* TO quotes")
	t.Cleanup(func() { owner.exec("DROP USER quotes") })
	quotes := connect(t, f.owners, "quotes", "testprivilegeswithansiquotes", "")
	quotes.exec("SET SESSION sql_mode = 'ANSI_QUOTES'", "CALL set_attributes('people', 'qi=age')", "SET SESSION sql_quote_show_create = 0, character_set_results = latin1",
		"CALL set_attributes('people', 'qi=age')")
}
