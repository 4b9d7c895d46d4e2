package functions

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize/detection"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/texts"
	"github.com/anonsql/anonsql/quoting"
)

// bindDetect makes ANON_DETECT(tbl): for every column the suggested role, the reason, the number of distinct values, the share of rows with a
// unique value, the most frequent value's share, and the identifier of the HIPAA Safe Harbor rule that it is.
func (e *Environment) bindDetect(ctx *sql.Context, arguments []sql.Expression) (*relation, error) {
	return e.bindRaw("anon_detect", sql.Schema{
		{Name: "column", Type: types.LongText},
		{Name: "suggested_role", Type: types.LongText},
		{Name: "distinct_values", Type: types.Int64},
		{Name: "uniqueness", Type: types.Float64},
		{Name: "top_share", Type: types.Float64},
		{Name: "reason", Type: types.LongText},
		{Name: "safe_harbor", Type: types.LongText, Nullable: true},
	}, e.detect)(ctx, arguments)
}

func (e *Environment) detect(ctx *sql.Context, name tableName) ([]sql.Row, error) {
	raw, err := e.table(ctx, name)
	if err != nil {
		return nil, err
	}
	progress := stages(ctx)
	table, err := raw.Microdata(ctx, nil, reading(progress))
	if err != nil {
		return nil, err
	}
	progress("look at the columns", 0, len(table.Columns))
	var rows []sql.Row
	total := float64(max(1, table.Rows))
	for _, s := range detection.Suggest(table, source.DeclaredKeys(ctx, raw)...) {
		if s.Between.Expression != "" {
			ctx.Session.Warn(&sql.Warning{Level: "Note", Code: mysql.ERUnknownError, Message: fmt.Sprintf(
				"%s, for a question that two columns would have to answer: ALTER TABLE %s ADD COLUMN %s INT AS (%s) STORED",
				s.Between.What, quoting.Name(raw.Database(), raw.Name()), quoting.Name(s.Between.Column), s.Between.Expression)})
		}
		var harbor any
		if s.SafeHarbor != "" {
			harbor = s.SafeHarbor
		}
		rows = append(rows, sql.Row{s.Column, string(s.Role), int64(s.Distinct),
			texts.Thousandths(float64(s.Unique) / total), texts.Thousandths(float64(s.Top) / total), strings.Join(s.Reasons, "; "), harbor})
	}
	return rows, nil
}
