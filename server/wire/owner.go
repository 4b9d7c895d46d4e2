package wire

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/source"
)

// An Owner is a client that another server has let in: an owner of tables that live there. Its connection is of this
// process, and asks for no password.
type Owner struct {
	// User is the account there, as CURRENT_USER() has it, and Host the other server.
	User, Host string
	// Source is the home of its tables.
	Source source.Source
	// Privileges are those that it has here, with the generation of the accounts for which they hold.
	Privileges func() (sql.PrivilegeSet, uint64)
}

// NewOwnerConn reads the packets of an owner's connection.
func NewOwnerConn(p *PacketConn, owner *Owner) *PacketConn {
	p.Owner = owner
	return p
}

// Source is the home of the session's raw tables, nil for the product's own store.
func (s *Session) Source() source.Source {
	if s.Owner == nil {
		return nil
	}
	return s.Owner.Source
}

// Engine is the home of tables in an engine that the session has beside the store's, nil for none.
func (s *Session) Engine() source.Beside {
	if home := s.engine.Load(); home != nil {
		return *home
	}
	return nil
}

// SetEngine gives the session a home of tables in an engine, for the statement that begins; nil takes it away.
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
