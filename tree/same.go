package tree

import (
	"reflect"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
)

// Same reports whether two expressions compute the same: they have the same types over the same columns, down to the leaves. It also
// compares the texts: only these show what the engine's expressions have besides operands, such as an interval's unit, while struct
// fields may hold results of earlier evaluations. Texts alone would not do: a column may be named like an expression.
func Same(a, b sql.Expression) bool {
	a, b = Unalias(a), Unalias(b)
	return a.String() == b.String() && sameShape(a, b)
}

func sameShape(a, b sql.Expression) bool {
	a, b = original(a), original(b)
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	if field, ok := a.(*expression.GetField); ok {
		id, other := field.Id(), b.(*expression.GetField).Id()
		return id == 0 || other == 0 || id == other
	}
	if like, ok := a.(*expression.Like); ok && !sameEscape(like.Escape, b.(*expression.Like).Escape) {
		return false
	}
	return slices.EqualFunc(a.Children(), b.Children(), sameShape)
}

// sameEscape compares ESCAPE, which LIKE has neither in its text nor in its children.
func sameEscape(a, b sql.Expression) bool {
	return a == nil && b == nil || a != nil && b != nil && Same(a, b)
}

// original returns the expression behind expressions that embed [Standin].
func original(e sql.Expression) sql.Expression {
	for {
		standin, ok := e.(interface{ standsFor() sql.Expression })
		if !ok {
			return e
		}
		e = standin.standsFor()
	}
}
