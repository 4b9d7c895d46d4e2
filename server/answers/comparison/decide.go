package comparison

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/documents"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/tree"
)

// Decide rewrites an expression, after its children, if it compares values without a common type.
func Decide(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if !e.Resolved() {
		return e, transform.SameTree, nil
	}
	made, err := decided(ctx, e)
	if made == nil || err != nil {
		return e, transform.SameTree, err
	}
	return made, transform.NewTree, nil
}

// decided is nil for an expression that stays.
func decided(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	switch own := e.(type) {
	case *expression.Equals, *expression.NullSafeEquals,
		*expression.LessThan, *expression.LessThanOrEqual, *expression.GreaterThan, *expression.GreaterThanOrEqual:
		return pair(ctx, own.(expression.Comparer))
	case *expression.Between:
		return convertBetween(ctx, own)
	case *expression.InTuple:
		return list(ctx, own)
	case *expression.Like:
		return like(ctx, own), nil
	case *expression.Case:
		return searched(ctx, own)
	case *expression.And, *expression.Or, *expression.Xor, *expression.Not, *expression.IsTrue:
		return withConditions(e, e.Children())
	case sql.FunctionExpression:
		switch children := e.Children(); strings.ToLower(own.FunctionName()) {
		case "nullif":
			return unlessEqual(ctx, children)
		case "if":
			return withConditions(e, children[:1])
		}
	}
	return nil, nil
}

// pair is a comparison of two.
func pair(ctx *sql.Context, e expression.Comparer) (sql.Expression, error) {
	left, right := e.Left(), e.Right()
	if rows, err := columns(ctx, e); rows != nil || err != nil {
		return rows, err
	}
	_, same := e.(*expression.NullSafeEquals)
	if same && types.IsTextOnly(left.Type()) && types.IsTextOnly(right.Type()) {
		return scalar.Same(bothTexts(ctx, left, right)), nil
	}
	if isEquality(e) && !same && sameMembers(left, right) { // <=> compares a number with a text to the engine
		return nil, nil
	}
	if isDocument(left, right) {
		return e.WithChildren(documents.Compared(left), documents.Compared(right))
	}
	converted, changed := convertAll(ctx, left, right)
	converted[0], converted[1] = bothTexts(ctx, converted[0], converted[1])
	if !changed && identical(converted[0], left) && identical(converted[1], right) {
		return nil, nil
	}
	if same && types.IsTextOnly(converted[0].Type()) && types.IsTextOnly(converted[1].Type()) {
		return scalar.Same(converted[0], converted[1]), nil
	}
	return e.WithChildren(converted...)
}

// like is LIKE of a text and a binary pattern, such as X'62', if the text's collation applies: nil if it stays.
func like(ctx *sql.Context, e *expression.Like) sql.Expression {
	left, right := e.LeftChild, e.RightChild
	if types.IsBinaryType(left.Type()) || !types.IsBinaryType(right.Type()) {
		return nil
	}
	typ := meetingOfTexts(ctx, left, right)
	if typ == nil || typ.Collation() == sql.Collation_binary {
		return nil
	}
	return expression.NewLike(left, inCollation(ctx, right, typ), e.Escape)
}

// isDocument recognises a document compared with a number, a Boolean, a text, a date or a time. The last two compare as texts.
func isDocument(left, right sql.Expression) bool {
	if kindOf(left.Type()) != document {
		left, right = right, left
	}
	if kindOf(left.Type()) != document {
		return false
	}
	switch kindOf(right.Type()) {
	case number, text, member, instant, clock:
		return true
	}
	return false
}

func isEquality(e sql.Expression) bool {
	switch e.(type) {
	case *expression.Equals, *expression.NullSafeEquals:
		return true
	}
	return false
}

// sameMembers recognises an ENUM or a SET compared with one of the same type, or with the text of a member. They are equal if
// their numbers are, and an index finds numbers.
func sameMembers(left, right sql.Expression) bool {
	if kindOf(left.Type()) != member {
		left, right = right, left
	}
	if kindOf(left.Type()) != member {
		return false
	}
	if types.TypesEqual(left.Type(), right.Type()) {
		return true
	}
	literal, ok := right.(*expression.Literal)
	if !ok {
		return false
	}
	word, isText := literal.Value().(string)
	enum, isEnum := left.Type().(sql.EnumType)
	return isText && isEnum && enum.IndexOf(word) > 0
}

// convertAll converts expressions to their common type; changed is false if they stay.
func convertAll(ctx *sql.Context, list ...sql.Expression) (converted []sql.Expression, changed bool) {
	list, given := numbered(ctx, list), list
	converted = slices.Clone(list)
	if typ := meeting(ctx, list); typ != nil {
		for i, e := range list {
			converted[i] = convert(ctx, e, typ)
		}
	}
	for i := range given {
		changed = changed || !identical(converted[i], given[i])
	}
	return converted, changed
}

func convertBetween(ctx *sql.Context, e *expression.Between) (sql.Expression, error) {
	given := e.Children()
	converted, changed := convertAll(ctx, given...)
	if typ := meetingOfTexts(ctx, converted...); typ != nil && (!meetAlike(ctx, typ, converted) || misread(typ, converted)) {
		for i := range converted {
			converted[i] = inCollation(ctx, converted[i], typ)
		}
		changed = true
	}
	if !changed {
		return nil, nil
	}
	return e.WithChildren(converted...)
}

// unlessEqual is NULLIF whose arguments have no common type.
func unlessEqual(ctx *sql.Context, arguments []sql.Expression) (sql.Expression, error) {
	if t := arguments[1].Type(); types.IsDecimal(arguments[0].Type()) && (types.IsDecimal(t) || types.IsInteger(t)) {
		return nil, nil // the function compares all digits; a quotient that is in two places has those of one
	}
	equal := expression.NewEquals(bare(arguments[0]), bare(arguments[1]))
	made, err := pair(ctx, equal)
	if made == nil || err != nil {
		return nil, err
	}
	null := expression.NewLiteral(nil, types.Null)
	return scalar.Typed(expression.NewCase(nil, []expression.CaseBranch{{Cond: made, Value: null}}, arguments[0])), nil
}

// searched is CASE x WHEN a as CASE WHEN x = a, and CASE with conditions. It computes x once if that matters.
func searched(ctx *sql.Context, e *expression.Case) (sql.Expression, error) {
	branches, changed := make([]expression.CaseBranch, len(e.Branches)), e.Expr != nil
	x, value := keep(e.Expr)
	for i, b := range e.Branches {
		if e.Expr == nil {
			branches[i] = expression.CaseBranch{Cond: condition(b.Cond), Value: b.Value}
			changed = changed || !identical(branches[i].Cond, b.Cond)
			continue
		}
		equal, _, err := Decide(ctx, expression.NewEquals(x, b.Cond))
		if err != nil {
			return nil, err
		}
		if i == 0 && value != nil {
			equal = &firstCondition{tree.NewStandin(equal), value}
		}
		branches[i] = expression.CaseBranch{Cond: equal, Value: b.Value}
	}
	if !changed {
		return nil, nil
	}
	return expression.NewCase(nil, branches, e.Else), nil
}

// withConditions replaces the first children of an expression by conditions.
func withConditions(e sql.Expression, conditions []sql.Expression) (sql.Expression, error) {
	children, changed := append([]sql.Expression(nil), e.Children()...), false
	for i, c := range conditions {
		children[i] = condition(c)
		changed = changed || !identical(children[i], c)
	}
	if !changed {
		return nil, nil
	}
	return e.WithChildren(children...)
}

// Condition converts an expression to a condition: a text is true if its leading number is not 0, and so is a time; a document is
// true unless it is the document 0. changed is false if it is a condition already.
func Condition(e sql.Expression) (made sql.Expression, changed bool) {
	if !e.Resolved() {
		return e, false
	}
	made = condition(e)
	return made, !identical(made, e)
}

func condition(e sql.Expression) sql.Expression {
	of := bare(e)
	switch kindOf(of.Type()) {
	case instant, clock, text, member:
		return expression.NewNot(expression.NewEquals(scalar.Number(of), expression.NewLiteral(0.0, types.Float64)))
	case document: // also the document false is not 0
		return expression.NewNot(expression.NewEquals(documents.Compared(of), documents.Compared(expression.NewLiteral(int64(0), types.Int64))))
	}
	return e
}

// bare is the ENUM or SET whose text a function gets.
func bare(e sql.Expression) sql.Expression {
	if of, ok := e.(interface{ Numbered() sql.Expression }); ok {
		return of.Numbered()
	}
	return e
}

// identical reports whether two expressions are the same pointer.
func identical(a, b sql.Expression) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if x.Kind() != reflect.Pointer || y.Kind() != reflect.Pointer {
		return x.Kind() == y.Kind()
	}
	return x.Pointer() == y.Pointer()
}
