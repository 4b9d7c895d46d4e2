package acceptance

import (
	dbsql "database/sql"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// An error for a misspelled name suggests the right one, among the names that the account sees. An analyst's error contains
// no name of a raw database, table, column or private release.
func TestMeantNames(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	servertest.PublishVisits(t, root)
	servertest.Exec(t, root, "CALL create_analyst('bi', 'a long password')", "CREATE DATABASE vault", "CREATE TABLE vault.ledger (amount INT, owing TEXT)",
		"CALL anonymize('clinic.visits', 'anatomy', 'l=2', 'private=true', 'publish=secret')")
	bi := s.Open(t, servertest.Account{User: "bi", Password: "a long password", Database: "published"})
	within := s.Open(t, servertest.Account{User: servertest.Root.User, Password: servertest.Root.Password, Database: "clinic"})
	for _, c := range []struct {
		db              *dbsql.DB
		statement, want string // the end of the message
	}{
		{root, "SELECT 1 FROM vault.legder", `; did you mean "ledger"?`},
		{root, "SELECT 1 FROM valt.ledger", `; did you mean "vault"?`},
		{root, "SELECT amuont FROM vault.ledger", `; did you mean "amount"?`},
		{root, "SELECT 1 FROM published.secrt", `; did you mean "secret"?`},
		{root, "SELECT 1 FROM clinic.ledger", "; there is vault.ledger"},
		{root, "SELECT anonymize('clinic.visits')", "CALL anonymize('database.table', 'name=value')"},
		{within, "CALL set_attributes('clinic', 'visits', 'qi=age')", "; database and table are one text: 'database.table'"},
		{within, "SELECT 1 FROM vists", `; did you mean "visits"?`},
		{bi, "SELECT 1 FROM pp", `; did you mean "p"?`},
		{bi, "SELECT diseaze FROM p", `; did you mean "disease"?`},
		{bi, "SELECT COUNT(*) FROM p WHERE disease = flu", "; texts are written in quotes: 'flu'"},
		{bi, "SELECT 1 FROM published.secrt", "table not found: secrt"},
		{bi, "SELECT 1 FROM ledger", "table not found: ledger"},
		{bi, "SELECT 1 FROM legder", "table not found: legder"},
		{bi, "SELECT amuont FROM p", "; published.p has age, disease: columns without a role are not published"},
		{bi, "SELECT 1 FROM valt.ledger", "for table 'ledger'"},
		{bi, "SELECT 1 FROM clinic.p", "; a release of this name is published.p"},
		{bi, "SELECT amuont FROM p WHERE 1 IN (SELECT 1 FROM vault.ledger)", "for table 'ledger'"},
	} {
		_, err := tryRows(c.db, c.statement)
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.statement, err, c.want)
		}
	}
}
