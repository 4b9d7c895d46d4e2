package syntax

import (
	"fmt"
	"reflect"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// maxDoublings is how often BETWEEN, NULLIF and the sign - may stand within the
// first operand of another. The engine evaluates that operand twice for each, or
// asks twice for its type, and nothing ends that before the row is done: with 54
// levels it would go on for years. 10 levels are 1,024 times.
const maxDoublings = 10

// walkTwice walks the children of a node of which the engine evaluates the first twice.
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

// isNullif tells NULLIF, of two arguments.
func isNullif(call *sqlparser.FuncExpr) bool {
	return len(call.Exprs) == 2 && call.Name.EqualString("nullif")
}
