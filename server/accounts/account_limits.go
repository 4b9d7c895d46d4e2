package accounts

import (
	"fmt"
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"github.com/anonsql/anonsql/server/limits"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// ChangedLimits are those that CALL set_limits has set.
func (b *Book) ChangedLimits(key mysql_db.UserPrimaryKey) limits.Changed {
	reader := b.Engine.Reader()
	defer reader.Close()
	found, ok := reader.GetUser(key)
	if !ok || found.Attributes == nil {
		return nil
	}
	return limits.FromText(*found.Attributes)
}

// ChangeLimits sets limits of an account by options name=value, as CALL set_limits has them.
func (b *Book) ChangeLimits(ctx *sql.Context, key mysql_db.UserPrimaryKey, options []string) error {
	editor := b.Engine.Editor()
	defer editor.Close()
	found, ok := editor.GetUser(key)
	if !ok {
		return sqlerror.New(sqlerror.CannotUser, fmt.Sprintf("Operation SET LIMITS failed for %s: there is no such account", Quoted(key)))
	}
	if IsSuperuser(found) && !Holds(ctx, b.Engine, "", "", sql.PrivilegeType_Super) {
		return sqlerror.New(sqlerror.AccessDenied, fmt.Sprintf(
			"Access denied for user %s; you need the SUPER privilege to limit %s, who may do everything", Account(ctx), Quoted(key)))
	}
	attributes := ""
	if found.Attributes != nil {
		attributes = *found.Attributes
	}
	changed, err := limits.FromText(attributes).With(options...)
	if err != nil {
		return err
	}
	own := *found
	own.Attributes = nil
	if text := changed.Text(attributes); text != "" {
		own.Attributes = &text
	}
	editor.RemoveUser(key)
	editor.PutUser(&own)
	return b.Engine.Persist(ctx, editor)
}

// An AccountLimits is the limits of an account, 0 for none: seconds, rows, bytes,
// bytes, connections.
type AccountLimits struct {
	User, Host                                                              string
	StatementTimeout, MaxResultRows, MaxResultBytes, Memory, MaxConnections int64
}

// AccountLimitsOf gives limits the units that clients see, parts of a second rounded up.
func AccountLimitsOf(key mysql_db.UserPrimaryKey, l limits.Limits) AccountLimits {
	return AccountLimits{key.User, key.Host, int64(math.Ceil(l.StatementTimeout.Seconds())), l.MaxResultRows, l.MaxResultBytes, l.Memory, l.MaxConnections}
}
