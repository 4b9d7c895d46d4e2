package coding

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/proto/query"
)

// Widens says whether a column keeps all its values, as they are, when its type becomes another: a longer text of the same collation, a larger whole
// number of the same sign, a DECIMAL with more digits before the same number of places. Types are as [TypeText] writes them. It is false for types
// that it cannot read.
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

// family tells texts that keep trailing spaces from those of a fixed length; it is 0 for binary ones, whose length is part of the value.
func family(t sql.StringType) int {
	switch t.Type() {
	case query.Type_VARCHAR, query.Type_TEXT:
		return 1
	case query.Type_CHAR:
		return 2
	}
	return 0
}
