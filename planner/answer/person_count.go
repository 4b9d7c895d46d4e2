package answer

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// weightVariable is the session variable that makes COUNT estimate the population that the records represent.
const weightVariable = "anon_weight"

// WeighsCounts reports whether the session has anon_weight = 'on'.
func WeighsCounts(ctx *sql.Context) bool {
	return chosenText(ctx, weightVariable) == "on"
}

// A PersonCount is a COUNT over records with weights: the sum of the weights of records whose argument is not NULL, 0 for none. It keeps the name of
// the COUNT.
type PersonCount struct {
	*aggregation.Sum
	written string
}

// NewPersonCount replaces a COUNT of records with the given weight.
func NewPersonCount(count *aggregation.Count, weight sql.Expression) *PersonCount {
	argument := weight
	if literal, ok := count.Child.(*expression.Literal); !ok || literal.Value() == nil { // COUNT(*) is bound as COUNT(1)
		none := expression.NewLiteral(int8(0), types.Int8)
		argument = expression.NewCase(nil, []expression.CaseBranch{{Cond: expression.NewIsNull(count.Child), Value: none}}, weight)
	}
	sum := aggregation.NewSum(argument).WithId(count.Id()).(*aggregation.Sum)
	return &PersonCount{sum, count.String()}
}

func (c *PersonCount) String() string { return c.written }

func (c *PersonCount) IsNullable() bool { return false }

func (c *PersonCount) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	sum, err := c.Sum.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return &PersonCount{sum.(*aggregation.Sum), c.written}, nil
}

// WithId implements sql.IdExpression.
func (c *PersonCount) WithId(id sql.ColumnId) sql.IdExpression {
	return &PersonCount{c.Sum.WithId(id).(*aggregation.Sum), c.written}
}

// NewBuffer implements sql.Aggregation.
func (c *PersonCount) NewBuffer() (sql.AggregationBuffer, error) {
	buffer, err := c.Sum.NewBuffer()
	return zeroOfNone{buffer}, err
}

// zeroOfNone is the buffer of a sum that is 0 over no rows.
type zeroOfNone struct{ sql.AggregationBuffer }

// Eval implements sql.AggregationBuffer.
func (b zeroOfNone) Eval(ctx *sql.Context) (any, error) {
	sum, err := b.AggregationBuffer.Eval(ctx)
	if sum == nil && err == nil {
		return float64(0), nil
	}
	return sum, err
}
