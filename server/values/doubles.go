package values

import (
	"fmt"
	"math"

	"github.com/dolthub/vitess/go/mysql"
)

// Finite returns MySQL's error for an infinite or NaN result of the expression made; nil for any other value.
func Finite(v any, made fmt.Stringer) error {
	if f, ok := v.(float64); !ok || !math.IsInf(f, 0) && !math.IsNaN(f) {
		return nil
	}
	return mysql.NewSQLError(mysql.ERDataOutOfRange, "22003", "DOUBLE value is out of range in '%s'", made)
}
