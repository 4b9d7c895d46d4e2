package answer

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
)

// A refusal speaks of DISTINCT where the aggregate is over different values, however its column is named.
func TestDistinctIsNotReadFromNames(t *testing.T) {
	named := NewViewColumn(&sql.Column{Name: "distinct_visits", Type: types.Int32})
	for want, e := range map[string]sql.Aggregation{
		"published view: BIT_AND is not estimated":            aggregation.NewBitAnd(named),
		"published view: SUM(DISTINCT ...) is not estimated;": aggregation.NewSum(expression.NewDistinctExpression(named)),
	} {
		if err := refuseAggregate(e); !strings.Contains(err.Error(), want) {
			t.Errorf("%v is not %q", err, want)
		}
	}
}

// What no statement of today's grammar makes is refused too.
func TestNets(t *testing.T) {
	ctx := sql.NewEmptyContext()
	age := NewViewColumn(&sql.Column{Name: "age", Type: types.Int32})
	q := &questioner{ctx: ctx, release: &anonymize.Release{}}
	_, unknown := q.expression(expression.NewIsNull(age), q.truth)
	_, noList := freeze(ctx, nil, plan.NewInSubquery(age, expression.NewLiteral(int64(1), types.Int64)))
	for want, err := range map[string]error{
		"column age is not part of the release": unknown,
		"IN takes a list or a subquery, not 1":  noList,
	} {
		known, ok := err.(*mysql.SQLError)
		if !ok || known.Num != mysql.ERNotSupportedYet || !strings.Contains(known.Message, want) {
			t.Errorf("%v is not error 1235 that says %q", err, want)
		}
	}
}
