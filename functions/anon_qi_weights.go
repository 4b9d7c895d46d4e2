package functions

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize/association"
)

// bindWeights makes ANON_QI_WEIGHTS(tbl): the entropy weights (SLPPA, Eq. 9) of the quasi-identifiers, heaviest first.
func (e *Environment) bindWeights(ctx *sql.Context, arguments []sql.Expression) (*relation, error) {
	return e.bindRaw("anon_qi_weights", sql.Schema{
		{Name: "column", Type: types.LongText},
		{Name: "weight", Type: types.Float64},
	}, func(ctx *sql.Context, name tableName) ([]sql.Row, error) {
		columns, err := e.quasiIdentifiers(ctx, name)
		if err != nil {
			return nil, err
		}
		var rows []sql.Row
		for _, c := range columns {
			rows = append(rows, sql.Row{c.Name, association.Entropy(c)})
		}
		slices.SortStableFunc(rows, func(a, b sql.Row) int {
			switch x, y := a[1].(float64), b[1].(float64); {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
		return rows, nil
	})(ctx, arguments)
}
