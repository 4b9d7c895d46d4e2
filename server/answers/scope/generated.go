package scope

import (
	"context"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// OmitGenerated removes DEFAULT for generated columns from INSERT, REPLACE and UPDATE, in place.
func OmitGenerated(ctx context.Context, statement sqlparser.Statement) {
	b := binderOf(ctx)
	if b == nil {
		return
	}
	trees.Walk(statement, func(node any) {
		switch n := node.(type) {
		case *sqlparser.Insert:
			if rows, ok := n.Rows.(*sqlparser.AliasedValues); ok {
				b.omitInserted(n, rows)
			}
		case *sqlparser.Update:
			if len(n.TableExprs) == 1 {
				b.omitUpdated(n)
			}
		}
	})
}

// generating returns the columns of a table that has generated columns, nil for other tables.
func (b *binder) generating(name sqlparser.TableName) sql.Schema {
	database := name.DbQualifier.String()
	if database == "" {
		database = b.ctx.GetCurrentDatabase()
	}
	table, _, err := b.engine.Catalog.Table(b.ctx, database, name.Name.String())
	if err != nil || !slices.ContainsFunc(table.Schema(), isGenerated) {
		return nil
	}
	return table.Schema()
}

func isGenerated(c *sql.Column) bool { return c.Generated != nil }

// isDefault recognises DEFAULT, and DEFAULT(x) for column x.
func isDefault(e sqlparser.Expr, column string) bool {
	value, ok := e.(*sqlparser.Default)
	return ok && (value.ColName == "" || strings.EqualFold(value.ColName, column))
}

// omitInserted removes such columns from the column list and all rows. The binder checks only the first row, so a row with another value is moved
// there to be refused.
func (b *binder) omitInserted(insert *sqlparser.Insert, rows *sqlparser.AliasedValues) {
	columns, names := b.generating(insert.Table), insert.Columns
	if columns == nil {
		return
	}
	if len(names) == 0 {
		for _, c := range columns {
			names = append(names, sqlparser.NewColIdent(c.Name))
		}
		for i, row := range rows.Values {
			if len(row) == 0 {
				rows.Values[i] = defaults(len(names))
			}
		}
	}
	if slices.ContainsFunc(rows.Values, func(row sqlparser.ValTuple) bool { return len(row) != len(names) }) {
		return
	}
	omitted := make([]bool, len(names))
	for i, name := range names {
		at := columns.IndexOfColName(name.String())
		if at < 0 || columns[at].Generated == nil {
			continue
		}
		other := slices.IndexFunc(rows.Values, func(row sqlparser.ValTuple) bool { return !isDefault(row[i], name.String()) })
		if other >= 0 {
			rows.Values[0], rows.Values[other] = rows.Values[other], rows.Values[0]
			return
		}
		omitted[i] = true
	}
	if !slices.Contains(omitted, true) || !slices.Contains(omitted, false) {
		return
	}
	insert.Columns = rest(names, omitted)
	for i, row := range rows.Values {
		rows.Values[i] = rest(row, omitted)
	}
	if len(rows.Columns) == len(names) {
		rows.Columns = rest(rows.Columns, omitted)
	}
}

// defaults returns DEFAULT for n columns, the meaning of ().
func defaults(n int) (row sqlparser.ValTuple) {
	for range n {
		row = append(row, &sqlparser.Default{})
	}
	return row
}

// rest returns a list without the omitted elements.
func rest[L ~[]E, E any](list L, omitted []bool) (kept L) {
	for i, e := range list {
		if !omitted[i] {
			kept = append(kept, e)
		}
	}
	return kept
}

// omitUpdated removes such assignments. If no other remains, it assigns a column to itself.
func (b *binder) omitUpdated(update *sqlparser.Update) {
	aliased, ok := update.TableExprs[0].(*sqlparser.AliasedTableExpr)
	if !ok {
		return
	}
	name, ok := aliased.Expr.(sqlparser.TableName)
	if !ok {
		return
	}
	columns := b.generating(name)
	plain := slices.IndexFunc(columns, func(c *sql.Column) bool { return c.Generated == nil })
	if plain < 0 {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(update.Exprs), func(a *sqlparser.AssignmentExpr) bool {
		at := columns.IndexOfColName(a.Name.Name.String())
		return at >= 0 && columns[at].Generated != nil && isDefault(a.Expr, columns[at].Name)
	})
	if len(kept) == 0 {
		same := &sqlparser.ColName{Name: sqlparser.NewColIdent(columns[plain].Name)}
		kept = sqlparser.AssignmentExprs{{Name: same, Expr: same}}
	}
	update.Exprs = kept
}
