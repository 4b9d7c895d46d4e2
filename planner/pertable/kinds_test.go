package pertable

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// A named window function is known by its name and type.
type named struct {
	sql.WindowAdaptableExpression
	name string
}

func (n named) FunctionName() string { return n.name }

func (n named) Description() string { return "" }

func (n named) Type() sql.Type { return types.Int64 }

// Values of single rows are no means, also if they are numbers: NTH_VALUE(x, 2) is some x.
func TestKindOf(t *testing.T) {
	for name, want := range map[string]Kind{
		"FIRST_VALUE": Value, "LAST_VALUE": Value, "NTH_VALUE": Value, "LAG": Value, "LEAD": Value, "ANY_VALUE": Value,
		"MAX": Extreme, "ROW_NUMBER": Place, "STDDEV_POP": Mean, "MEDIAN": Mean,
	} {
		if got := KindOf(named{name: name}).Kind; got != want {
			t.Errorf("%s is of kind %v, want %v", name, got, want)
		}
	}
}
