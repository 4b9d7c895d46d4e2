package planner

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/tree"
)

// RollupMarker is a function without arguments that follows the last key of GROUP BY ...
// WITH ROLLUP, a clause that the engine's grammar lacks.
const RollupMarker = "__anon_rollup"

// erGroupingOfNoKey is MySQL's ER_FIELD_IN_GROUPING_NOT_GROUP_BY.
const erGroupingOfNoKey = 3580

// Functions are the marker and GROUPING, for the engine's function provider.
func Functions() []sql.Function {
	return []sql.Function{
		sql.Function0{Name: RollupMarker, Fn: func() sql.Expression { return &rollupMark{} }},
		sql.FunctionN{Name: "grouping", Fn: func(keys ...sql.Expression) (sql.Expression, error) {
			if len(keys) == 0 || len(keys) > maxRollupKeys {
				return nil, sql.ErrInvalidArgumentNumber.New("GROUPING", "1 or more", len(keys))
			}
			return &grouping{tree.Nary{Operands: keys}}, nil
		}},
	}
}

// rollupMark is the marker. It is evaluated only if the rollup was not expanded.
type rollupMark struct{ tree.Atom }

var _ sql.FunctionExpression = (*rollupMark)(nil)

func (*rollupMark) FunctionName() string { return RollupMarker }
func (*rollupMark) Description() string  { return "marks GROUP BY ... WITH ROLLUP" }
func (*rollupMark) String() string       { return "WITH ROLLUP" }
func (*rollupMark) Type() sql.Type       { return types.Int8 }
func (*rollupMark) IsNullable() bool     { return false }

func (*rollupMark) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, errRollupPlace
}

func (m *rollupMark) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(m, children)
}

// grouping is GROUPING(key, ...), which a rollup replaces.
type grouping struct{ tree.Nary }

var _ sql.FunctionExpression = (*grouping)(nil)

func (*grouping) FunctionName() string { return "grouping" }
func (*grouping) Description() string  { return "tells which keys WITH ROLLUP has rolled up" }
func (*grouping) Type() sql.Type       { return types.Int64 }
func (*grouping) IsNullable() bool     { return false }

func (g *grouping) String() string {
	texts := make([]string, len(g.Operands))
	for i, e := range g.Operands {
		texts[i] = e.String()
	}
	return "GROUPING(" + strings.Join(texts, ", ") + ")"
}

func (g *grouping) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, mysql.NewSQLError(mysql.ERInvalidGroupFuncUse, mysql.SSUnknownSQLState,
		"Invalid use of group function: %s tells of the keys of a GROUP BY ... WITH ROLLUP of the same SELECT", g)
}

func (g *grouping) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(g, children)
}
