package planner

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/tree"
)

// padComparisons makes the comparisons of a plan that reads a release, its view or its relations, ignore trailing spaces under a PAD SPACE collation.
// The engine compares them, but the columns of a release have none ([coding.Unpad]). So it trims what they are compared with: literals, computed
// texts, columns of other tables, values of a subquery. LIKE is not affected.
func padComparisons(ctx *sql.Context, node sql.Node) (sql.Node, transform.TreeIdentity, error) {
	p := &padder{ctx, make(map[string]bool)}
	pads := false
	tree.Inspect(node, func(n sql.Node) bool {
		table, ok := n.(*plan.ResolvedTable)
		if !ok || !isPublished(table) {
			return true
		}
		p.bare[strings.ToLower(table.Name())] = true
		for _, c := range table.Schema() {
			text, ok := c.Type.(sql.StringType)
			pads = pads || ok && coding.Pads(text.Collation())
		}
		return true
	})
	if !pads {
		return node, transform.SameTree, nil
	}
	tree.Inspect(node, func(n sql.Node) bool {
		switch n := n.(type) {
		case *plan.TableAlias:
			if table, ok := n.Child.(*plan.ResolvedTable); ok && isPublished(table) {
				p.bare[strings.ToLower(n.Name())] = true
			}
		case *plan.SubqueryAlias: // its columns may be computed, whatever its name
			delete(p.bare, strings.ToLower(n.Name()))
		}
		return true
	})
	return rewriteValues(node, p.value)
}

// isPublished reports whether a table is a view, a relation or a completed table of a release.
func isPublished(table *plan.ResolvedTable) bool {
	return table.SqlDatabase != nil && table.SqlDatabase.Name() == catalog.PublishedDatabaseName
}

// A padder has the names of releases' columns, which have no trailing spaces.
type padder struct {
	ctx  *sql.Context
	bare map[string]bool
}

func (p *padder) value(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	return transform.Expr(e, p.expression)
}

// expression changes one comparison.
func (p *padder) expression(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if subquery, ok := e.(*plan.Subquery); ok {
		query, same, err := rewriteValues(subquery.Query, p.value)
		if err != nil || same {
			return e, transform.SameTree, err
		}
		return subquery.WithQuery(query), transform.NewTree, nil
	}
	children := e.Children()
	compared := comparedChildren(e)
	if len(compared) == 0 {
		return e, transform.SameTree, nil
	}
	operands := make([]sql.Expression, len(compared))
	for i, at := range compared {
		operands[i] = children[at]
	}
	if !p.unpad(operands) {
		return e, transform.SameTree, nil
	}
	for i, at := range compared {
		children[at] = operands[i]
	}
	changed, err := e.WithChildren(children...)
	return changed, transform.NewTree, err
}

// comparedChildren are the indexes of the children that an expression compares with each other.
func comparedChildren(e sql.Expression) (at []int) {
	n := len(e.Children())
	switch e := e.(type) {
	case *expression.Equals, *expression.NullSafeEquals, *expression.LessThan, *expression.LessThanOrEqual, *expression.GreaterThan,
		*expression.GreaterThanOrEqual, *expression.Between, *expression.InTuple, *plan.InSubquery:
	case *expression.Case:
		if e.Expr == nil { // compares nothing itself
			return nil
		}
		for i := 0; i <= 2*len(e.Branches); i++ {
			if i == 0 || i%2 == 1 { // not THEN
				at = append(at, i)
			}
		}
		return at
	case sql.FunctionExpression:
		for i := range n {
			if tree.ReadsRows(e, i) { // x > ALL (SELECT ...)
				return []int{i - 1, i}
			}
		}
		if name := strings.ToLower(e.FunctionName()); name != "nullif" && name != "strcmp" && name != "field" {
			return nil
		}
	default:
		return nil
	}
	for i := range n {
		at = append(at, i)
	}
	return at
}

// unpad trims trailing spaces of operands that are compared with each other, rows column by column, and reports whether it changed any.
func (p *padder) unpad(operands []sql.Expression) (changed bool) {
	if row, ok := operands[0].(expression.Tuple); ok {
		if subquery, ok := operands[1].(*plan.Subquery); ok {
			return p.unpadRowsOf(row, subquery, operands)
		}
		return p.unpadRows(len(row), operands)
	}
	alone := operands[0]
	for i, e := range operands {
		if list, ok := e.(expression.Tuple); ok && i > 0 { // IN
			return p.unpadList(operands, i, list)
		}
		if padsBy(p.ctx, e) {
			alone = nil
		}
	}
	if alone != nil {
		return false
	}
	for i, e := range operands {
		if bare := p.withoutPadding(e); bare != e {
			operands[i], changed = bare, true
		}
	}
	return changed
}

// unpadList is x IN (a, b).
func (p *padder) unpadList(operands []sql.Expression, at int, list expression.Tuple) bool {
	all := append([]sql.Expression{operands[0]}, list...)
	if !p.unpad(all) {
		return false
	}
	operands[0], operands[at] = all[0], expression.Tuple(all[1:])
	return true
}

// unpadRows is (a, b) = (c, d), and (a, b) IN ((c, d), (e, f)).
func (p *padder) unpadRows(width int, operands []sql.Expression) (changed bool) {
	rows := make([]expression.Tuple, 0, len(operands))
	var take func(e sql.Expression) bool
	take = func(e sql.Expression) bool {
		row, ok := e.(expression.Tuple)
		switch {
		case !ok:
			return false
		case len(row) > 0 && isRow(row[0]):
			for _, of := range row {
				if !take(of) {
					return false
				}
			}
			return true
		}
		rows = append(rows, row)
		return len(row) == width
	}
	for _, e := range operands {
		if !take(e) { // a subquery, or an error of its own
			return false
		}
	}
	made := make([]expression.Tuple, len(rows))
	for i, row := range rows {
		made[i] = append(expression.Tuple(nil), row...)
	}
	for column := range width {
		values := make([]sql.Expression, len(rows))
		for i := range rows {
			values[i] = rows[i][column]
		}
		if p.unpad(values) {
			changed = true
			for i := range rows {
				made[i][column] = values[i]
			}
		}
	}
	if !changed {
		return false
	}
	var put func(e sql.Expression) sql.Expression
	put = func(e sql.Expression) sql.Expression {
		row := e.(expression.Tuple)
		if len(row) > 0 && isRow(row[0]) {
			list := make(expression.Tuple, len(row))
			for i, of := range row {
				list[i] = put(of)
			}
			return list
		}
		first := made[0]
		made = made[1:]
		return first
	}
	for i, e := range operands {
		operands[i] = put(e)
	}
	return true
}

// unpadRowsOf is (a, b) IN (SELECT c, d ...).
func (p *padder) unpadRowsOf(row expression.Tuple, subquery *plan.Subquery, operands []sql.Expression) (changed bool) {
	schema := subquery.Query.Schema()
	if len(schema) != len(row) {
		return false
	}
	made, chosen := slices.Clone(row), make([]bool, len(row))
	for i, e := range row {
		text, isText := schema[i].Type.(sql.StringType)
		if chosen[i] = padsBy(p.ctx, e) || isText && coding.Pads(text.Collation()); chosen[i] {
			made[i] = p.withoutPadding(e)
			changed = changed || made[i] != e
		}
	}
	if query := p.unpaddedQuery(subquery.Query, chosen); query != nil {
		operands[1], changed = subquery.WithQuery(query), true
	}
	operands[0] = made
	return changed
}

func isRow(e sql.Expression) bool {
	_, ok := e.(expression.Tuple)
	return ok
}

// padsBy reports whether an operand is a text whose collation applies, and pads; a
// literal's yields to a column's.
func padsBy(ctx *sql.Context, e sql.Expression) bool {
	if _, isMember := e.(interface{ Numbered() sql.Expression }); isMember { // an ENUM, which has no trailing spaces, and compares with numbers as a number
		return false
	}
	if _, isLiteral := e.(*expression.Literal); isLiteral || !types.IsText(e.Type()) {
		return false
	}
	collation, _ := sql.GetCoercibility(ctx, e)
	return coding.Pads(collation)
}

// withoutPadding is an operand without trailing spaces: itself if it has none.
func (p *padder) withoutPadding(e sql.Expression) sql.Expression {
	switch e := e.(type) {
	case *expression.Literal:
		if text, ok := e.Value().(string); ok && coding.Unpadded(text) != text {
			return expression.NewLiteral(coding.Unpadded(text), e.Type())
		}
		return e
	case *expression.GetField:
		if p.bare[strings.ToLower(e.Table())] {
			return e
		}
	case *function.RightTrim:
		return e
	case *plan.Subquery:
		if query := p.unpaddedQuery(e.Query, []bool{true}); query != nil {
			return e.WithQuery(query)
		}
		return e
	}
	if !types.IsTextOnly(e.Type()) {
		return e
	}
	return function.NewRightTrim(e)
}
