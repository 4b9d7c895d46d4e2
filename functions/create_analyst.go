package functions

import (
	"cmp"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
)

var createAnalystSchema = sql.Schema{
	{Name: "account", Type: types.LongText},
	{Name: "grants", Type: types.LongText},
	{Name: "connect", Type: types.LongText},
	{Name: "limits", Type: types.LongText},
}

// CALL create_analyst('bi', 'password', ...), with a host and limits of the account (CALL set_limits) as further arguments, creates an account that reads only
// the published releases (database published, and the public part of database anonsql). It is CREATE USER and two GRANTs in one step, and needs their
// privileges, GRANT OPTION included. The row fits a terminal: SHOW GRANTS has the grants as statements, anonsql.limits all limits.
func (e *Environment) createAnalyst(ctx *sql.Context, arguments ...string) (sql.RowIter, error) {
	if len(arguments) < 2 || len(arguments) > 10 {
		return usage("CALL create_analyst('bi', 'a password', '%', 'statement_timeout=60')")(ctx, arguments...)
	}
	user, password := arguments[0], arguments[1]
	host, options := hostAndOptions(arguments[2:])
	if strings.ContainsFunc(user, func(r rune) bool { return r < ' ' }) {
		return nil, &anonymize.ParameterError{Parameter: "account", Value: strconv.Quote(user), Rule: "must not have control characters"}
	}
	databases := []string{catalog.PublishedDatabaseName, catalog.SystemDatabaseName}
	address, err := e.CreateReader(ctx, user, host, password, options, databases...)
	if err != nil {
		return nil, err
	}
	return sql.RowsToRowIter(sql.Row{accountName(user, host), "SELECT on " + strings.Join(databases, ", "), connectText(address, user),
		cmp.Or(strings.Join(options, ", "), "defaults")}), nil
}

// hostAndOptions separates a host, which may come first, from options name=value.
func hostAndOptions(arguments []string) (host string, options []string) {
	if len(arguments) > 0 && !strings.Contains(arguments[0], "=") {
		host, arguments = arguments[0], arguments[1:]
	}
	return cmp.Or(host, "%"), arguments
}

var setLimitsSchema = sql.Schema{
	{Name: "account", Type: types.LongText},
	{Name: "limits", Type: types.LongText},
}

// CALL set_limits('bi', 'max_connections=5', ...) changes the limits of an account; the
// host comes before the limits if it is not '%'. It needs the privilege CREATE USER.
func (e *Environment) setLimits(ctx *sql.Context, arguments ...string) (sql.RowIter, error) {
	return changeAccount(ctx, arguments, "CALL set_limits('bi', 'statement_timeout=60', 'max_connections=5')", e.SetLimits)
}

var setDefaultsSchema = sql.Schema{
	{Name: "account", Type: types.LongText},
	{Name: "defaults", Type: types.LongText},
}

// CALL set_defaults('bi', 'anon_counts=integer', ...) sets the initial session variables of an account; the host comes before them
// if it is not '%'. It needs the privilege CREATE USER.
func (e *Environment) setDefaults(ctx *sql.Context, arguments ...string) (sql.RowIter, error) {
	return changeAccount(ctx, arguments, "CALL set_defaults('bi', 'anon_counts=integer', 'sql_notes=OFF')", e.SetDefaults)
}

// changeAccount returns the account and the result of change.
func changeAccount(ctx *sql.Context, arguments []string, example string,
	change func(ctx *sql.Context, user, host string, options ...string) (string, error)) (sql.RowIter, error) {
	if len(arguments) < 2 || len(arguments) > 10 {
		return usage(example)(ctx, arguments...)
	}
	host, options := hostAndOptions(arguments[1:])
	changed, err := change(ctx, arguments[0], host, options...)
	if err != nil {
		return nil, err
	}
	return sql.RowsToRowIter(sql.Row{accountName(arguments[0], host), changed}), nil
}

func accountName(user, host string) string {
	escape := strings.NewReplacer("'", "''")
	return "'" + escape.Replace(user) + "'@'" + escape.Replace(host) + "'"
}

// connectText is the command line of the usual client, which asks for the password.
func connectText(address, user string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = address, "3306"
	}
	if strings.ContainsAny(user, " '\"$`\\;&|<>*?!()[]{}#~") {
		user = "'" + strings.ReplaceAll(user, "'", `'\''`) + "'"
	}
	return fmt.Sprintf("mariadb -h %s -P %s -u %s -p %s", host, port, user, catalog.PublishedDatabaseName)
}
