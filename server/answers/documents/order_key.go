package documents

import (
	"fmt"
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/server/answers/builtin"
)

// OrderKey returns a text whose bytes have the order of documents. Windows compare Go values, and cannot compare arrays.
func OrderKey(e sql.Expression) sql.Expression { return orderKeyOf.Call(e) }

var orderKeyOf = &builtin.Definition{Name: "__anon_order_key", Type: builtin.Constant(types.LongText),
	Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		made, err := Value(ctx, v[0], c.OperandType(0))
		if err != nil {
			return nil, err
		}
		var key strings.Builder
		writeOrderKey(&key, made)
		return key.String(), nil
	}}

// end sorts before every byte that begins an element or continues a text or a number.
const end = "."

func writeOrderKey(key *strings.Builder, v any) {
	fmt.Fprint(key, rank(v))
	switch v := v.(type) {
	case nil:
	case string:
		fmt.Fprintf(key, "%x", v)
	case bool:
		fmt.Fprint(key, truth(v))
	case []any:
		for _, element := range v {
			writeOrderKey(key, element)
		}
	case map[string]any:
		fmt.Fprintf(key, "%016x", len(v))
		for _, name := range names(v) {
			fmt.Fprintf(key, "%x"+end, name)
			writeOrderKey(key, v[name])
		}
	default:
		writeNumber(key, v)
	}
	key.WriteString(end)
}

// writeNumber writes the nearest DOUBLE, then the difference of an integer or a DECIMAL from it.
func writeNumber(key *strings.Builder, v any) {
	number := exact(v)
	nearest := number.InexactFloat64()
	bits := math.Float64bits(nearest)
	if nearest < 0 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	rest := number.Sub(decimal.NewFromFloat(nearest)).Add(aboveRests)
	fmt.Fprintf(key, "%016x%s", bits, rest.StringFixed(types.DecimalTypeMaxScale))
}

// aboveRests exceeds every such difference, so that their sums with it have the same sign and length.
var aboveRests = decimal.New(15, types.DecimalTypeMaxPrecision)
