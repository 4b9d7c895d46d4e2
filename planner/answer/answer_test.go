package answer

import (
	"fmt"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// Different keys have different texts, also where their values have NUL, the number
// of a kind or the length of a value in them: all pairs of short texts of these.
func TestKeyTextsAreDifferent(t *testing.T) {
	var values []anonymize.Value
	letters := []string{"a", "\x00", "\x01", "\x02", "\x05"}
	for _, a := range append(letters, "") {
		for _, b := range letters {
			for _, c := range append(letters, "") {
				values = append(values, anonymize.TextValue(a+b+c))
			}
		}
	}
	values = append(values, anonymize.NullValue, anonymize.IntegerValue(0), anonymize.RealValue(0), anonymize.TextValue("0"), anonymize.TextValue("NULL"))
	seen := map[string]string{}
	for _, x := range values {
		for _, y := range values {
			key := fmt.Sprintf("%v %q %v %q", x.Kind, x.String(), y.Kind, y.String())
			text := keyText([]anonymize.Value{x, y})
			if other, ok := seen[text]; ok && other != key {
				t.Fatalf("%s and %s have one text", key, other)
			}
			seen[text] = key
		}
	}
	x := []anonymize.Value{anonymize.TextValue("a\x00\x05b"), anonymize.TextValue("c")}
	y := []anonymize.Value{anonymize.TextValue("a"), anonymize.TextValue("b\x00\x05c")}
	if keyText(x) == keyText(y) {
		t.Error("the keys of the finding have one text")
	}
}

// The note names tables that answer with an association that they invent.
func TestTablesThatInventAreNamed(t *testing.T) {
	for alone, want := range map[bool]string{
		false: " (independent fragments: the choice of groups makes tables associate what this question combines; anon_estimator = 'imputed' asks them)",
		true:  " (imputed: the mean of 0 completed tables; the choice of groups makes them associate what this question combines, and only they have its intervals)",
	} {
		c := choice{tables: &estimate.Completed{}}
		if c.leaveTables(alone); c.String() != want {
			t.Errorf("only tables have the intervals: %v: %s", alone, c)
		}
	}
}

// TestExtremesAreOfTheMedianTable: a note says so of estimated ones, and of no exact ones or of another estimator.
func TestExtremesAreOfTheMedianTable(t *testing.T) {
	imputed := choice{tables: &estimate.Completed{}}
	for _, c := range []struct {
		aggregate Aggregate
		by        choice
		told      bool
	}{{Aggregate{Kind: estimate.Least}, imputed, true}, {Aggregate{Kind: estimate.Greatest, exact: true}, imputed, false}, {Aggregate{Kind: estimate.Greatest}, choice{}, false},
		{Aggregate{Kind: estimate.Sum}, imputed, false}} {
		if text := (&Estimate{Aggregates: []Aggregate{c.aggregate}}).extremes(c.by); (text != "") != c.told {
			t.Errorf("%+v by %+v: %q", c.aggregate, c.by, text)
		}
	}
}

// A typedCase is a CASE with a type, as the server makes them.
type typedCase struct{ *expression.Case }

func (c typedCase) Untyped() *expression.Case { return c.Case }

// Of what compares two generalized columns only hard bounds hold; what chooses between them has an interval.
func TestCombinedColumns(t *testing.T) {
	a, b := NewViewColumn(&sql.Column{Name: "a", Type: types.Int32}), NewViewColumn(&sql.Column{Name: "b", Type: types.Int32})
	one := expression.NewLiteral(1, types.Int32)
	branch := func(when, then sql.Expression) []expression.CaseBranch {
		return []expression.CaseBranch{{Cond: when, Value: then}}
	}
	for _, c := range []struct {
		x        sql.Expression
		combined bool
	}{
		{expression.NewCase(a, branch(b, one), one), true},
		{function.NewNullIf(a, b), true},
		{expression.NewCase(nil, branch(expression.NewEquals(a, one), b), nil), false},
		{typedCase{expression.NewCase(nil, branch(expression.NewEquals(a, one), b), nil)}, false},
		{typedCase{expression.NewCase(a, branch(b, one), one)}, true},
		{expression.NewAnd(expression.NewEquals(a, one), expression.NewEquals(b, one)), false},
	} {
		if found := combinedIn(c.x, map[string]bool{"a": true, "b": true}); (found != nil) != c.combined {
			t.Errorf("%s combines %v", c.x, found)
		}
	}
}
