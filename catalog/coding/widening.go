package coding

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/proto/query"
)

// Widens reports whether all values of a column stay unchanged when its type changes: to a longer text
// of the same collation, a larger number of the same sign, or a DECIMAL with more digits before the
// same number of places. Types are texts of [TypeText]; it returns false for others.
func Widens(from, to string) bool {
	if isUnsigned(to) && !isUnsigned(from) {
		return false
	}
	before, err := ParseType(from)
	if err != nil {
		return false
	}
	after, err := ParseType(to)
	if err != nil {
		return false
	}
	switch b := before.(type) {
	case sql.StringType:
		a, ok := after.(sql.StringType)
		return ok && family(b) != 0 && family(a) == family(b) && a.Collation() == b.Collation() && a.MaxCharacterLength() >= b.MaxCharacterLength()
	case sql.DecimalType:
		a, ok := after.(sql.DecimalType)
		return ok && a.Scale() == b.Scale() && a.Precision() >= b.Precision()
	}
	whole := types.IsSigned(before) && types.IsSigned(after) || types.IsUnsigned(before) && types.IsUnsigned(after)
	return whole && types.IsInteger(before) && types.IsInteger(after) && before.Type() <= after.Type() // Vitess numbers them by size
}

func isUnsigned(text string) bool { return strings.HasSuffix(text, " unsigned") }

// family separates texts that keep trailing spaces from those of fixed length; 0 for binary ones, whose length is part of the value.
func family(t sql.StringType) int {
	switch t.Type() {
	case query.Type_VARCHAR, query.Type_TEXT:
		return 1
	case query.Type_CHAR:
		return 2
	}
	return 0
}
