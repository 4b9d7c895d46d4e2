package functions

import (
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
}

// CALL create_analyst('bi', 'password'), or with a host as the third argument,
// makes an account that reads the published releases (database published, and
// what anonsql tells of them to who cannot read raw tables) and nothing else.
// It is CREATE USER and two GRANTs in one step, and needs the privileges of
// those: whoever may not pass on SELECT cannot let others in by it.
func (e *Environment) createAnalyst(ctx *sql.Context, arguments ...string) (sql.RowIter, error) {
	if len(arguments) < 2 || len(arguments) > 3 {
		return usage("CALL create_analyst('bi', 'a password', '%')")(ctx, arguments...)
	}
	user, password, host := arguments[0], arguments[1], "%"
	if len(arguments) == 3 && arguments[2] != "" {
		host = arguments[2]
	}
	if strings.ContainsFunc(user, func(r rune) bool { return r < ' ' }) {
		return nil, &anonymize.ParameterError{Parameter: "account", Value: strconv.Quote(user), Rule: "must not have control characters"}
	}
	databases := []string{catalog.PublishedDatabaseName, catalog.SystemDatabaseName}
	address, err := e.CreateReader(ctx, user, host, password, databases...)
	if err != nil {
		return nil, err
	}
	grants := make([]string, len(databases))
	for i, database := range databases {
		grants[i] = fmt.Sprintf("GRANT SELECT ON `%s`.* TO %s", database, accountName(user, host, "`"))
	}
	return sql.RowsToRowIter(sql.Row{accountName(user, host, "'"), strings.Join(grants, "; "), connectText(address, user)}), nil
}

func accountName(user, host, quote string) string {
	escape := strings.NewReplacer(quote, quote+quote)
	return quote + escape.Replace(user) + quote + "@" + quote + escape.Replace(host) + quote
}

// connectText is the command of the usual client, which asks for the password.
func connectText(address, user string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = address, "3306"
	}
	if strings.ContainsAny(user, " '\"$`\\;&|<>*?!()#~") {
		user = "'" + strings.ReplaceAll(user, "'", `'\''`) + "'"
	}
	return fmt.Sprintf("mariadb --host=%s --port=%s --user=%s --password %s", host, port, user, catalog.PublishedDatabaseName)
}
