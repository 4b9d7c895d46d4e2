package functions

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize/association"
)

// bindAssociation makes ANON_ASSOCIATION(tbl): phi^2 (SLPPA, Eq. 10) of every pair of quasi-identifiers.
func (e *Environment) bindAssociation(ctx *sql.Context, arguments []sql.Expression) (*relation, error) {
	return e.bindRaw("anon_association", sql.Schema{
		{Name: "first", Type: types.LongText},
		{Name: "second", Type: types.LongText},
		{Name: "phi_squared", Type: types.Float64},
	}, func(ctx *sql.Context, name tableName) ([]sql.Row, error) {
		columns, err := e.quasiIdentifiers(ctx, name)
		if err != nil {
			return nil, err
		}
		matrix, err := association.Matrix(ctx, columns, association.Options{Bins: association.DefaultBins})
		if err != nil {
			return nil, err
		}
		var rows []sql.Row
		for i := range columns {
			for j := i + 1; j < len(columns); j++ {
				rows = append(rows, sql.Row{columns[i].Name, columns[j].Name, matrix[i][j]})
			}
		}
		return rows, nil
	})(ctx, arguments)
}
