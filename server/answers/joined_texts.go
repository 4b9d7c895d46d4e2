package answers

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"

	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/weights"
	"github.com/anonsql/anonsql/server/values"
)

// joiningFunctions replace the engine's of the same name, from which they differ only
// in the bound: see sizedFunctions.
func joiningFunctions() []sql.Function {
	many := func(name string, make func(...sql.Expression) (sql.Expression, error), join joinText) sql.Function {
		return sql.FunctionN{Name: name, Fn: func(given ...sql.Expression) (sql.Expression, error) { return joined(join)(make(given...)) }}
	}
	return []sql.Function{
		many("concat", function.NewConcat, concatenated),
		many("concat_ws", function.NewConcatWithSeparator, separated),
		sql.FunctionN{Name: "replace", Fn: func(given ...sql.Expression) (sql.Expression, error) {
			if len(given) != 3 {
				return nil, sql.ErrInvalidArgumentNumber.New("replace", 3, len(given))
			}
			return joined(replaced)(function.NewReplace(given[0], given[1], given[2]), nil)
		}},
	}
}

// joinText returns a string, or nil for NULL; and false if the text would be longer
// than most, in bytes. A nil value is NULL.
type joinText func(values []*string, most int64) (any, bool)

func concatenated(values []*string, most int64) (any, bool) {
	var size int64
	for _, v := range values {
		if v == nil {
			return nil, true
		}
		size += int64(len(*v))
	}
	if size > most {
		return nil, false
	}
	var out strings.Builder
	out.Grow(int(size))
	for _, v := range values {
		out.WriteString(*v)
	}
	return out.String(), true
}

func separated(values []*string, most int64) (any, bool) {
	if values[0] == nil {
		return nil, true
	}
	var parts []string
	var size int64
	for _, v := range values[1:] {
		if v != nil {
			parts = append(parts, *v)
			size += int64(len(*v) + len(*values[0]))
		}
	}
	if size-int64(len(*values[0])) > most {
		return nil, false
	}
	return strings.Join(parts, *values[0]), true
}

func replaced(values []*string, most int64) (any, bool) {
	for _, v := range values {
		if v == nil {
			return nil, true
		}
	}
	text, from, to := *values[0], *values[1], *values[2]
	if from == "" {
		return text, true
	}
	if grown := int64(len(to) - len(from)); grown > 0 && int64(len(text))+int64(strings.Count(text, from))*grown > most {
		return nil, false
	}
	return strings.ReplaceAll(text, from, to), true
}

// A joinedText is a function of the engine with a bound on its result, checked before
// the result is made.
type joinedText struct {
	sql.FunctionExpression
	join joinText
}

var (
	_ sql.FunctionExpression = (*joinedText)(nil)
	_ sql.CollationCoercible = (*joinedText)(nil)
)

func joined(join joinText) func(sql.Expression, error) (sql.Expression, error) {
	return func(e sql.Expression, err error) (sql.Expression, error) {
		own, ok := e.(sql.FunctionExpression)
		if err != nil || !ok {
			return e, err
		}
		return &joinedText{own, join}, nil
	}
}

// CollationCoercibility implements sql.CollationCoercible: numbers do not count.
func (f *joinedText) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return coercion.Collation(ctx, f.Children())
}

func (f *joinedText) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return joined(f.join)(f.FunctionExpression.WithChildren(children...))
}

func (f *joinedText) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	const maxCollected = 3 // times max_allowed_packet: REPLACE has three arguments, and the separator of CONCAT_WS counts once at least
	most := values.MaxPacket()
	children := f.Children()
	given, size := make([]*string, len(children)), int64(0)
	for i, child := range children {
		v, err := weights.Text(ctx, child, row)
		if err != nil {
			return nil, err
		}
		if given[i] = v; v != nil {
			size += int64(len(*v))
		}
		if size > maxCollected*most {
			return values.TooLong(ctx, f.FunctionName(), most)
		}
	}
	text, ok := f.join(given, most)
	if !ok {
		return values.TooLong(ctx, f.FunctionName(), most)
	}
	return text, nil
}
