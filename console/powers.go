package console

import (
	"context"
	"strings"
)

// powers are what the account may do beside asking, as far as the server says: pages show no form that would only be refused. They protect
// nothing; the server does.
type powers struct {
	Publishes bool // may read tables that can be published, or make some
	Creates   bool // may make tables
	Accounts  bool // may make accounts
}

// systemDatabases have no table that can be published.
const systemDatabases = "('mysql', 'information_schema', 'performance_schema', 'sys', 'anonsql', 'published')"

// findPowers asks the server what the account may do now.
func (s *session) findPowers(ctx context.Context) powers {
	var p powers
	given, failed := s.read(ctx, "SELECT privilege_type FROM information_schema.user_privileges UNION "+
		"SELECT privilege_type FROM information_schema.schema_privileges WHERE table_schema NOT IN "+systemDatabases+" UNION "+
		"SELECT 'A TABLE' FROM information_schema.tables WHERE table_schema NOT IN "+systemDatabases)
	if failed != nil {
		return powers{Publishes: true, Accounts: true} // the server will say; files are taken from nobody
	}
	for _, c := range given.column("privilege_type") {
		switch strings.ToUpper(c.Value) {
		case "CREATE":
			p.Publishes, p.Creates = true, true
		case "A TABLE":
			p.Publishes = true
		case "CREATE USER":
			p.Accounts = true
		}
	}
	s.mu.Lock()
	s.powers = p
	s.mu.Unlock()
	return p
}
