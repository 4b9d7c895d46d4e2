package columns

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/tree"
)

// ScopeVariables gives every @@x of a statement, except targets of SET, its default scope, in place. A variable that the binder then
// finds without a scope was written without @@: [RefuseBare].
func ScopeVariables(statement sqlparser.Statement) {
	targets := map[*sqlparser.ColName]bool{}
	trees.Walk(statement, func(node any) {
		switch node := node.(type) {
		case *sqlparser.SetVarExpr:
			targets[node.Name] = true
		case *sqlparser.AliasedExpr:
			if column, ok := node.Expr.(*sqlparser.ColName); ok && node.As.IsEmpty() && scoped(column).String() != column.Name.String() {
				node.As = column.Name // as clients see it
			}
		case *sqlparser.ColName:
			if !targets[node] {
				node.Name = scoped(node)
			}
		}
	})
}

// SelectVariables writes (SELECT @x) for every @x and @@x in the HAVING of a node that is a SELECT, in place: the binder looks there
// for a column of that name.
func SelectVariables(node any) {
	query, ok := node.(*sqlparser.Select)
	if !ok || query.Having == nil {
		return
	}
	trees.Replace(query.Having, func(e sqlparser.Expr) sqlparser.Expr {
		variable, ok := e.(*sqlparser.ColName)
		if !ok || !variable.Qualifier.IsEmpty() || !strings.HasPrefix(variable.Name.String(), "@") {
			return e
		}
		return &sqlparser.Subquery{Select: &sqlparser.Select{SelectExprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: variable}}}}
	})
}

// scoped is the name of a variable with its scope. Other names stay; the binder refuses invalid ones.
func scoped(written *sqlparser.ColName) sqlparser.ColIdent {
	if !written.Qualifier.IsEmpty() || !strings.HasPrefix(written.Name.String(), "@@") || strings.Contains(written.Name.String(), ".") {
		return written.Name
	}
	name, _, _, err := sqlparser.VarScope(written.Name.String())
	if err != nil {
		return written.Name
	}
	variable, _, ok := sql.SystemVariables.GetGlobal(name)
	switch {
	case !ok:
		return written.Name
	case variable.IsGlobalOnly():
		return sqlparser.NewColIdent("@@global." + name)
	}
	return sqlparser.NewColIdent("@@session." + name)
}

// RefuseBare refuses an unknown column with the name of a system variable: the binder takes it for @@x.
func RefuseBare(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	var err error
	tree.Inspect(n, func(below sql.Node) bool {
		if _, sets := below.(*plan.Set); sets || err != nil {
			return false
		}
		if ex, ok := below.(sql.Expressioner); ok {
			for _, e := range ex.Expressions() {
				transform.InspectExpr(e, func(e sql.Expression) bool {
					if variable, ok := e.(*expression.SystemVar); ok && variable.SpecifiedScope == "" {
						err = sql.ErrColumnNotFound.New(variable.Name)
					}
					return err != nil
				})
			}
		}
		return err == nil
	})
	return n, transform.SameTree, err
}
