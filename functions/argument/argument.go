// Package argument has two expressions that SQL lacks: a name, and name = value.
//
// The server's parser turns the arguments of table functions into calls of two marker
// functions, SLPPA(adult, k = 3) into SLPPA(__anon_ref("", 'adult'), __anon_named('k',
// 3)); the engine binds them to Ref and Named, and the table function reads those. It
// is a package of its own so that functions and server need not import each other.
package argument

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

const (
	// RefMarker takes a qualifier ('' when there is none) and a name.
	RefMarker = "__anon_ref"
	// NamedMarker takes a name and any expression, which may be a RefMarker.
	NamedMarker = "__anon_named"
)

// Functions are the two marker functions, for the engine's function provider.
func Functions() []sql.Function {
	return []sql.Function{
		sql.Function2{Name: RefMarker, Fn: newRef},
		sql.Function2{Name: NamedMarker, Fn: newNamed},
	}
}

// Ref is a bare, qualified or backquoted name given as an argument.
type Ref struct {
	tree.Atom
	// Qualifier is what stood before the last dot, "" when nothing did.
	Qualifier string
	Name      string
}

var _ sql.Expression = (*Ref)(nil)

func newRef(qualifier, name sql.Expression) sql.Expression {
	return &Ref{Qualifier: literal(qualifier), Name: literal(name)}
}

func (r *Ref) String() string {
	if r.Qualifier == "" {
		return r.Name
	}
	return r.Qualifier + "." + r.Name
}

func (r *Ref) Type() sql.Type { return types.LongText }

func (r *Ref) IsNullable() bool { return false }

// Eval implements sql.Expression: the value of a name is the name, so that
// k = adult and k = 'adult' mean the same.
func (r *Ref) Eval(*sql.Context, sql.Row) (any, error) { return r.String(), nil }

func (r *Ref) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(r, children)
}

// Named is an argument written name = value; Child is the value. The name is in lower case.
type Named struct {
	tree.Unary
	Name string
}

var _ sql.Expression = (*Named)(nil)

func newNamed(name, value sql.Expression) sql.Expression {
	return &Named{Unary: tree.Unary{Child: value}, Name: strings.ToLower(literal(name))}
}

func (n *Named) String() string { return fmt.Sprintf("%s = %s", n.Name, n.Child) }

func (n *Named) Eval(ctx *sql.Context, row sql.Row) (any, error) { return n.Child.Eval(ctx, row) }

func (n *Named) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(n, children)
}

// literal is the text of a string literal. The parser writes nothing else; a
// marker typed by hand with another argument gets an empty name, which no
// table has.
func literal(e sql.Expression) string {
	l, ok := e.(*expression.Literal)
	if !ok {
		return ""
	}
	s, _ := l.Value().(string)
	return s
}
