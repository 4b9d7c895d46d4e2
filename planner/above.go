package planner

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/tree"
)

// rewriteAbove rebuilds the nodes above the aggregation on top of the
// estimate, lowest first: expressions that are keys become references to
// them, ANON_ACTUAL and its companions become further outputs.
func (b *scopeBuilder) rewriteAbove(node sql.Node, above []sql.Node) (sql.Node, error) {
	for i := len(above) - 1; i >= 0; i-- {
		rewritten, err := above[i].WithChildren(node)
		if err != nil {
			return nil, err
		}
		if rewritten, err = b.rewriteNode(rewritten, i == topProject(above)); err != nil {
			return nil, err
		}
		node = rewritten
	}
	if len(b.bare) > 0 && topProject(above) < 0 {
		return nil, b.refuseBare()
	}
	return b.passOn(node, topProject(above))
}

// passOn adds the planner's own outputs to the projections between the estimate and the
// topmost one, top nodes further up, since the nodes above refer to them.
func (b *scopeBuilder) passOn(node sql.Node, top int) (sql.Node, error) {
	children := node.Children()
	if len(children) != 1 {
		return node, nil // the estimate
	}
	child, err := b.passOn(children[0], top-1)
	if err != nil {
		return nil, err
	}
	project, ok := node.(*plan.Project)
	if !ok || top >= 0 {
		return node.WithChildren(child)
	}
	projections := project.Projections
	for _, o := range b.estimate.Outputs {
		if o.ID > b.planner.bound {
			projections = append(projections[:len(projections):len(projections)], o.Field())
		}
	}
	return plan.NewProject(projections, child), nil
}

// topProject returns the index of the topmost projection, whose columns are those of
// the statement, -1 for none.
func topProject(above []sql.Node) int {
	for i, n := range above {
		if _, ok := n.(*plan.Project); ok {
			return i
		}
	}
	return -1
}

func (b *scopeBuilder) rewriteNode(node sql.Node, top bool) (sql.Node, error) {
	return b.planner.rewriteVisited(node, top, b.withoutBare, b.rewriteExpression)
}

// rewriteVisited visits the subqueries in a node, and rewrites it.
func (p *planner) rewriteVisited(
	node sql.Node,
	top bool,
	passedOn func([]sql.Expression) []sql.Expression,
	rewrite func(sql.Expression) (sql.Expression, error),
) (sql.Node, error) {
	visited, err := tree.TransformExpressions(node, p.visitSubquery)
	if err != nil {
		return nil, err
	}
	return rewriteNode(visited, top, passedOn, rewrite)
}

// rewriteNode puts a node above an aggregation on top of its replacement: passedOn returns the
// expressions that a projection below the top one keeps, rewrite the new form of an expression.
func rewriteNode(
	node sql.Node,
	top bool,
	passedOn func([]sql.Expression) []sql.Expression,
	rewrite func(sql.Expression) (sql.Expression, error),
) (sql.Node, error) {
	if project, ok := node.(*plan.Project); ok && !top {
		node = plan.NewProject(passedOn(project.Projections), project.Child)
	}
	expressioner, ok := node.(sql.Expressioner)
	if !ok {
		return node, nil
	}
	// A copy: the node shares its expressions with every use of the same
	// common table expression.
	expressions := slices.Clone(expressioner.Expressions())
	for i, e := range expressions {
		var err error
		if expressions[i], err = rewrite(e); err != nil {
			return nil, err
		}
	}
	return expressioner.WithExpressions(expressions...)
}

// withoutBare drops plain columns that are not keys from an intermediate projection; a
// node above that needs one refuses it.
func (b *scopeBuilder) withoutBare(projections []sql.Expression) []sql.Expression {
	var kept []sql.Expression
	for _, e := range projections {
		if field, ok := e.(*expression.GetField); ok && b.bare[field.Id()] != "" {
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// rewriteExpression rewrites e from the top down, so that the largest part
// that is a key is replaced.
func (b *scopeBuilder) rewriteExpression(e sql.Expression) (sql.Expression, error) {
	switch e := e.(type) {
	case *expression.Literal, *expression.BindVar:
		return e, nil
	case *expression.GetField:
		if b.bare[e.Id()] != "" {
			return nil, answer.Refuse("%s is neither aggregated nor in GROUP BY: add it to GROUP BY, or leave it out", b.bare[e.Id()])
		}
		return e, nil
	case sql.FunctionExpression:
		name := strings.ToLower(e.FunctionName())
		if kind, ok := companions[name]; ok {
			return b.companion(name, kind, e)
		}
	}
	if _, isAlias := e.(*expression.Alias); !isAlias {
		if key := b.estimate.KeyOf(b.source.substitute(e)); key >= 0 {
			return b.keyField(key), nil
		}
	}
	return tree.RebuildEach(e, b.rewriteExpression)
}

// keyField refers to a key's output column, which it adds when the aggregation
// did not pass the key on by itself.
func (b *scopeBuilder) keyField(key int) sql.Expression {
	for _, o := range b.estimate.Outputs {
		if o.Kind == answer.KeyOutput && o.Index == key {
			return o.Field()
		}
	}
	e := b.estimate.Keys[key]
	return b.addOutput(answer.KeyOutput, key, &sql.Column{Name: e.String(), Type: e.Type(), Nullable: e.IsNullable()})
}

func (b *scopeBuilder) addOutput(kind answer.OutputKind, index int, column *sql.Column) sql.Expression {
	return b.estimate.AddOutput(kind, index, b.planner.freshId(), column).Field()
}

func (b *scopeBuilder) refuseBare() error {
	for _, name := range b.bare {
		return answer.Refuse("%s is neither aggregated nor in GROUP BY: add it to GROUP BY, or leave it out", name)
	}
	return nil
}
