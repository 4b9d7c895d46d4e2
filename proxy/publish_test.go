package proxy_test

import (
	"fmt"
	"strings"
	"testing"
)

// people fills a table of persons upstream.
func (c *client) people(rows int) {
	c.t.Helper()
	c.exec("CREATE TABLE people (id INT PRIMARY KEY, age INT, sex ENUM('f','m'), zip VARCHAR(10), disease VARCHAR(30) COLLATE utf8mb4_general_ci, since TIMESTAMP(3) NULL)")
	diseases := []string{"flu", "Flu", "cold", "asthma", "gout", "ulcer", "angina"}
	var values []string
	for i := range rows {
		values = append(values, fmt.Sprintf("(%d, %d, '%s', '12%d', '%s', FROM_UNIXTIME(%d.125))", i, 20+i*7%60, []string{"f", "m"}[i*i%7%2], i%5, diseases[i*i%11%len(diseases)], 1e9+i%9))
	}
	c.exec("INSERT INTO people VALUES " + strings.Join(values, ","))
}

// TestPublish follows a release whose table stays upstream, from publication to drop.
func TestPublish(t *testing.T) {
	f, owner := begin(t)
	owner.people(1000)
	owner.want("CALL set_attributes('people', 'ei=id', 'qi=age,sex,zip', 'sa=disease')",
		"id|ei|numeric", "age|qi|numeric", "sex|qi|nominal", "zip|qi|nominal", "disease|sa|nominal", "since|other|numeric")
	published := owner.query("CALL anonymize('people', 'anatomy', 'l=3', 'publish=people', 'fit=false')")
	if len(published) != 1 || !strings.HasPrefix(published[0], "people|anatomy|1|public|1000|") {
		t.Fatalf("published %q", published)
	}
	// Fragments answer what one of them has exactly, and equal texts are upstream's.
	owner.want("SELECT COUNT(*) FROM people WHERE age < 40", owner.query("SELECT COUNT(*) FROM published.people WHERE age < 40")...)
	owner.want("SELECT COUNT(*), COUNT(DISTINCT disease) FROM published.people WHERE disease = 'flu'", owner.query("SELECT COUNT(*), COUNT(DISTINCT disease) FROM people WHERE disease = 'flu'")...)
	owner.want("SELECT ANON_ACTUAL(COUNT(*)) FROM published.people WHERE age < 40 AND disease = 'cold'", owner.query("SELECT COUNT(*) FROM people WHERE age < 40 AND disease = 'cold'")...)
	owner.exec("UPDATE people SET disease = 'gout' WHERE id = 5")
	owner.query("SELECT ANON_ACTUAL(COUNT(*)) FROM published.people WHERE age < 40")
	if notes := strings.Join(owner.query("SHOW WARNINGS"), "; "); strings.Contains(notes, "changed") {
		t.Errorf("ages have not changed: %s", notes)
	}
	owner.query("SELECT ANON_ACTUAL(COUNT(*)) FROM published.people WHERE disease = 'gout'")
	if notes := strings.Join(owner.query("SHOW WARNINGS"), "; "); !strings.Contains(notes, "has changed since it was published, in column disease (its values, or how many rows have them)") {
		t.Errorf("the change of a disease is not told: %s", notes)
	}
	if rows := owner.query("CALL evaluate('people', 'queries=50', 'qi=1-2')"); len(rows) == 0 {
		t.Error("evaluate returned nothing")
	}
	analyst := f.analyst(t)
	if rows := analyst.query("SELECT sex, COUNT(*) FROM published.people GROUP BY sex ORDER BY sex"); len(rows) != 2 {
		t.Errorf("the analyst got %q", rows)
	}
	owner.refused("SELECT COUNT(*) FROM published.people AS p JOIN testpublish.people AS q ON p.age = q.age", 1142, "No statement joins published")
	analyst.refused("SELECT ANON_ACTUAL(COUNT(*)) FROM published.people", 1142, "denied")
	analyst.refused("SELECT * FROM testpublish.people", 1142, "denied")
}

// analyst creates an account that reads releases.
func (f *front) analyst(t *testing.T) *client {
	t.Helper()
	administrator := connect(t, f.server.Addr, "root", "", "")
	administrator.exec("CALL create_analyst('ann', 'a long password')")
	return connect(t, f.server.Addr, "ann:a long password", "published", "")
}

// TestTuneAndReport: methods are tried on a table upstream, and its release is reported, with what a prepared statement asks.
func TestTuneAndReport(t *testing.T) {
	_, owner := publishedPeople(t)
	frontier := owner.query("CALL tune('people', 'methods=anatomy,mondrian', 'anatomy.l=3', 'mondrian.k=5', 'queries=20')")
	if len(frontier) < 2 || !strings.Contains(strings.Join(frontier, "\n"), "mondrian") {
		t.Errorf("tune: %q", frontier)
	}
	if page := owner.query("CALL report(?)", "people"); len(page) != 1 || !strings.Contains(strings.ToLower(page[0]), "<html") {
		t.Errorf("report: %.200q", page)
	}
}

// TestRenamedTable: a table that is gone upstream is compared all the same, but not for an account that could not read it.
func TestRenamedTable(t *testing.T) {
	f, owner := publishedPeople(t)
	owner.exec("RENAME TABLE people TO persons", "CREATE OR REPLACE USER stranger", "GRANT SELECT, ALTER ON persons TO stranger")
	t.Cleanup(func() { owner.exec("DROP USER stranger") })
	owner.exec("CALL set_attributes('persons', 'ei=id', 'qi=age,sex,zip', 'sa=disease')")
	const again = "CALL anonymize('persons', 'mondrian', 'k=5', 'publish=again', 'fit=false')"
	owner.refused(again, 30001, "allow_composition=true")
	stranger := connect(t, f.owners, "stranger", strings.ToLower(t.Name()), "")
	stranger.exec(again)
}

// TestEmbeddedCopy: the people of a table upstream are known again in an embedded one.
func TestEmbeddedCopy(t *testing.T) {
	f, owner := begin(t)
	owner.people(1000)
	owner.exec("CALL set_attributes('people', 'ei=id', 'qi=age,sex,zip', 'sa=disease')", "CALL anonymize('people', 'anatomy', 'l=3', 'publish=people', 'fit=false')")
	embedded := connect(t, f.server.Addr, "root", "", "")
	embedded.exec("CREATE DATABASE house", "USE house")
	embedded.people(1000)
	embedded.exec("CALL set_attributes('people', 'ei=id', 'qi=age,sex,zip', 'sa=disease')")
	_, err := embedded.tries("CALL anonymize('people', 'mondrian', 'k=5', 'publish=copied', 'fit=false')")
	if err == nil || !strings.Contains(err.Error(), "allow_composition=true") {
		t.Errorf("a copy is published: %v", err)
	}
}
