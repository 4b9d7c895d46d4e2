package answers

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/values"
	"github.com/anonsql/anonsql/tree"
)

// The functions below return NULL with a warning if their result would be longer than
// max_allowed_packet, as in MySQL; the engine's try to build a text of any length.

// sizedFunctions replace the engine's of the same name.
func sizedFunctions() []sql.Function {
	sized := func(name string, arguments int, build buildText) sql.Function {
		return sql.FunctionN{Name: name, Fn: func(given ...sql.Expression) (sql.Expression, error) {
			if len(given) != arguments {
				return nil, sql.ErrInvalidArgumentNumber.New(name, arguments, len(given))
			}
			return &sizedText{tree.Nary{Operands: given}, name, build}, nil
		}}
	}
	return []sql.Function{
		sized("repeat", 2, func(v []any, most int64) (any, bool) { return repeated(v[0].(string), v[1].(int64), most) }),
		sized("space", 1, func(v []any, most int64) (any, bool) { return repeated(" ", v[0].(int64), most) }),
		sized("lpad", 3, func(v []any, most int64) (any, bool) {
			return padded(v[0].(string), v[1].(int64), v[2].(string), true, most)
		}),
		sized("rpad", 3, func(v []any, most int64) (any, bool) {
			return padded(v[0].(string), v[1].(int64), v[2].(string), false, most)
		}),
		sql.Function1{Name: "load_file", Fn: func(path sql.Expression) sql.Expression { return &loadFile{tree.Unary{Child: path}} }},
	}
}

// buildText returns a string, or nil for NULL; and false if the text would be longer than
// most, in bytes. Lengths are int64, other arguments string; none is NULL.
type buildText func(values []any, most int64) (any, bool)

func repeated(s string, times, most int64) (any, bool) {
	if times <= 0 || s == "" {
		return "", true
	}
	if times > most/int64(len(s)) {
		return nil, false
	}
	return strings.Repeat(s, int(times)), true
}

// padded counts characters. As in MySQL a negative length gives NULL, and the result is
// empty if padding is needed but pad is empty.
func padded(s string, length int64, pad string, left bool, most int64) (any, bool) {
	have := int64(utf8.RuneCountInString(s))
	if length < 0 {
		return nil, true
	}
	if length > most {
		return nil, false
	}
	if have >= length {
		return string([]rune(s)[:length]), true
	}
	width := int64(utf8.RuneCountInString(pad))
	if width == 0 {
		return "", true
	}
	missing := length - have
	times := missing / width
	last := string([]rune(pad)[:missing%width])
	if times*int64(len(pad))+int64(len(last)+len(s)) > most {
		return nil, false
	}
	filling := strings.Repeat(pad, int(times)) + last
	if left {
		return filling + s, true
	}
	return s + filling, true
}

// sizedText is a call of a function whose arguments determine the length of its result.
type sizedText struct {
	tree.Nary
	name  string
	build buildText
}

var (
	_ sql.FunctionExpression = (*sizedText)(nil)
	_ sql.CollationCoercible = (*sizedText)(nil)
)

func (f *sizedText) FunctionName() string { return f.name }

func (f *sizedText) Description() string { return "builds a text of a given length" }

func (f *sizedText) String() string {
	return f.CallText(f.name)
}

func (f *sizedText) Type() sql.Type { return types.LongText }

func (f *sizedText) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if f.name == "space" {
		return ctx.GetCollation(), 4
	}
	return coercion.Collation(ctx, f.Operands)
}

func (f *sizedText) IsNullable() bool { return true }

func (f *sizedText) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(f, children)
}

func (f *sizedText) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	given := make([]any, len(f.Operands))
	for i, a := range f.Operands {
		v, err := a.Eval(ctx, row)
		if v == nil || err != nil {
			return nil, err
		}
		if f.isLength(i) {
			given[i], err = length(ctx, v)
		} else {
			given[i], _, err = types.LongText.Convert(ctx, v)
		}
		if err != nil {
			return nil, err
		}
		if b, ok := given[i].([]byte); ok {
			given[i] = string(b)
		}
	}
	most := values.MaxPacket()
	text, ok := f.build(given, most)
	if !ok {
		return values.TooLong(ctx, f.name, most)
	}
	return text, nil
}

func (f *sizedText) isLength(i int) bool { return i == 1 || f.name == "space" }

// length saturates, so that no number wraps around.
func length(ctx *sql.Context, v any) (int64, error) {
	converted, _, err := types.Float64.Convert(ctx, v)
	if err != nil {
		return 0, err
	}
	number, ok := converted.(float64)
	if !ok {
		return 0, nil
	}
	return int64(math.Round(min(max(number, -1), 1<<40))), nil
}

// loadFile is LOAD_FILE: NULL, as in MySQL if secure_file_priv forbids access.
type loadFile struct{ tree.Unary }

func (f *loadFile) String() string { return fmt.Sprintf("load_file(%s)", f.Child) }

func (f *loadFile) Type() sql.Type { return types.LongBlob }

func (f *loadFile) IsNullable() bool { return true }

func (f *loadFile) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(f, children)
}

func (f *loadFile) Eval(ctx *sql.Context, _ sql.Row) (any, error) {
	ctx.Warn(sqlerror.OptionPrevents, "LOAD_FILE is NULL: the server reads no files of its own")
	return nil, nil
}
