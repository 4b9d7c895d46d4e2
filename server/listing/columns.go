package listing

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/answers"
)

// Columns of SHOW FULL COLUMNS that ShowColumns corrects. Without FULL, collation and privileges are missing.
const (
	columnType       = 1
	columnCollation  = 2
	columnPrivileges = 7
	columnDefault    = 4 // one more with FULL
)

// ShowColumns answers SHOW COLUMNS with MySQL's types, collations, defaults and privileges. The engine writes the
// collation into the type, where tools look for the length; it quotes the defaults; and it shows no privilege, so
// some tools think that they cannot read the column.
func ShowColumns(ctx *sql.Context, n *plan.ShowColumns, row sql.Row, held *mysql_db.MySQLDb) (sql.RowIter, error) {
	shown, err := rowexec.DefaultBuilder.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	rows, err := sql.RowIterToRows(ctx, shown)
	if err != nil {
		return nil, err
	}
	schema := n.TargetSchema()
	if len(rows) != len(schema) {
		return sql.RowsToRowIter(rows...), nil
	}
	shownPrivileges := ""
	if n.Full {
		shownPrivileges = privileges(ctx, n, held)
	}
	for i, c := range schema {
		rows[i][columnType] = answers.PlainType(c.Type)
		at := columnDefault
		if n.Full {
			at = columnDefault + 1
			rows[i][columnCollation] = collationOf(c.Type)
			rows[i][columnPrivileges] = shownPrivileges
		}
		rows[i][at] = plainDefault(c, rows[i][at])
	}
	return sql.RowsToRowIter(rows...), nil
}

// collationOf returns NULL for types without text.
func collationOf(typ sql.Type) any {
	if t, ok := typ.(sql.TypeWithCollation); ok && (types.IsTextOnly(typ) || types.IsEnum(typ) || types.IsSet(typ)) {
		return t.Collation().Name()
	}
	return nil
}

// plainDefault takes the quotes off a literal. Expressions are in parentheses.
func plainDefault(c *sql.Column, shown any) any {
	text, ok := shown.(string)
	if !ok || c.Default == nil || len(text) < 2 || text[0] != '\'' || text[len(text)-1] != '\'' {
		return shown
	}
	return strings.ReplaceAll(text[1:len(text)-1], "''", "'")
}

// privileges returns the account's privileges on the columns of a table.
func privileges(ctx *sql.Context, n *plan.ShowColumns, of *mysql_db.MySQLDb) string {
	table, ok := n.Child.(*plan.ResolvedTable)
	if !ok || table.SqlDatabase == nil {
		return "select"
	}
	_, readOnly := table.SqlDatabase.(accounts.Sealed)
	var held []string
	for _, p := range []struct {
		name      string
		privilege sql.PrivilegeType
		writes    bool
	}{
		{"select", sql.PrivilegeType_Select, false}, {"insert", sql.PrivilegeType_Insert, true},
		{"update", sql.PrivilegeType_Update, true}, {"references", sql.PrivilegeType_References, true},
	} {
		if p.writes && readOnly {
			continue
		}
		if accounts.Holds(ctx, of, table.SqlDatabase.Name(), table.Name(), p.privilege) {
			held = append(held, p.name)
		}
	}
	return strings.Join(held, ",")
}
