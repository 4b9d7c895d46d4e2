package values

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// A collated text is on its way to a variable of the session, with the collation by which it is compared: the engine hands on no types.
type collated struct {
	text string
	by   sql.CollationID
}

// A Collating session gives what its variables take to [Variable].
type Collating interface{ CollatesVariables() }

// ofColumns is the coercibility of texts whose collation somebody has chosen.
const ofColumns = 2

// Assigned is the value of an expression for a variable of the session, which gives it to [Variable]: a text with the expression's collation.
func Assigned(ctx *sql.Context, e sql.Expression, value any) any {
	text, ok := value.(string)
	typ, isText := e.Type().(sql.StringType)
	if _, collates := ctx.Session.(Collating); !collates || !ok || !isText || !types.IsTextOnly(typ) {
		return value
	}
	if typ.Collation() != sql.Collation_Default { // that of a subquery, too
		return collated{text, typ.Collation()}
	}
	by, rank := sql.GetCoercibility(ctx, e)
	if by == sql.Collation_Unspecified || by == sql.Collation_binary || by == sql.Collation_Default && rank > ofColumns { // says nothing
		by = ctx.GetCollation()
	}
	return collated{text, by}
}

// Variable is what a variable of the session is given, and its type. A text that comes without a collation has the connection's; the
// engine's has none, and is compared byte by byte.
func Variable(ctx *sql.Context, value any, typ sql.Type) (any, sql.Type) {
	by := ctx.GetCollation()
	if own, ok := value.(collated); ok {
		value, by, typ = own.text, own.by, types.ApproximateTypeFromValue(own.text)
	}
	text, ok := typ.(sql.StringType)
	if !ok || !types.IsTextOnly(typ) || text.Collation() != sql.Collation_Default {
		return value, typ
	}
	made, err := types.CreateString(text.Type(), text.MaxCharacterLength(), by)
	if err != nil {
		return value, types.CreateLongText(by)
	}
	return value, made
}
