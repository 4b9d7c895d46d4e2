package tree_test

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

type leaf struct{ tree.Leaf }

func (*leaf) String() string     { return "leaf" }
func (*leaf) Schema() sql.Schema { return nil }

func (n *leaf) WithChildren(children ...sql.Node) (sql.Node, error) {
	return tree.WithoutChildren(n, children)
}

type atom struct {
	tree.Atom
	name string
}

func (a *atom) String() string                        { return a.name }
func (*atom) Type() sql.Type                          { return types.Int32 }
func (*atom) IsNullable() bool                        { return true }
func (*atom) Eval(*sql.Context, sql.Row) (any, error) { return nil, nil }
func (a *atom) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(a, children)
}

type unary struct {
	tree.Unary
	name string
}

func (u *unary) String() string                        { return u.name }
func (*unary) Eval(*sql.Context, sql.Row) (any, error) { return nil, nil }
func (u *unary) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(u, children)
}

type nary struct {
	tree.Nary
	name string
}

func (n *nary) String() string                        { return n.name }
func (*nary) Type() sql.Type                          { return types.Int32 }
func (*nary) IsNullable() bool                        { return true }
func (*nary) Eval(*sql.Context, sql.Row) (any, error) { return nil, nil }
func (n *nary) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(n, children)
}

// WithChildren copies an expression that embeds a wrapper with the same number of other children, and keeps
// everything else.
func TestWithChildren(t *testing.T) {
	one, two := &atom{name: "one"}, &atom{name: "two"}
	unbound := expression.NewUnresolvedColumn("x")
	for _, c := range []struct {
		name     string
		e        sql.Expression
		children []sql.Expression
		tooMany  []sql.Expression
	}{
		{"an atom", one, nil, []sql.Expression{two}},
		{"a unary", &unary{tree.Unary{Child: one}, "u"}, []sql.Expression{two}, []sql.Expression{one, two}},
		{"an n-ary of none", &nary{name: "n"}, nil, []sql.Expression{one}},
		{"an n-ary of two", &nary{tree.Nary{Operands: []sql.Expression{one, one}}, "n"}, []sql.Expression{one, two}, []sql.Expression{one}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := append([]sql.Expression(nil), c.e.Children()...)
			changed, err := c.e.WithChildren(c.children...)
			if err != nil || changed.String() != c.e.String() || !same(changed.Children(), c.children) {
				t.Errorf("with %v it is %v of %v, %v", c.children, changed, changed.Children(), err)
			}
			if !same(c.e.Children(), before) {
				t.Errorf("it was changed itself, to %v", c.e.Children())
			}
			if _, err := c.e.WithChildren(c.tooMany...); !sql.ErrInvalidChildrenNumber.Is(err) {
				t.Errorf("with %d children: %v", len(c.tooMany), err)
			}
			if !c.e.Resolved() {
				t.Error("of bound parts it is not resolved")
			}
			for i := range c.children {
				parts := append([]sql.Expression(nil), c.children...)
				parts[i] = unbound
				if changed, err := c.e.WithChildren(parts...); err != nil || changed.Resolved() {
					t.Errorf("of an unbound part it is resolved, %v", err)
				}
			}
		})
	}
}

func same(a, b []sql.Expression) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// A Unary has the type of its child, and its NULLs.
func TestUnaryIsLikeItsChild(t *testing.T) {
	for _, child := range []sql.Expression{&atom{name: "one"}, expression.NewLiteral("a", types.Text)} {
		if u := (&unary{tree.Unary{Child: child}, "u"}); u.Type() != child.Type() || u.IsNullable() != child.IsNullable() {
			t.Errorf("over %v it is a %s", child, u.Type())
		}
	}
}

func TestLeafHasNoChildren(t *testing.T) {
	n := &leaf{}
	if same, err := n.WithChildren(); err != nil || same != n {
		t.Errorf("without children it is %v, %v", same, err)
	}
	if _, err := n.WithChildren(n); !sql.ErrInvalidChildrenNumber.Is(err) {
		t.Errorf("with a child: %v", err)
	}
	if !n.Resolved() || !n.IsReadOnly() || n.Children() != nil {
		t.Error("it is no bound node that only reads")
	}
}
