package scope

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// OmitGenerated leaves generated columns that are to have DEFAULT out of INSERT, REPLACE and UPDATE, in place.
func OmitGenerated(ctx context.Context, statement sqlparser.Statement) {
	b := binderOf(ctx)
	if b == nil {
		return
	}
	trees.Walk(reflect.ValueOf(statement), func(node any) {
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

// generating are the columns of a table that has generated ones; nil of others.
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

// isDefault recognises DEFAULT, and of DEFAULT(x) for x.
func isDefault(e sqlparser.Expr, column string) bool {
	value, ok := e.(*sqlparser.Default)
	return ok && (value.ColName == "" || strings.EqualFold(value.ColName, column))
}

// omitInserted leaves such columns out of the list of columns and of all rows. The binder looks at the first row alone: a row with another value goes
// there, so that the binder refuses it.
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

// defaults is DEFAULT for every column, which is what () is.
func defaults(n int) (row sqlparser.ValTuple) {
	for range n {
		row = append(row, &sqlparser.Default{})
	}
	return row
}

// rest is a list without some of its elements.
func rest[L ~[]E, E any](list L, omitted []bool) (kept L) {
	for i, e := range list {
		if !omitted[i] {
			kept = append(kept, e)
		}
	}
	return kept
}

// omitUpdated leaves such assignments out. Where there is no other, a column keeps its value.
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
