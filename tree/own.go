package tree

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// Nodes without children that only read embed a Leaf. They only have to implement WithChildren:
//
//	func (n *myNode) WithChildren(children ...sql.Node) (sql.Node, error) {
//		return tree.WithoutChildren(n, children)
//	}
type Leaf struct{}

// Resolved implements sql.Node: a leaf consists of bound parts.
func (Leaf) Resolved() bool { return true }

func (Leaf) IsReadOnly() bool { return true }

func (Leaf) Children() []sql.Node { return nil }

// WithoutChildren implements WithChildren for a node that embeds [Leaf].
func WithoutChildren(n sql.Node, children []sql.Node) (sql.Node, error) {
	if len(children) > 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 0)
	}
	return n, nil
}

// Expressions without children embed an Atom. Like those that embed [Unary] or [Nary], they only have to implement
// WithChildren:
//
//	func (e *myExpression) WithChildren(children ...sql.Expression) (sql.Expression, error) {
//		return tree.WithChildren(e, children)
//	}
type Atom struct{}

func (Atom) Resolved() bool { return true }

func (Atom) Children() []sql.Expression { return nil }

func (Atom) setChildren([]sql.Expression) {}

// A Unary is embedded by an expression with one operand. It has the operand's type.
type Unary struct {
	// Child is required.
	Child sql.Expression
}

func (u Unary) Resolved() bool { return u.Child.Resolved() }

func (u Unary) IsNullable() bool { return u.Child.IsNullable() }

func (u Unary) Type() sql.Type { return u.Child.Type() }

func (u Unary) Children() []sql.Expression { return []sql.Expression{u.Child} }

func (u *Unary) setChildren(children []sql.Expression) { u.Child = children[0] }

// A Standin is embedded by an expression that replaces another one and has its value, type, text and collation.
type Standin struct{ Unary }

func (s Standin) standsFor() sql.Expression { return s.Child }

// NewStandin returns the Standin of an expression.
func NewStandin(e sql.Expression) Standin { return Standin{Unary{e}} }

func (s Standin) String() string { return s.Child.String() }

func (s Standin) Eval(ctx *sql.Context, row sql.Row) (any, error) { return s.Child.Eval(ctx, row) }

func (s Standin) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, s.Child)
}

// Opaque hides an expression from the engine's rules, so that these neither turn a query into a join nor postpone a default.
type Opaque struct{ Standin }

// NewOpaque hides an expression.
func NewOpaque(e sql.Expression) *Opaque { return &Opaque{NewStandin(e)} }

func (o *Opaque) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return WithChildren(o, children)
}

// A Nary is embedded by an expression with any number of operands.
type Nary struct {
	Operands []sql.Expression
}

func (n Nary) Resolved() bool {
	return !slices.ContainsFunc(n.Operands, func(e sql.Expression) bool { return !e.Resolved() })
}

func (n Nary) Children() []sql.Expression { return n.Operands }

// CallText formats a call of a function with the operands, for String.
func (n Nary) CallText(function string) string {
	list := make([]string, len(n.Operands))
	for i, o := range n.Operands {
		list[i] = o.String()
	}
	return function + "(" + strings.Join(list, ",") + ")"
}

func (n *Nary) setChildren(children []sql.Expression) { n.Operands = children }

// A setter replaces its children by as many others.
type setter interface{ setChildren([]sql.Expression) }

// parent is a pointer to a T that embeds [Atom], [Unary] or [Nary].
type parent[T any] interface {
	*T
	sql.Expression
	setter
}

// WithChildren implements WithChildren for an expression that embeds [Atom], [Unary] or [Nary]. It returns a copy of
// e with the same number of other children. An expression that embeds none of them implements WithChildren itself.
func WithChildren[T any, P parent[T]](e P, children []sql.Expression) (sql.Expression, error) {
	if want := len(e.Children()); len(children) != want {
		return nil, sql.ErrInvalidChildrenNumber.New(e, len(children), want)
	}
	changed := *e
	P(&changed).setChildren(children)
	return P(&changed), nil
}
