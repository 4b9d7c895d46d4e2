package assignments

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/server/answers/scalar"
)

// Variables writes dates, times, ENUMs and SETs that SET gives to variables of a session as texts, which are what these have by MySQL: the engine
// forgets that a date has no time, and gives the numbers of members. Texts keep their collations, which the engine forgets.
func Variables(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	set, ok := n.(*plan.Set)
	if !ok {
		return n, transform.SameTree, nil
	}
	return written(set)
}

func written(n *plan.Set) (sql.Node, transform.TreeIdentity, error) {
	list, same := make([]sql.Expression, len(n.Exprs)), transform.SameTree
	for i, e := range n.Exprs {
		list[i] = e
		set, ok := e.(*expression.SetField)
		if !ok || !isVariable(set.LeftChild) || !set.RightChild.Resolved() {
			continue
		}
		if text := scalar.ForVariable(allDigits(set.RightChild)); text != set.RightChild {
			list[i], same = expression.NewSetField(set.LeftChild, text), transform.NewTree
		}
	}
	if same {
		return n, same, nil
	}
	return plan.NewSet(list), same, nil
}

// IntoVariables is Variables of SELECT ... INTO, whose plan is finished.
func IntoVariables(_ *sql.Context, node sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
	n, ok := node.(*plan.Into)
	if !ok {
		return node, transform.SameTree, nil
	}
	schema := n.Child.Schema()
	if len(schema) != len(n.IntoVars) {
		return n, transform.SameTree, nil
	}
	columns, same := make([]sql.Expression, len(schema)), transform.SameTree
	for i, c := range schema {
		columns[i] = expression.NewGetFieldWithTable(i, 0, c.Type, c.DatabaseSource, c.Source, c.Name, c.Nullable)
		if text := scalar.ForVariable(columns[i]); text != columns[i] && isVariable(n.IntoVars[i]) {
			columns[i], same = expression.NewAlias(c.Name, text), transform.NewTree
		}
	}
	if same {
		return n, same, nil
	}
	made, err := n.WithChildren(plan.NewProject(columns, n.Child))
	return made, same, err
}

func isVariable(e sql.Expression) bool {
	_, ok := e.(*expression.UserVar)
	return ok
}
