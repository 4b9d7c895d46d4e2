package server

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/gate"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// refusedKind is the audit's kind of statements that were not understood or not
// accepted: an owner sees what a tool fails at, and who tries what.
const refusedKind = "refused"

// maskedLength is how much is kept of a text that could not be parsed, in bytes.
const maskedLength = 1000

// refusal reports whether an error says that a statement is none, is too large, or
// asks for what there is not.
func refusal(err error) bool {
	switch sqlerror.Number(err) {
	case sqlerror.Syntax, sqlerror.Unknown, sqlerror.NotSupported, sqlerror.TooManyTables, sqlerror.TooManyColumns, sqlerror.TooManyPlaceholders, sqlerror.NotPreparable:
		return true
	}
	return false
}

// auditable is a statement's text as the audit takes it. Of a text that was not
// parsed nobody knows which of its words are values, so that every name is masked.
func auditable(text string, err error) string {
	if number := sqlerror.Number(err); number == sqlerror.NotSupported || number == sqlerror.Unknown {
		return text
	}
	return gate.Mask(text, false, maskedLength)
}

// auditPrepare adds a statement that was refused before it came to the engine.
func (s *instance) auditPrepare(c *mysql.Conn, text string, err *mysql.SQLError) {
	user, ok := c.UserData.(sql.MysqlConnectionUser)
	if !ok || !refusal(err) {
		return
	}
	s.audit.Add(catalog.AuditEntry{At: time.Now(), Account: user.User, Host: user.Host, Kind: refusedKind, Statement: auditable(text, err), Error: err.Num})
}
