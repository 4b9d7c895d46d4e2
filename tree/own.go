package tree

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// A Leaf is embedded by a node without children that only reads. What it has to say
// by itself is WithChildren:
//
//	func (n *myNode) WithChildren(children ...sql.Node) (sql.Node, error) {
//		return tree.WithoutChildren(n, children)
//	}
type Leaf struct{}

// Resolved implements sql.Node: a leaf is made of bound parts.
func (Leaf) Resolved() bool { return true }

func (Leaf) IsReadOnly() bool { return true }

func (Leaf) Children() []sql.Node { return nil }

// WithoutChildren is WithChildren of a node that embeds [Leaf].
func WithoutChildren(n sql.Node, children []sql.Node) (sql.Node, error) {
	if len(children) > 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 0)
	}
	return n, nil
}

// An Atom is embedded by an expression without children. What it and the other two
// have to say by themselves is WithChildren:
//
//	func (e *myExpression) WithChildren(children ...sql.Expression) (sql.Expression, error) {
//		return tree.WithChildren(e, children)
//	}
type Atom struct{}

func (Atom) Resolved() bool { return true }

func (Atom) Children() []sql.Expression { return nil }

func (Atom) setChildren([]sql.Expression) {}

// A Unary is embedded by an expression of one other. Type is that of the other.
type Unary struct {
	// Child is required.
	Child sql.Expression
}

func (u Unary) Resolved() bool { return u.Child.Resolved() }

func (u Unary) IsNullable() bool { return u.Child.IsNullable() }

func (u Unary) Type() sql.Type { return u.Child.Type() }

func (u Unary) Children() []sql.Expression { return []sql.Expression{u.Child} }

func (u *Unary) setChildren(children []sql.Expression) { u.Child = children[0] }

// A Standin is embedded by an expression that stands for another one: its value, its type,
// its text and its collation are the other's.
type Standin struct{ Unary }

func (s Standin) standsFor() sql.Expression { return s.Child }

// NewStandin is the Standin of an expression.
func NewStandin(e sql.Expression) Standin { return Standin{Unary{e}} }

func (s Standin) String() string { return s.Child.String() }

func (s Standin) Eval(ctx *sql.Context, row sql.Row) (any, error) { return s.Child.Eval(ctx, row) }

func (s Standin) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, s.Child)
}

// Opaque is an expression that the engine's rules do not know: they make no join of a query, and do not put off a default.
type Opaque struct{ Standin }

// NewOpaque hides what an expression is.
func NewOpaque(e sql.Expression) *Opaque { return &Opaque{NewStandin(e)} }

func (o *Opaque) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return WithChildren(o, children)
}

// A Nary is embedded by an expression of any number of others.
type Nary struct {
	Operands []sql.Expression
}

func (n Nary) Resolved() bool {
	return !slices.ContainsFunc(n.Operands, func(e sql.Expression) bool { return !e.Resolved() })
}

func (n Nary) Children() []sql.Expression { return n.Operands }

// CallText is a call of a function with the operands, for String.
func (n Nary) CallText(function string) string {
	list := make([]string, len(n.Operands))
	for i, o := range n.Operands {
		list[i] = o.String()
	}
	return function + "(" + strings.Join(list, ",") + ")"
}

func (n *Nary) setChildren(children []sql.Expression) { n.Operands = children }

// A setter takes other children, as many as it has.
type setter interface{ setChildren([]sql.Expression) }

// parent is a pointer to a T that embeds [Atom], [Unary] or [Nary].
type parent[T any] interface {
	*T
	sql.Expression
	setter
}

// WithChildren is WithChildren of an expression that embeds [Atom], [Unary] or [Nary]: a
// copy of e with as many other children. An expression of several parts may embed none,
// and has its own.
func WithChildren[T any, P parent[T]](e P, children []sql.Expression) (sql.Expression, error) {
	if want := len(e.Children()); len(children) != want {
		return nil, sql.ErrInvalidChildrenNumber.New(e, len(children), want)
	}
	changed := *e
	P(&changed).setChildren(children)
	return P(&changed), nil
}
