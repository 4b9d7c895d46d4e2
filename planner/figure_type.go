package planner

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner/arithmetic"
)

// The type of a figure is known when the statement is bound, at PREPARE too. An
// estimate is a DOUBLE. An exact figure has the type that MySQL gives the aggregate:
// COUNT is BIGINT, SUM and AVG over whole numbers and decimals are DECIMAL. MIN and
// MAX have the type of their argument. A figure that is exact for some groups only is
// an estimate.

// countsVariable is the session's variable that makes counts, and sums over whole
// numbers, whole numbers: for tools that cannot read others.
const countsVariable = "anon_counts"

// countsAsInteger is its value that does so.
const countsAsInteger = "integer"

// Variables are the system variables of this package, with their defaults. Every
// account may set them for its session.
func Variables() []sql.SystemVariable {
	return []sql.SystemVariable{&sql.MysqlSystemVariable{
		Name: countsVariable, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both), Dynamic: true,
		Type: types.NewSystemEnumType(countsVariable, "estimate", countsAsInteger), Default: "estimate",
	}}
}

// wantsWhole reports whether the session has anon_counts = 'integer'.
func wantsWhole(ctx *sql.Context) bool {
	value, err := ctx.GetSessionVariable(ctx, countsVariable)
	text, ok := value.(string)
	return err == nil && ok && strings.EqualFold(text, countsAsInteger)
}

// settle gives an aggregate its type. exact says that the answer is the actual one,
// whole that the session wants whole numbers.
func (a *aggregate) settle(exact, whole bool) {
	a.exact, a.type_ = exact, figureType
	a.countsWhole = a.kind.isCount() || a.kind == sumKind && arithmetic.Of(a.argument).IsWhole()
	if exact || a.kind.isExtreme() {
		a.type_ = a.actualType()
	}
	if whole && a.countsWhole {
		a.type_, a.rounded = types.Int64, !exact
	}
}

// actualType is the type of the figure where it is exact, and of the actual one.
func (a *aggregate) actualType() sql.Type {
	switch {
	case a.kind.isExtreme():
		return a.argument.Type()
	case a.kind.isCount():
		return types.Int64
	case a.kind == sumKind:
		if sum, ok := arithmetic.Of(a.argument).Sum(); ok {
			return sum
		}
	case a.kind == averageKind:
		if average, ok := arithmetic.Of(a.argument).Average(); ok {
			return average
		}
	}
	return figureType
}

// companionType is the type of what stands beside a figure: bounds of numbers of
// records are whole, those of an exact figure are the figure.
func (a *aggregate) companionType(kind outputKind) sql.Type {
	switch kind {
	case actualOutput:
		return a.actualType()
	case lowOutput, highOutput:
		if a.kind == countKind || a.exact {
			return a.actualType()
		}
	}
	return figureType
}

// exactly reports whether an aggregate, beside the conditions and keys that the
// estimate has by now, is exact, whatever stands beside it.
func (e *Estimate) exactly(a aggregate) bool {
	alone := *e
	alone.aggregates = []aggregate{a}
	_, exact := alone.touched()
	return exact
}
