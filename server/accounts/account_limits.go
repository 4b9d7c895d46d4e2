package accounts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/defaults"
	"github.com/anonsql/anonsql/server/limits"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// ChangedLimits are the limits set by CALL set_limits.
func (b *Book) ChangedLimits(key mysql_db.UserPrimaryKey) limits.Changed {
	return limits.FromText(b.attributesOf(key))
}

// attributesOf returns an account's attributes, as MySQL has them, "" for none.
func (b *Book) attributesOf(key mysql_db.UserPrimaryKey) string {
	reader := b.Engine.Reader()
	defer reader.Close()
	found, ok := reader.GetUser(key)
	if !ok || found.Attributes == nil {
		return ""
	}
	return *found.Attributes
}

// ChangeLimits sets limits of an account by the options name=value of CALL set_limits.
func (b *Book) ChangeLimits(ctx *sql.Context, key mysql_db.UserPrimaryKey, options []string) error {
	return b.changeAttributes(ctx, key, "LIMITS", func(attributes string) (string, error) {
		changed, err := limits.FromText(attributes).WithOptions(options...)
		return changed.Text(attributes), err
	})
}

// Defaults are the variables set by CALL set_defaults.
func (b *Book) Defaults(key mysql_db.UserPrimaryKey) defaults.Values {
	return defaults.FromText(b.attributesOf(key))
}

// ChangeDefaults sets the initial variables of an account's sessions by the options name=value of CALL set_defaults.
func (b *Book) ChangeDefaults(ctx *sql.Context, key mysql_db.UserPrimaryKey, options []string) error {
	check := func(variable, value string) error { return SetVariable(ctx, sql.NewBaseSession(), variable, value) }
	return b.changeAttributes(ctx, key, "DEFAULTS", func(attributes string) (string, error) {
		changed, err := defaults.FromText(attributes).WithOptions(check, options...)
		return changed.Text(attributes), err
	})
}

// SetVariable sets a session's variable to the value of a text. It fails with error 1231 for an invalid value.
func SetVariable(ctx context.Context, session sql.Session, variable, text string) error {
	var value any = text
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		value = n
	}
	var own *mysql.SQLError
	switch err := session.SetSessionVariable(sql.NewContext(ctx, sql.WithSession(session)), variable, value); {
	case err == nil:
		return nil
	case errors.As(err, &own): // it names the valid values
		return own
	}
	return sqlerror.New(sqlerror.WrongVariable, fmt.Sprintf("Variable '%s' can't be set to the value of '%s'", variable, text))
}

// changeAttributes changes an account's attributes; what names the operation in errors.
func (b *Book) changeAttributes(ctx *sql.Context, key mysql_db.UserPrimaryKey, what string, change func(attributes string) (string, error)) error {
	editor := b.Engine.Editor()
	defer editor.Close()
	found, ok := editor.GetUser(key)
	if !ok {
		return sqlerror.New(sqlerror.CannotUser, fmt.Sprintf("Operation SET %s failed for %s: there is no such account", what, Quoted(key)))
	}
	if IsSuperuser(found) && !Holds(ctx, b.Engine, "", "", sql.PrivilegeType_Super) {
		return sqlerror.New(sqlerror.AccessDenied, fmt.Sprintf(
			"Access denied for user %s; you need the SUPER privilege to change %s, an account that has SUPER", Account(ctx), Quoted(key)))
	}
	attributes := ""
	if found.Attributes != nil {
		attributes = *found.Attributes
	}
	text, err := change(attributes)
	if err != nil {
		return err
	}
	own := *found
	own.Attributes = nil
	if text != "" {
		own.Attributes = &text
	}
	editor.RemoveUser(key)
	editor.PutUser(&own)
	return b.Engine.Persist(ctx, editor)
}

// AccountLimits are the limits of an account, in seconds, rows, bytes, bytes and
// connections; 0 is no limit.
type AccountLimits struct {
	User, Host                                                              string
	StatementTimeout, MaxResultRows, MaxResultBytes, Memory, MaxConnections int64
}

// AccountLimitsOf converts limits to these units, rounding up to whole seconds.
func AccountLimitsOf(key mysql_db.UserPrimaryKey, l limits.Limits) AccountLimits {
	return AccountLimits{key.User, key.Host, int64(math.Ceil(l.StatementTimeout.Seconds())), l.MaxResultRows, l.MaxResultBytes, l.Memory, l.MaxConnections}
}
