package functions

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
)

// A tableName is a raw table's name as written, completed by the current database.
type tableName struct{ database, table string }

func (n tableName) String() string { return n.database + "." + n.table }

// parseTableName reads table, db.table, `db`.`table`, and trino.schema.table, whose database is trino.schema.
func parseTableName(ctx *sql.Context, text string) (tableName, error) {
	parts, rest, ok := []string(nil), strings.TrimSpace(text), true
	for ok && len(parts) < 3 {
		var part string
		part, rest, ok = cutIdentifier(rest)
		parts = append(parts, part)
		if ok && rest == "" {
			break
		}
		ok = ok && strings.HasPrefix(rest, ".")
		rest = strings.TrimPrefix(rest, ".")
	}
	inEngine := len(parts) == 3 && strings.EqualFold(parts[0]+".", source.EnginePrefix)
	if !ok || rest != "" || len(parts) == 3 && !inEngine {
		return tableName{}, &anonymize.ParameterError{Parameter: "table", Value: "'" + text + "'", Rule: "must be a table name such as adult or census.adult"}
	}
	switch len(parts) {
	case 3:
		return tableName{parts[0] + "." + parts[1], parts[2]}, nil
	case 2:
		return tableName{parts[0], parts[1]}, nil
	}
	return inCurrentDatabase(ctx, parts[0])
}

func inCurrentDatabase(ctx *sql.Context, table string) (tableName, error) {
	database := ctx.GetCurrentDatabase()
	if database == "" {
		return tableName{}, sql.ErrNoDatabaseSelected.New()
	}
	return tableName{database, table}, nil
}

// cutIdentifier splits a plain or backquoted identifier off the front of text.
func cutIdentifier(text string) (identifier, rest string, ok bool) {
	if !strings.HasPrefix(text, "`") {
		end := strings.IndexAny(text, ".`")
		if end < 0 {
			end = len(text)
		}
		return text[:end], text[end:], end > 0
	}
	for i := 1; i < len(text); i++ {
		if text[i] != '`' {
			identifier += text[i : i+1]
			continue
		}
		if i+1 < len(text) && text[i+1] == '`' {
			identifier += "`"
			i++
			continue
		}
		return identifier, text[i+1:], identifier != ""
	}
	return "", text, false
}

// tableAccessDenied is MySQL's ER_TABLEACCESS_DENIED_ERROR.
const tableAccessDenied = 1142

// denied is MySQL's error for a denied verb on a table, whether or not the table exists. It names the table only if the client did: another
// account's view or procedure may name another table.
func (n tableName) denied(ctx *sql.Context, verb string) error {
	client, table := ctx.Session.Client(), "table '"+n.table+"'"
	if !strings.Contains(strings.ToLower(ctx.Query()), strings.ToLower(n.table)) {
		table = "a table behind this statement"
	}
	return mysql.NewSQLError(tableAccessDenied, "42000", "%s command denied to user '%s'@'%s' for %s", verb, client.User, client.Address, table)
}

// text reads a value as the text of an option.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		return string(v)
	}
	return fmt.Sprint(v)
}
