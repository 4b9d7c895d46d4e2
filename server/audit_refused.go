package server

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog/audit"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// refusedKind is the audit's kind of statements that were not understood or not
// accepted: an owner sees what a tool fails at, and who tries what.
const refusedKind = "refused"

// refusal reports whether an error says that a statement is none, is too large, or
// asks for what there is not.
func refusal(err error) bool {
	switch sqlerror.Number(err) {
	case sqlerror.Syntax, sqlerror.Unknown, sqlerror.NotSupported, sqlerror.TooManyTables, sqlerror.TooManyColumns, sqlerror.TooManyPlaceholders, sqlerror.NotPreparable:
		return true
	}
	return false
}

// unparsed reports whether an error leaves open what the words of its statement
// are: nobody knows which of them are values.
func unparsed(err error) bool {
	number := sqlerror.Number(err)
	return refusal(err) && number != sqlerror.NotSupported && number != sqlerror.Unknown
}

// auditPrepare adds a statement that was refused before it came to the engine.
func (s *instance) auditPrepare(c *mysql.Conn, text string, err *mysql.SQLError) {
	user, ok := c.UserData.(sql.MysqlConnectionUser)
	if !ok || !refusal(err) {
		return
	}
	s.audit.Add(audit.Entry{At: time.Now(), Account: user.User, Host: user.Host, Kind: refusedKind,
		Statement: s.newDigest(running.New("prepare", text), err).statement(), Error: err.Num})
}
