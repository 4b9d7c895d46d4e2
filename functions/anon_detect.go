package functions

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
)

// bindDetect makes ANON_DETECT(tbl): per column the number of distinct values,
// the share of rows with a value of their own, the most frequent value's share
// and the role that these suggest.
func (e *Environment) bindDetect(ctx *sql.Context, arguments []sql.Expression) (*relation, error) {
	return e.bindRaw("anon_detect", sql.Schema{
		{Name: "column", Type: types.LongText},
		{Name: "distinct_values", Type: types.Int64},
		{Name: "uniqueness", Type: types.Float64},
		{Name: "top_share", Type: types.Float64},
		{Name: "suggested_role", Type: types.LongText},
	}, e.detect)(ctx, arguments)
}

func (e *Environment) detect(ctx *sql.Context, name tableName) ([]sql.Row, error) {
	raw, err := e.table(ctx, name)
	if err != nil {
		return nil, err
	}
	table, err := raw.Microdata(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	var rows []sql.Row
	for _, c := range table.Columns {
		counts := c.Histogram()
		unique, top, distinct := 0, 0, 0
		for _, n := range counts {
			top = max(top, n)
			if n == 1 {
				unique++
			}
			if n > 0 {
				distinct++
			}
		}
		total := float64(max(1, table.Rows))
		rows = append(rows, sql.Row{c.Name, int64(distinct), float64(unique) / total, float64(top) / total, suggestedRole(c, distinct, unique, table.Rows)})
	}
	return rows, nil
}

// suggestedRole: a column in which most rows have a value of their own
// identifies them, unless it is a measure (a number that is not whole); a
// column with one value says nothing; anything else can serve to link. What is
// sensitive is the owner's knowledge.
func suggestedRole(c *anonymize.Column, distinct, unique, rows int) string {
	fractional := slices.ContainsFunc(c.Dictionary, func(v anonymize.Value) bool { return v.Kind == anonymize.Real || v.Kind == anonymize.Decimal })
	switch {
	case distinct <= 1:
		return "other"
	case 2*unique > rows && !fractional:
		return "ei"
	}
	return "qi"
}
