package values

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// A collated is a text for a user variable with its collation, because the engine passes no types to user variables.
type collated struct {
	text string
	by   sql.CollationID
}

// A Collating session passes the values of its user variables to [Variable].
type Collating interface{ CollatesVariables() }

// ofColumns is the coercibility of texts with a chosen collation.
const ofColumns = 2

// Assigned returns the value of an expression for a user variable: [Variable] gets texts with the expression's collation.
func Assigned(ctx *sql.Context, e sql.Expression, value any) any {
	text, ok := value.(string)
	typ, isText := e.Type().(sql.StringType)
	if _, collates := ctx.Session.(Collating); !collates || !ok || !isText || !types.IsTextOnly(typ) {
		return value
	}
	if typ.Collation() != sql.Collation_Default { // also the collation of a subquery
		return collated{text, typ.Collation()}
	}
	by, rank := sql.GetCoercibility(ctx, e)
	if by == sql.Collation_Unspecified || by == sql.Collation_binary || by == sql.Collation_Default && rank > ofColumns { // no collation of its own
		by = ctx.GetCollation()
	}
	return collated{text, by}
}

// Variable returns the value and type for a user variable. A text without a collation gets the connection's; the engine would give
// it none, and compare it byte by byte.
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
