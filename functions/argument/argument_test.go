package argument

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

func TestMarkers(t *testing.T) {
	ctx := sql.NewEmptyContext()
	made := map[string]sql.Function{}
	for _, f := range Functions() {
		made[f.FunctionName()] = f
	}
	literal := func(v string) sql.Expression { return expression.NewLiteral(v, types.LongText) }
	ref, err := made[RefMarker].NewInstance([]sql.Expression{literal("census"), literal("adult")})
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := ref.(*Ref); !ok || r.Qualifier != "census" || r.Name != "adult" {
		t.Fatalf("the name is %#v", ref)
	}
	named, err := made[NamedMarker].NewInstance([]sql.Expression{literal("k"), ref})
	if err != nil {
		t.Fatal(err)
	}
	n, ok := named.(*Named)
	if !ok || n.Name != "k" || n.Child != ref {
		t.Fatalf("the argument is %#v", named)
	}
	if v, err := n.Eval(ctx, nil); err != nil || v != "census.adult" {
		t.Errorf("its value is %v, error %v", v, err)
	}
	changed, err := n.WithChildren(literal("x"))
	if err != nil || changed.(*Named).Name != "k" || changed.String() != "k = 'x'" {
		t.Errorf("with another value it is %v, error %v", changed, err)
	}
	// A marker written by hand with something that is no literal names nothing.
	odd, err := made[RefMarker].NewInstance([]sql.Expression{literal(""), expression.NewGetField(0, types.LongText, "c", true)})
	if err != nil || odd.(*Ref).Name != "" {
		t.Errorf("a marker over a column is %v, error %v", odd, err)
	}
}
