package console

import (
	"context"
	"strings"
)

// powers say what else the account may do, so that pages show no form that the server would
// refuse. They protect nothing; the server does.
type powers struct {
	Publishes bool // may read publishable tables, or create some
	Creates   bool // may create tables
	Accounts  bool // may create accounts
}

// systemDatabases have no publishable table.
const systemDatabases = "('mysql', 'information_schema', 'performance_schema', 'sys', 'anonsql', 'published')"

// findPowers asks the server what the account may do now.
func (s *session) findPowers(ctx context.Context) powers {
	var p powers
	given, failed := s.read(ctx, "SELECT privilege_type FROM information_schema.user_privileges UNION "+
		"SELECT privilege_type FROM information_schema.schema_privileges WHERE table_schema NOT IN "+systemDatabases+" UNION "+
		"SELECT 'A TABLE' FROM information_schema.tables WHERE table_schema NOT IN "+systemDatabases)
	if failed != nil {
		return powers{Publishes: true, Accounts: true} // the server will decide; uploads are off
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
