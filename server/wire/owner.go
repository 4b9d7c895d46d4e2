package wire

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"github.com/anonsql/anonsql/catalog/source"
)

// An Owner is a client that another server has authenticated, an owner of tables that live there. Its connection
// comes from this process, without a password.
type Owner struct {
	// User is the account there, as CURRENT_USER() shows it, and Host the other server.
	User, Host string
	// Source is the home of its tables.
	Source source.Source
	// Privileges returns its privileges here, with the generation of the accounts to which they apply.
	Privileges func() (sql.PrivilegeSet, uint64)
}

// NewOwnerConn makes p the connection of an owner.
func NewOwnerConn(p *PacketConn, owner *Owner) *PacketConn {
	p.Owner = owner
	return p
}

// Source is the home of the session's raw tables, nil for anonsql's own store.
func (s *Session) Source() source.Source {
	if s.Owner == nil {
		return nil
	}
	return s.Owner.Source
}

// Engine is the session's home of tables in an engine, nil for none.
func (s *Session) Engine() source.Beside {
	if home := s.engine.Load(); home != nil {
		return *home
	}
	return nil
}

// SetEngine sets the session's home of tables in an engine, for the beginning statement; nil removes it.
func (s *Session) SetEngine(home source.Beside) {
	if home == nil {
		s.engine.Store(nil)
		return
	}
	s.engine.Store(&home)
}

// GetPrivilegeSet implements sql.Session: owners of another server have no account here.
func (s *Session) GetPrivilegeSet() (sql.PrivilegeSet, uint64) {
	if s.Owner == nil {
		return s.Session.GetPrivilegeSet()
	}
	return s.Owner.Privileges()
}

// SetPrivilegeSet implements sql.Session. For an account that is gone the engine finds one of that name at '%', or the anonymous one: its privileges are
// taken away. The engine goes on with the maps that it gives here.
func (s *Session) SetPrivilegeSet(given sql.PrivilegeSet, generation uint64) {
	if held, ok := given.(mysql_db.PrivilegeSet); ok && s.Gone != nil && s.Gone(s.Client()) {
		held.RemoveGlobalStatic(held.ToSlice()...)
		held.RemoveGlobalDynamic(append(held.ToSliceDynamic(true), held.ToSliceDynamic(false)...)...)
		for _, database := range held.GetDatabases() {
			held.ClearDatabase(database.Name())
		}
	}
	s.Session.SetPrivilegeSet(given, generation)
}
