package functions

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/tree"
)

// Functions around an aggregate of a SELECT over a published view, where package planner replaces them; anywhere else they are an error.
//
//	ANON_ACTUAL(agg)          the same aggregate over the raw table
//	ANON_RELATIVE_ERROR(agg)  |actual - estimate| / |actual|, NULL where the actual value is 0
//	ANON_STDERR(agg)          standard deviation of the figure over all tables that agree with the release
//	ANON_LOW(agg), ANON_HIGH(agg)  the least and the greatest figure over all these tables
//
//	ANON_INTERVAL_LOW(agg, level), ANON_INTERVAL_HIGH(agg, level)  an interval of calibrated width; level 0.95 when left out
//
// The first two read the raw table and need its SELECT privilege.
func aggregateMarker(name string) sql.Function {
	return sql.Function1{Name: name, Fn: func(e sql.Expression) sql.Expression {
		return &marker{Nary: tree.Nary{Operands: []sql.Expression{e}}, name: name}
	}}
}

// intervalMarker is a marker that may have a level after the aggregate.
func intervalMarker(name string) sql.Function {
	return sql.FunctionN{Name: name, Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
		if len(arguments) != 1 && len(arguments) != 2 {
			return nil, sql.ErrInvalidArgumentNumber.New(strings.ToUpper(name), "1 or 2", len(arguments))
		}
		return &marker{Nary: tree.Nary{Operands: arguments}, name: name}, nil
	}}
}

type marker struct {
	tree.Nary
	name string
}

var (
	_ sql.FunctionExpression = (*marker)(nil)
	_ sql.CollationCoercible = (*marker)(nil)
)

func (m *marker) FunctionName() string { return m.name }
func (m *marker) Description() string  { return "says more about an estimated aggregate" }
func (m *marker) Type() sql.Type       { return types.Float64 }
func (m *marker) IsNullable() bool     { return true }

func (m *marker) String() string {
	texts := make([]string, len(m.Operands))
	for i, e := range m.Operands {
		texts[i] = e.String()
	}
	return strings.ToUpper(m.name) + "(" + strings.Join(texts, ", ") + ")"
}

func (m *marker) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

func (m *marker) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, mysql.NewSQLError(mysql.ERNotSupportedYet, mysql.SSUnknownSQLState,
		"%s takes one aggregate of a SELECT over a published view, such as %s(COUNT(*)) ... FROM published.adult", m, strings.ToUpper(m.name))
}

func (m *marker) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(m, children)
}
