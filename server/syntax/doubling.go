package syntax

import (
	"fmt"
	"reflect"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// maxDoublings bounds the nesting of BETWEEN, NULLIF and unary minus in each other's
// first operand. For each of them the engine evaluates that operand twice, or asks
// twice for its type, and cannot be interrupted within a row: 54 levels would take
// years. 10 levels are 1,024 evaluations.
const maxDoublings = 10

// walkTwice walks the children of a node whose first child the engine evaluates twice.
func (p *planned) walkTwice(times float64, first sqlparser.SQLNode, others ...sqlparser.SQLNode) {
	if p.doublings++; p.doublings > maxDoublings && p.err == nil {
		p.err = sqlerror.New(sqlerror.Syntax, fmt.Sprintf("the statement nests more than %d levels of BETWEEN, NULLIF and the sign -, "+
			"each in the first operand of the one around it: write CASE WHEN x IN (a, b) THEN NULL ELSE x END for NULLIF(NULLIF(x, a), b)", maxDoublings))
	}
	p.walk(reflect.ValueOf(first), times)
	p.doublings--
	for _, other := range others {
		p.walk(reflect.ValueOf(other), times)
	}
}

func isNullif(call *sqlparser.FuncExpr) bool {
	return len(call.Exprs) == 2 && call.Name.EqualString("nullif")
}
