package proxy_test

import "testing"

// TestNamesThatDifferInCase: upstream tells them apart, and what is said of one table is never another's.
func TestNamesThatDifferInCase(t *testing.T) {
	f, owner := begin(t)
	owner.exec("CREATE TABLE visits (id INT, age INT)", "CREATE TABLE Visits (id INT, zip INT)", "INSERT INTO visits VALUES (1, 2)",
		"DROP DATABASE IF EXISTS TESTNAMESTHATDIFFERINCASE", "CREATE DATABASE TESTNAMESTHATDIFFERINCASE", "CREATE TABLE TESTNAMESTHATDIFFERINCASE.visits (id INT, name INT)",
		"CREATE OR REPLACE USER other", "GRANT ALL ON TESTNAMESTHATDIFFERINCASE.* TO other")
	t.Cleanup(func() { owner.exec("DROP DATABASE TESTNAMESTHATDIFFERINCASE", "DROP USER other") })
	owner.exec("CALL set_attributes('visits', 'ei=id', 'qi=age')")
	const attributes = "SELECT `table`, `column`, role FROM anonsql.attributes ORDER BY 1, 2"
	said := owner.query(attributes)
	if len(said) != 2 {
		t.Fatalf("what is said is %q", said)
	}
	other := connect(t, f.owners, "other", "", "")
	for _, c := range []*client{owner, other} {
		for _, call := range []string{"CALL set_attributes('TESTNAMESTHATDIFFERINCASE.visits', 'qi=id')", "SELECT * FROM ANON_DETECT('TESTNAMESTHATDIFFERINCASE.visits')"} {
			c.refused(call, 30001, "differs in case alone")
		}
	}
	owner.refused("CALL set_attributes('Visits', 'qi=zip')", 30001, "differs in case alone")
	owner.refused("CALL set_attributes('VISITS', 'qi=zip')", 1146, "doesn't exist")
	owner.want(attributes, said...)
	owner.exec("DROP TABLE Visits", "RENAME TABLE visits TO Visits", "CALL set_attributes('Visits', 'qi=age')")
	owner.want("SELECT `column` FROM ANON_DETECT('Visits')", "id", "age")
	owner.refused("CALL set_attributes('visits', 'qi=age')", 1146, "doesn't exist")
}
