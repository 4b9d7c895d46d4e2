package comparison

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/tree"
)

// Coercibilities (MySQL's manual, Collation Coercibility in Expressions).
const (
	ofLiterals   = 4
	decidesAtAll = 5 // the weakest of a text that has a collation of its own or of its session's
)

// Collation returns the collation of a comparison of texts: the one with the strongest coercibility. Binary texts follow the same
// rule: a column decides against X'62', and BINARY 'b' against a column (MySQL's DTCollation::aggregate). The engine compares bytes
// whenever one side is binary.
func Collation(ctx *sql.Context, first sql.Expression, others ...sql.Expression) sql.CollationID {
	collation, _ := met(ctx, append([]sql.Expression{first}, others...))
	return collation
}

// met is that collation, and its coercibility.
func met(ctx *sql.Context, texts []sql.Expression) (collation sql.CollationID, strength byte) {
	collation, strength = coercibility(ctx, texts[0])
	for _, other := range texts[1:] {
		another, itsStrength := coercibility(ctx, other)
		switch {
		case collation != sql.Collation_binary && another != sql.Collation_binary:
			collation, strength = sql.ResolveCoercibility(collation, strength, another, itsStrength)
		case itsStrength < strength || itsStrength == strength && another == sql.Collation_binary:
			collation, strength = another, itsStrength
		}
	}
	return collation, strength
}

// coercibility is the collation and coercibility of a text. Without its own, or converted to another (inCollation), it has the collation of its type.
func coercibility(ctx *sql.Context, e sql.Expression) (collation sql.CollationID, strength byte) {
	if query := queried(e); query != nil {
		return met(ctx, tree.Selected(query, 0))
	}
	collation, strength = sql.GetCoercibility(ctx, e)
	if types.IsBinaryType(e.Type()) {
		return sql.Collation_binary, min(strength, ofLiterals)
	}
	call, ok := e.(*builtin.Call)
	converted := ok && call.Name == scalar.AsFunction && types.IsTextOnly(call.Operands[0].Type())
	if text, ok := e.Type().(sql.StringType); ok && (converted || strength > decidesAtAll) {
		return text.Collation(), strength
	}
	return collation, strength
}

// queried is the query of a subquery, nil for others. To the engine its text has the collation of a table.
func queried(e sql.Expression) sql.Node {
	if hidden, ok := e.(*tree.Opaque); ok {
		e = hidden.Child
	}
	if subquery, ok := e.(*plan.Subquery); ok {
		return subquery.Query
	}
	return nil
}

// meetingOfTexts is the type in which texts are compared, nil if one is not a text.
func meetingOfTexts(ctx *sql.Context, list ...sql.Expression) sql.StringType {
	if slices.ContainsFunc(list, func(e sql.Expression) bool { return kindOf(e.Type()) != text }) {
		return nil
	}
	collation := Collation(ctx, list[0], list[1:]...)
	if collation == sql.Collation_binary {
		return types.LongBlob
	}
	return types.CreateLongText(collation)
}

// inCollation converts a text to the collation of a type, or to its bytes if that is binary, and that of a subquery to the type itself, by which
// the engine compares then; nil leaves it unchanged.
func inCollation(ctx *sql.Context, e sql.Expression, typ sql.StringType) sql.Expression {
	if own, ok := e.Type().(sql.StringType); !ok || typ == nil || own.Collation() == typ.Collation() && queried(e) == nil {
		return e
	}
	return convertExactly(ctx, e, typ)
}

// misread reports whether the engine would take the wrong collation from types, since those of computed texts have none, or ignore that
// of a subquery.
func misread(typ sql.StringType, texts []sql.Expression) bool {
	asked := slices.ContainsFunc(texts, func(e sql.Expression) bool { return queried(e) != nil })
	for i, e := range texts {
		own, ok := e.Type().(sql.StringType)
		if ok && own.Collation() != typ.Collation() && (i > 0 && types.TypesEqual(texts[0].Type(), own) || asked && queried(e) == nil) {
			return true
		}
	}
	return false
}

// bothTexts are two texts in the collation in which they meet, where the engine would take another. Where one is binary, both are
// texts or both bytes: what the engine folds is a literal afterwards, and decides no more.
func bothTexts(ctx *sql.Context, left, right sql.Expression) (l, r sql.Expression) {
	typ := meetingOfTexts(ctx, left, right)
	if typ == nil || types.IsBinaryType(left.Type()) == types.IsBinaryType(right.Type()) && !misread(typ, []sql.Expression{left, right}) {
		return left, right
	}
	return inCollation(ctx, left, typ), inCollation(ctx, right, typ)
}

// meetAlike reports whether BETWEEN compares its value with each bound in the same collation as with both.
func meetAlike(ctx *sql.Context, typ sql.StringType, texts []sql.Expression) bool {
	for _, bound := range texts[1:] {
		if met := meetingOfTexts(ctx, texts[0], bound); met.Collation() != typ.Collation() {
			return false
		}
	}
	return true
}
