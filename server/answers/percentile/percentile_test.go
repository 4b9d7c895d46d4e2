package percentile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// made returns an aggregate over the first column of a row, as the parser calls it.
func made(t *testing.T, name string, typ sql.Type, rest ...sql.Expression) *Percentile {
	t.Helper()
	e, err := call(name, append([]sql.Expression{expression.NewGetField(0, typ, "x", true)}, rest...))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// call is MAX over a marker: of the arguments the values are the first, the fraction and
// the order follow.
func call(name string, given []sql.Expression) (*Percentile, error) {
	if name != Median {
		given[0], given[1] = given[1], given[0]
	}
	for _, f := range Markers() {
		if f.FunctionName() != Marker(name) {
			continue
		}
		marker, err := f.NewInstance(given)
		if err != nil {
			return nil, err
		}
		of, err := Functions()[0].NewInstance([]sql.Expression{marker})
		return of.(*Percentile), err
	}
	return nil, fmt.Errorf("there is no marker of %s", name)
}

func fraction(p float64) sql.Expression { return expression.NewLiteral(p, types.Float64) }

var descending = expression.NewLiteral(Descending, types.LongText)

// answer is the aggregate over values, as a group and, on every row, as a window.
func answer(t *testing.T, of *Percentile, values []any) any {
	t.Helper()
	ctx := sql.NewEmptyContext()
	group, err := of.NewBuffer()
	if err != nil {
		t.Fatal(err)
	}
	rows := make(sql.WindowBuffer, len(values))
	for i, v := range values {
		rows[i] = sql.Row{v}
		if err := group.Update(ctx, rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	got, err := group.Eval(ctx)
	if err != nil {
		t.Fatal(err)
	}
	group.Dispose()
	window, err := of.WithWindow(sql.NewWindowDefinition(nil, nil, nil, "", "")).NewWindowFunction()
	if err != nil {
		t.Fatal(err)
	}
	partition := sql.WindowInterval{Start: 0, End: len(rows)}
	if err := window.StartPartition(ctx, partition, rows); err != nil {
		t.Fatal(err)
	}
	if over := window.Compute(ctx, partition, rows); over != got {
		t.Errorf("%s is %v, and %v over a window", of, got, over)
	}
	return got
}

// MariaDB's answers for 10, 20, 30, 40 and NULL.
func TestPercentiles(t *testing.T) {
	values := []any{int32(30), nil, int32(10), int32(40), int32(20)}
	for _, c := range []struct {
		name string
		rest []sql.Expression
		want any
	}{
		{Median, nil, 25.0},
		{Continuous, []sql.Expression{fraction(0)}, 10.0},
		{Continuous, []sql.Expression{fraction(.25)}, 17.5},
		{Continuous, []sql.Expression{fraction(1)}, 40.0},
		{Continuous, []sql.Expression{fraction(.25), descending}, 32.5},
		{Discrete, []sql.Expression{fraction(0)}, int32(10)},
		{Discrete, []sql.Expression{fraction(.25)}, int32(10)},
		{Discrete, []sql.Expression{fraction(.26)}, int32(20)},
		{Discrete, []sql.Expression{fraction(1)}, int32(40)},
		{Discrete, []sql.Expression{fraction(.25), descending}, int32(40)},
	} {
		of := made(t, c.name, types.Int32, c.rest...)
		if got := answer(t, of, values); got != c.want {
			t.Errorf("%s is %v, want %v", of, got, c.want)
		}
		for _, none := range [][]any{{}, {nil, nil}} {
			if got := answer(t, of, none); got != nil {
				t.Errorf("%s of %v is %v", of, none, got)
			}
		}
	}
}

// The definitions, by counting: PERCENTILE_DISC is the least value up to which there is a
// share of p, PERCENTILE_CONT lies between the values around its place.
func TestPercentilesByCounting(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		n := 1 + random.IntN(12)
		values, sorted := make([]any, n), make([]float64, n)
		for i := range values {
			sorted[i] = float64(random.IntN(6))
			values[i] = sorted[i]
		}
		slices.Sort(sorted)
		p := float64(random.IntN(n+1)) / float64(n)
		if random.IntN(2) == 0 {
			p = random.Float64()
		}
		least := math.Inf(1)
		for _, v := range sorted {
			upTo := 0
			for _, w := range sorted {
				if w <= v {
					upTo++
				}
			}
			if float64(upTo)/float64(n) >= p {
				least = min(least, v)
			}
		}
		if got := answer(t, made(t, Discrete, types.Float64, fraction(p)), values); got != least {
			t.Fatalf("PERCENTILE_DISC(%v) of %v is %v, want %v", p, sorted, got, least)
		}
		place := p * float64(n-1)
		below, above := sorted[int(place)], sorted[int(math.Ceil(place))]
		got := answer(t, made(t, Continuous, types.Float64, fraction(p)), values).(float64)
		if want := below*(1-(place-math.Floor(place))) + above*(place-math.Floor(place)); math.Abs(got-want) > 1e-12 {
			t.Fatalf("PERCENTILE_CONT(%v) of %v is %v, want %v", p, sorted, got, want)
		}
	}
}

// Refusals because of arguments, fraction, and window.
func TestRefusedPercentiles(t *testing.T) {
	ctx := sql.NewEmptyContext()
	text := expression.NewGetField(0, types.LongText, "s", true)
	number := expression.NewGetField(0, types.Int32, "x", true)
	wrong := func(err error) bool {
		var known *mysql.SQLError
		return errors.As(err, &known) && known.Num == mysql.ERWrongArguments || sql.ErrInvalidArgumentNumber.Is(err)
	}
	for name, given := range map[string][]sql.Expression{
		Median:     {text},
		Continuous: {number, expression.NewGetField(1, types.Float64, "p", true)},
		Discrete:   {text, fraction(.5), descending, descending},
	} {
		if _, err := call(name, given); !wrong(err) {
			t.Errorf("%s%v: %v", name, given, err)
		}
	}
	for _, p := range []sql.Expression{fraction(-.1), fraction(1.1), fraction(math.NaN()), expression.NewLiteral(nil, types.Null)} {
		group, err := made(t, Continuous, types.Int32, p).NewBuffer()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := group.Eval(ctx); !wrong(err) {
			t.Errorf("the fraction %s: %v", p, err)
		}
	}
	ordered := sql.NewWindowDefinition(nil, sql.SortFields{{Column: number}}, nil, "", "")
	if _, err := made(t, Median, types.Int32).WithWindow(ordered).NewWindowFunction(); !wrong(err) {
		t.Errorf("ORDER BY of a window: %v", err)
	}
	if _, err := (&mark{name: Median}).Eval(ctx, nil); err == nil {
		t.Error("a marker has a value")
	}
}

// Sorting ends with its statement.
func TestPercentilesEnd(t *testing.T) {
	parent, cancel := context.WithCancel(t.Context())
	ctx := sql.NewContext(parent)
	group, _ := made(t, Median, types.Float64).NewBuffer()
	for i := range 100 {
		if err := group.Update(ctx, sql.Row{float64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if _, err := group.Eval(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("of a statement that has ended: %v", err)
	}
}

// With other children it is the same aggregate, under its id and over its window.
func TestPercentileKeepsItself(t *testing.T) {
	of := made(t, Continuous, types.Int32, fraction(.5), descending)
	window := sql.NewWindowDefinition([]sql.Expression{fraction(1)}, nil, nil, "", "")
	of = of.WithWindow(window).WithId(7).(*Percentile)
	children := of.Children()
	children[0] = fraction(2)
	changed, err := of.WithChildren(children...)
	if err != nil || changed.(*Percentile).Id() != 7 || changed.String() != "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY 2 DESC) "+window.String() {
		t.Errorf("it becomes %s, %v", changed, err)
	}
	if _, err := of.WithChildren(children[:2]...); !sql.ErrInvalidChildrenNumber.Is(err) {
		t.Errorf("with fewer children: %v", err)
	}
}
