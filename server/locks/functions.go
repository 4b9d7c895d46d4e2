package locks

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/tree"
)

// A function computes its value from a name and a number of seconds, if it has these arguments.
type function struct {
	name      string
	arguments int
	typ       sql.Type
	value     func(ctx *sql.Context, name string, seconds int64) (any, error)
}

// Functions returns functions that replace the engine's.
func (b *Book) Functions() (list []sql.Function) {
	for _, f := range []*function{
		{"get_lock", 2, types.Int8, func(ctx *sql.Context, name string, seconds int64) (any, error) {
			got, err := b.get(ctx, name, ctx.Session.ID(), seconds)
			return truth(got), err
		}},
		{"release_lock", 1, types.Int8, func(ctx *sql.Context, name string, _ int64) (any, error) {
			owner, found := b.ownerOf(name)
			if !found {
				return nil, nil
			}
			b.release(name, ctx.Session.ID())
			return truth(owner == ctx.Session.ID()), nil
		}},
		{"release_all_locks", 0, types.Int32, func(ctx *sql.Context, _ string, _ int64) (any, error) {
			return b.ReleaseAll(ctx.Session.ID()), nil
		}},
		{"is_free_lock", 1, types.Int8, func(_ *sql.Context, name string, _ int64) (any, error) {
			_, found := b.ownerOf(name)
			return truth(!found), nil
		}},
		{"is_used_lock", 1, types.Uint32, func(_ *sql.Context, name string, _ int64) (any, error) {
			if owner, found := b.ownerOf(name); found {
				return owner, nil
			}
			return nil, nil
		}},
	} {
		list = append(list, sql.FunctionN{Name: f.name, Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
			if len(arguments) != f.arguments {
				return nil, sql.ErrInvalidArgumentNumber.New(strings.ToUpper(f.name), f.arguments, len(arguments))
			}
			return &call{tree.Nary{Operands: arguments}, f}, nil
		}})
	}
	return list
}

func truth(b bool) int8 {
	if b {
		return 1
	}
	return 0
}

type call struct {
	tree.Nary
	*function
}

var (
	_ sql.FunctionExpression         = (*call)(nil)
	_ sql.CollationCoercible         = (*call)(nil)
	_ sql.NonDeterministicExpression = (*call)(nil)
)

func (c *call) FunctionName() string { return c.name }

func (c *call) Description() string { return "MySQL's function of that name" }

func (c *call) String() string { return c.CallText(c.name) }

func (c *call) Type() sql.Type { return c.typ }

func (c *call) IsNullable() bool { return len(c.Operands) > 0 }

// IsNonDeterministic implements sql.NonDeterministicExpression, so that no CHECK may call these functions.
func (c *call) IsNonDeterministic() bool { return true }

func (c *call) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

func (c *call) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(c, children)
}

// Eval returns NULL if an argument is NULL.
func (c *call) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	var name string
	var seconds int64
	for i, operand := range c.Operands {
		v, err := operand.Eval(ctx, row)
		if err == nil {
			v, err = sql.UnwrapAny(ctx, v)
		}
		if v == nil || err != nil {
			return nil, err
		}
		if i > 0 {
			if v, _, err = types.Int64.Convert(ctx, v); err == nil {
				seconds = v.(int64)
			}
		} else {
			name, err = nameOf(ctx, v)
		}
		if err != nil {
			return nil, err
		}
	}
	return c.value(ctx, name, seconds)
}

const maxName = 64 // characters

// nameOf checks a name and returns it in lower case.
func nameOf(ctx *sql.Context, v any) (string, error) {
	made, _, err := types.LongText.Convert(ctx, v)
	if err != nil {
		return "", err
	}
	name := made.(string)
	if name == "" || len(name) > maxName*utf8.UTFMax || utf8.RuneCountInString(name) > maxName {
		return "", sqlerror.New(sqlerror.WrongLockName, fmt.Sprintf("Incorrect user-level lock name '%s': a name has 1 to %d characters",
			strings.ToValidUTF8(name[:min(len(name), maxName)], ""), maxName))
	}
	return strings.ToLower(name), nil
}
