package assignments

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/tree"
)

// Variables converts dates, times, ENUMs and SETs that SET assigns to user variables to texts, as in MySQL: the engine would add a time to a
// date, and store the numbers of members. Texts keep their collations, which the engine would drop.
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

// ComputeFirst makes SET compute all its values before it assigns the first: if one fails, all variables stay unchanged.
func ComputeFirst(_ *sql.Context, node sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
	n, ok := node.(*plan.Set)
	if !ok || len(n.Exprs) < 2 {
		return node, transform.SameTree, nil
	}
	all, list := &together{}, make([]sql.Expression, len(n.Exprs))
	for i, e := range n.Exprs {
		set, ok := e.(*expression.SetField)
		if !ok {
			return node, transform.SameTree, nil
		}
		if _, done := set.RightChild.(*oneOf); done {
			return node, transform.SameTree, nil
		}
		all.operands = append(all.operands, set.RightChild)
		list[i] = expression.NewSetField(set.LeftChild, &oneOf{tree.NewStandin(set.RightChild), all, i})
	}
	return plan.NewSet(list), transform.NewTree, nil
}

// together are the values of a SET.
type together struct {
	operands []sql.Expression
	values   []any
}

// oneOf is one of them. The first computes all.
type oneOf struct {
	tree.Standin
	all *together
	at  int
}

func (o *oneOf) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(o, children)
}

func (o *oneOf) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if o.at > 0 {
		return o.all.values[o.at], nil
	}
	o.all.values = make([]any, len(o.all.operands))
	for i, e := range o.all.operands {
		var err error
		if o.all.values[i], err = e.Eval(ctx, row); err != nil {
			return nil, err
		}
	}
	return o.all.values[0], nil
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
