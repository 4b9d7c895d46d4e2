package planner

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog/coding"
)

// unpadded takes the spaces from the end of texts that a comparison by a PAD SPACE collation
// is with: the engine takes notice of them, and the column of a release has none
// ([coding.Unpad]). LIKE is no such comparison.
func unpadded(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	compared := len(e.Children())
	switch e := e.(type) {
	case *expression.Equals, *expression.NullSafeEquals, *expression.LessThan, *expression.LessThanOrEqual, *expression.GreaterThan,
		*expression.GreaterThanOrEqual, *expression.Between, *expression.InTuple:
	case *expression.Case:
		if compared = 2*len(e.Branches) + 1; e.Expr == nil { // compares nothing itself
			return e, transform.SameTree, nil
		}
	default:
		return e, transform.SameTree, nil
	}
	children := e.Children()
	if !padsBy(ctx, children[0]) && !padsBy(ctx, children[1]) {
		return e, transform.SameTree, nil
	}
	_, isCase := e.(*expression.Case)
	same := transform.SameTree
	for i, child := range children[:compared] {
		if isCase && i > 0 && i%2 == 0 { // THEN
			continue
		}
		var unchanged transform.TreeIdentity
		if children[i], unchanged = withoutPadding(child); !unchanged {
			same = transform.NewTree
		}
	}
	if same {
		return e, same, nil
	}
	changed, err := e.WithChildren(children...)
	return changed, same, err
}

// padsBy reports whether an operand is a text whose collation decides, and pads: that of a
// literal does not beside a column's.
func padsBy(ctx *sql.Context, e sql.Expression) bool {
	if _, isLiteral := e.(*expression.Literal); isLiteral || !types.IsText(e.Type()) {
		return false
	}
	collation, _ := sql.GetCoercibility(ctx, e)
	return coding.Pads(collation)
}

// withoutPadding is a literal, or a list of some, without spaces at its end.
func withoutPadding(e sql.Expression) (sql.Expression, transform.TreeIdentity) {
	switch e := e.(type) {
	case *expression.Literal:
		if text, ok := e.Value().(string); ok && coding.Unpadded(text) != text {
			return expression.NewLiteral(coding.Unpadded(text), e.Type()), transform.NewTree
		}
	case expression.Tuple:
		list, same := make(expression.Tuple, len(e)), transform.SameTree
		for i, of := range e {
			var unchanged transform.TreeIdentity
			if list[i], unchanged = withoutPadding(of); !unchanged {
				same = transform.NewTree
			}
		}
		if !same {
			return list, same
		}
	}
	return e, transform.SameTree
}
