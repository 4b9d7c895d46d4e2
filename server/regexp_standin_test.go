package server_test

import (
	"context"
	"errors"
	"testing"

	regex "github.com/dolthub/go-icu-regex"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/regularexpression"
)

// What the engine binds without our parser is matched by the stand-in.
func TestStandInForTheEnginesExpressions(t *testing.T) {
	ctx := sql.NewEmptyContext()
	text := func(s string) sql.Expression { return expression.NewLiteral(s, types.LongText) }
	for _, c := range []struct {
		make      func(...sql.Expression) (sql.Expression, error)
		arguments []sql.Expression
		want      any
	}{
		{function.NewRegexpLike, []sql.Expression{text("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"), text("^(a|a)*$")}, int8(0)},
		{function.NewRegexpLike, []sql.Expression{text("ABC"), text("b"), text("i")}, int8(1)},
		{function.NewRegexpInstr, []sql.Expression{text("aöb"), text("b")}, int32(3)},
		{function.NewRegexpSubstr, []sql.Expression{text("ab ac"), text("a.")}, "ab"},
		{function.NewRegexpReplace, []sql.Expression{text("ab ac"), text("a(.)"), text("$1")}, "b c"},
	} {
		e, err := c.make(c.arguments...)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.Eval(ctx, nil); err != nil || got != c.want {
			t.Errorf("%s: %v (%T), want %v, %v", e, got, got, c.want, err)
		}
	}
}

func TestStandInSaysWhatIsMissing(t *testing.T) {
	ctx := context.Background()
	r := regex.CreateRegex(0)
	if err := r.SetMatchString(ctx, "a"); !errors.Is(err, regex.ErrRegexNotYetSet) {
		t.Errorf("a text without a pattern: %v", err)
	}
	var own *regularexpression.Error
	if err := r.SetRegexString(ctx, "(?=a)", regex.RegexFlags_None); !errors.As(err, &own) || own.Number != regularexpression.Unimplemented {
		t.Errorf("look-ahead: %v", err)
	}
	if err := r.SetRegexString(ctx, "a", regex.RegexFlags_Case_Insensitive); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Matches(ctx, 1, 1); !errors.Is(err, regex.ErrMatchNotYetSet) {
		t.Errorf("no text: %v", err)
	}
	if err := r.SetMatchString(ctx, "xA"); err != nil {
		t.Fatal(err)
	}
	if at, err := r.IndexOf(ctx, 1, 1, true); at != 3 || err != nil {
		t.Errorf("end of the match: %d, %v", at, err)
	}
}
