package functions

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// Functions around an aggregate of a SELECT over a published view, where
// package planner replaces them; anywhere else they are an error.
//
//	ANON_ACTUAL(agg)          the same aggregate over the raw table
//	ANON_RELATIVE_ERROR(agg)  |actual - estimate| / |actual|, NULL where the actual value is 0
//	ANON_STDERR(agg)          standard deviation of the figure over all tables that agree with the release
//	ANON_LOW(agg), ANON_HIGH(agg)  the least and the greatest figure over all these tables
//
// The first two read the raw table and need its SELECT privilege.
func aggregateMarker(name string) sql.Function {
	return sql.Function1{Name: name, Fn: func(e sql.Expression) sql.Expression {
		return &marker{name: name, UnaryExpression: expression.UnaryExpression{Child: e}}
	}}
}

type marker struct {
	name string
	expression.UnaryExpression
}

var (
	_ sql.FunctionExpression = (*marker)(nil)
	_ sql.CollationCoercible = (*marker)(nil)
)

func (m *marker) FunctionName() string { return m.name }
func (m *marker) Description() string  { return "says more about an estimated aggregate" }
func (m *marker) String() string       { return strings.ToUpper(m.name) + "(" + m.Child.String() + ")" }
func (m *marker) Type() sql.Type       { return types.Float64 }
func (m *marker) IsNullable() bool     { return true }

func (m *marker) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

func (m *marker) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, mysql.NewSQLError(mysql.ERNotSupportedYet, mysql.SSUnknownSQLState,
		"%s takes one aggregate of a SELECT over a published view, such as %s(COUNT(*)) ... FROM published.adult", m, strings.ToUpper(m.name))
}

func (m *marker) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(m, len(children), 1)
	}
	return &marker{name: m.name, UnaryExpression: expression.UnaryExpression{Child: children[0]}}, nil
}
