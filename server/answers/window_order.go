package answers

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/tree"
)

// orderKey is a text whose byte order equals the collation's order of a text, or the
// order of a decimal or of bytes.
type orderKey struct {
	tree.Standin
	collation sql.CollationID // of a text
}

func (k *orderKey) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := k.Child.Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	if value, err = sql.UnwrapAny(ctx, value); err != nil {
		return nil, err
	}
	switch value := value.(type) {
	case string:
		sorter := k.collation.Sorter()
		if sorter == nil || !planner.IgnoresCase(k.collation) {
			return value, nil
		}
		key := make([]byte, 0, 5*len(value))
		for _, r := range value { // seven bits per byte, so that it is a valid text
			weight := uint32(sorter(r))
			key = append(key, byte(weight>>28), byte(weight>>21&0x7f), byte(weight>>14&0x7f), byte(weight>>7&0x7f), byte(weight&0x7f))
		}
		return string(key), nil
	case []byte: // the engine does not compare them
		return hex.EncodeToString(value), nil
	case decimal.Decimal:
		return decimalKey(value), nil
	}
	return fmt.Sprint(value), nil
}

// decimalKey is a sign, the number of integer digits as two digits, and the digits. For
// a negative number the digits are nines' complements, followed by a byte greater than
// any digit.
func decimalKey(d decimal.Decimal) string {
	whole, fraction, _ := strings.Cut(d.Abs().String(), ".")
	if whole == "0" {
		whole = ""
	}
	digits := []byte(fmt.Sprintf("%02d%s%s", len(whole), whole, strings.TrimRight(fraction, "0")))
	if !d.IsNegative() {
		return "1" + string(digits)
	}
	for i, digit := range digits {
		digits[i] = '0' + '9' - digit
	}
	return "0" + string(digits) + "~"
}

func (k *orderKey) Type() sql.Type { return types.LongText }

func (k *orderKey) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(k, children)
}

var _ sql.CollationCoercible = (*orderKey)(nil)

func (k *orderKey) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_Default, 0
}
