package answer

import (
	"math"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize/estimate"
)

// column is a reference to a column of a row.
func column(i int, typ sql.Type) sql.Expression {
	return expression.NewGetField(i, typ, "x", true)
}

// An Estimate says of itself what the engine asks of a node.
func TestEstimateIsANode(t *testing.T) {
	e := New(nil)
	key := NewViewColumn(&sql.Column{Name: "sex", Type: types.Text})
	age := NewViewColumn(&sql.Column{Name: "age", Type: types.Int32, Nullable: true})
	if first, again, other := e.AddKey(key), e.AddKey(key), e.KeyOf(age); first != 0 || again != 0 || other != -1 {
		t.Errorf("keys are at %d, %d, %d", first, again, other)
	}
	older, named := expression.NewPlus(age, expression.NewLiteral(int8(1), types.Int8)), NewViewColumn(&sql.Column{Name: "(age + 1)", Type: types.Int32})
	if named.String() != older.String() || New(nil).AddKey(older) != 0 || (&Estimate{Keys: []sql.Expression{older}}).KeyOf(named) != -1 {
		t.Error("a column that is named like a key is taken for it")
	}
	e.Where = []sql.Expression{expression.NewIsNull(age)}
	e.AddOutput(KeyOutput, 0, 7, &sql.Column{Name: "sex", Type: types.Text})
	e.AddOutput(FigureOutput, e.AddAggregate(Aggregate{Kind: estimate.Count}), 8, &sql.Column{Name: "n", Type: FigureType})
	e.AddOutput(FigureOutput, e.AddAggregate(Aggregate{Kind: estimate.Sum, Argument: age}), 9, &sql.Column{Name: "s", Type: FigureType, Nullable: true})
	if e.Figure(7) != nil || e.Figure(8).Index != 0 || e.Figure(9).Index != 1 {
		t.Error("figures are found under other ids than theirs")
	}
	if got := len(e.Expressions()); got != 3 {
		t.Errorf("%d expressions, not a condition, a key and an argument", got)
	}
	changed, err := e.WithExpressions(age, age, key)
	if err != nil {
		t.Fatal(err)
	}
	if c := changed.(*Estimate); c.Where[0] != age || c.Keys[0] != age || c.Aggregates[1].Argument != key || c.Aggregates[0].Argument != nil {
		t.Errorf("with other expressions: %v, %v, %v", c.Where, c.Keys, c.Aggregates)
	}
	if e.Aggregates[1].Argument != age {
		t.Error("the copy changed the node")
	}
}

// A column of a view has no row to be evaluated on.
func TestViewColumnHasNoRow(t *testing.T) {
	if v, err := NewViewColumn(&sql.Column{Name: "age", Type: types.Int32, Nullable: true}).Eval(sql.NewEmptyContext(), sql.Row{1}); err == nil {
		t.Errorf("it is %v", v)
	}
}

// Every weighted aggregate over rows of a weight and a value, compared with the same over
// whole rows: weights of 2, 1 and 1 stand for the values 1, 1, 4, 6; a NULL is no value,
// and a row without weight no row.
func TestWeightedFigures(t *testing.T) {
	rows := []sql.Row{{2.0, int32(1)}, {1.0, int32(4)}, {1.0, int32(6)}, {3.0, nil}, {nil, int32(9)}}
	const mean, squares = 3.0, 4 + 4 + 1 + 9 // of 1, 1, 4, 6
	for _, c := range []struct {
		name string
		kind estimate.Kind
		rows []sql.Row
		want any
	}{
		{"COUNT", estimate.Count, rows, 4.0},
		{"SUM", estimate.Sum, rows, 12.0},
		{"AVG", estimate.Average, rows, mean},
		{"VAR_POP", estimate.VariancePopulation, rows, squares / 4.0},
		{"VAR_SAMP", estimate.VarianceSample, rows, squares / 3.0},
		{"STDDEV_POP", estimate.DeviationPopulation, rows, math.Sqrt(squares / 4.0)},
		{"STDDEV_SAMP", estimate.DeviationSample, rows, math.Sqrt(squares / 3.0)},
		{"COUNT of nothing", estimate.Count, nil, 0.0},
		{"SUM of nothing", estimate.Sum, nil, nil},
		{"VAR_SAMP of one record", estimate.VarianceSample, rows[1:2], nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			argument := column(1, types.Int32)
			a := NewWeighted(Aggregate{Kind: c.kind, Argument: argument, SQLType: FigureType}, column(0, types.Float64), aggregation.NewSum(argument))
			buffer, err := a.NewBuffer()
			if err != nil {
				t.Fatal(err)
			}
			defer buffer.Dispose()
			for _, row := range c.rows {
				if err := buffer.Update(sql.NewEmptyContext(), row); err != nil {
					t.Fatal(err)
				}
			}
			got, err := buffer.Eval(sql.NewEmptyContext())
			want, isNumber := c.want.(float64)
			number, also := got.(float64)
			if err != nil || isNumber != also || math.Abs(number-want) > 1e-12 {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}
