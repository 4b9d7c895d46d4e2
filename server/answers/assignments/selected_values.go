package assignments

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// NameSelected makes VALUES(x) of INSERT ... SELECT ... ON DUPLICATE KEY UPDATE the inserted value, in place: the binder looks
// for it among the columns of its table for VALUES rows, so the rows of a SELECT become such a table.
// It refuses a row alias with that table's prefix: the binder would take its columns for those of the existing row.
func NameSelected(statement sqlparser.Statement) (err error) {
	trees.Walk(statement, func(node any) {
		insert, ok := node.(*sqlparser.Insert)
		if !ok || len(insert.OnDup) == 0 || err != nil {
			return
		}
		if rows, ok := insert.Rows.(*sqlparser.AliasedValues); ok && strings.HasPrefix(strings.ToLower(rows.As.String()), planbuilder.OnDupValuesPrefix) {
			err = sql.ErrUnsupportedFeature.New("an alias of the new row that begins with " + planbuilder.OnDupValuesPrefix + ", which the server uses itself: choose another")
			return
		}
		query, selects := insert.Rows.(sqlparser.SelectStatement)
		if !selects || !asksValues(insert.OnDup) {
			return
		}
		if len(insert.Columns) == 0 {
			err = sql.ErrUnsupportedFeature.New("VALUES(x) in an INSERT ... SELECT without a list of columns: write INSERT INTO " +
				insert.Table.Name.String() + " (a, b) SELECT ...")
			return
		}
		selected := &sqlparser.AliasedTableExpr{
			Expr: &sqlparser.Subquery{Select: query, Columns: insert.Columns},
			As:   sqlparser.NewTableIdent(planbuilder.OnDupValuesPrefix),
			Auth: sqlparser.AuthInformation{AuthType: sqlparser.AuthType_IGNORE}, // what is within has its own
		}
		insert.Rows = &sqlparser.Select{SelectExprs: sqlparser.SelectExprs{&sqlparser.StarExpr{}}, From: sqlparser.TableExprs{selected}}
	})
	return err
}

func asksValues(assignments sqlparser.OnDup) (asks bool) {
	trees.Walk(assignments, func(node any) {
		_, values := node.(*sqlparser.ValuesFuncExpr)
		asks = asks || values
	})
	return asks
}
