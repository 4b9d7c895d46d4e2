package assignments

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/tree"
)

// The binder refuses an UPDATE over a join if a table has no key, resolves CHECKs and generated columns of one table in
// the scope of all, and finds the targets of a DELETE by name, ignoring databases. So the tree has the assignments as
// arguments of a mark in the condition, which the binder binds like other expressions, and the bound plan gets them back
// in their places.

// The marks, with pairs of a column and its assigned value, and with pairs of a database and a table.
const (
	assignedFunction = "__anon_assigned"
	removedFunction  = "__anon_removed"
)

// A mark is true for every row.
type mark struct {
	tree.Nary
	name string
}

// Functions are the marks.
func Functions() (list []sql.Function) {
	for _, name := range []string{assignedFunction, removedFunction} {
		list = append(list, sql.FunctionN{Name: name, Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
			return &mark{tree.Nary{Operands: arguments}, name}, nil
		}})
	}
	return list
}

// MarkJoined puts marks into the UPDATEs and DELETEs over joins of a statement, in place.
func MarkJoined(statement sqlparser.Statement) (err error) {
	_, routine := statement.(*sqlparser.DDL)
	trees.Walk(statement, func(node any) {
		switch node := node.(type) {
		case *sqlparser.Update:
			if err == nil && joins(node.TableExprs) {
				err = markUpdate(node, routine)
			}
		case *sqlparser.Delete:
			if err == nil && len(node.Targets) > 0 {
				err = markDelete(node)
			}
		}
	})
	return err
}

func joins(tables sqlparser.TableExprs) bool {
	if len(tables) != 1 {
		return len(tables) > 1
	}
	switch table := tables[0].(type) {
	case *sqlparser.JoinTableExpr:
		return true
	case *sqlparser.ParenTableExpr:
		return joins(table.Exprs)
	}
	return false
}

// markUpdate joins the tables with one row, on the statement's condition and the mark. In a routine, where the engine looks
// for variables only in WHERE, the statement keeps its condition.
func markUpdate(update *sqlparser.Update, routine bool) error {
	if err := refuseOrder("UPDATE", update.OrderBy, update.Limit); err != nil {
		return err
	}
	one, err := sqlparser.Parse("SELECT 1 FROM (SELECT 1) AS __anon_one")
	if err != nil {
		return err
	}
	var arguments []sqlparser.Expr
	for _, a := range update.Exprs {
		arguments = append(arguments, a.Name, a.Expr)
	}
	left := update.TableExprs[0]
	for _, table := range update.TableExprs[1:] {
		left = &sqlparser.JoinTableExpr{LeftExpr: left, Join: sqlparser.JoinStr, RightExpr: table}
	}
	marked := &sqlparser.JoinTableExpr{LeftExpr: left, Join: sqlparser.JoinStr, RightExpr: one.(*sqlparser.Select).From[0]}
	marked.Condition.On = trees.Call(assignedFunction, arguments...)
	if !routine {
		marked.Condition.On = andWhere(update.Where, marked.Condition.On)
		update.Where = nil
	}
	update.TableExprs, update.Exprs = sqlparser.TableExprs{marked}, nil
	return nil
}

func markDelete(remove *sqlparser.Delete) error {
	if err := refuseOrder("DELETE", remove.OrderBy, remove.Limit); err != nil {
		return err
	}
	var arguments []sqlparser.Expr
	for _, target := range remove.Targets {
		arguments = append(arguments, trees.Text(target.DbQualifier.String()), trees.Text(target.Name.String()))
	}
	remove.Where = sqlparser.NewWhere(sqlparser.WhereStr, andWhere(remove.Where, trees.Call(removedFunction, arguments...)))
	return nil
}

func andWhere(where *sqlparser.Where, marked sqlparser.Expr) sqlparser.Expr {
	if where == nil {
		return marked
	}
	return &sqlparser.AndExpr{Left: where.Expr, Right: marked}
}

func refuseOrder(verb string, order sqlparser.OrderBy, limit *sqlparser.Limit) error {
	clause := "LIMIT"
	switch {
	case len(order) > 0:
		clause = "ORDER BY"
	case limit == nil:
		return nil
	}
	return mysql.NewSQLError(1221, "HY000", "Incorrect usage of %s and %s", verb, clause)
}

func (m *mark) Type() sql.Type { return booleanType }

func (m *mark) IsNullable() bool { return false }

func (m *mark) String() string { return m.name + "()" }

func (m *mark) Eval(*sql.Context, sql.Row) (any, error) { return true, nil }

func (m *mark) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(m, children)
}
