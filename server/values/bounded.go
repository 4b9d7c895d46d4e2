package values

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// growing are functions whose result may be longer than the longest argument. Where a number determines the length,
// the function itself refuses the result before building it: REPEAT, LPAD, CONCAT, REPLACE (server/answers),
// EXPORT_SET, REGEXP_REPLACE.
var growing = strings.Fields("__anon_json aes_encrypt char date_format export_set " +
	"from_unixtime hex insert lcase lower make_set quote time_format to_base64 ucase uncompress upper " +
	"json_array json_array_append json_array_insert json_extract json_insert json_merge json_merge_patch json_merge_preserve json_object json_pretty " +
	"json_quote json_replace json_search json_set " +
	"geomcollection geometrycollection linestring multilinestring multipoint multipolygon polygon st_asgeojson st_astext st_aswkt st_geomfromgeojson")

// Function bounds the value of f. It returns f itself if that needs no bound.
func Function(f sql.Function) sql.Function {
	name := strings.ToLower(f.FunctionName())
	if !slices.Contains(growing, name) {
		return f
	}
	return sql.FunctionN{Name: f.FunctionName(), Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
		made, err := f.NewInstance(arguments)
		if err != nil {
			return nil, err
		}
		return &call{made, name}, nil
	}}
}

// A call is a call of a function with a bound on its value.
type call struct {
	sql.Expression // the call itself
	name           string
}

var (
	_ sql.FunctionExpression = (*call)(nil)
	_ sql.CollationCoercible = (*call)(nil)
)

func (c *call) FunctionName() string { return c.name }

func (c *call) Description() string {
	if own, ok := c.Expression.(sql.FunctionExpression); ok {
		return own.Description()
	}
	return ""
}

func (c *call) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	made, err := c.Expression.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return &call{made, c.name}, nil
}

func (c *call) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, c.Expression)
}

func (c *call) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Expression.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if most := MaxPacket(); SizeOf(v, most) > most {
		return TooLong(ctx, c.name, most)
	}
	return v, nil
}
