package scalar

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

// Functions of texts take bytes, too, each as a character. The engine's read bytes as UTF-8, and fail or change those that are
// none: they get texts here whose characters are the bytes, and their result becomes bytes again.

// ofBytes are the functions whose result is of bytes where an argument is.
var ofBytes = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields("concat concat_ws left right substring substr mid replace reverse lpad rpad repeat insert elt lower lcase upper ucase " +
		"char_length character_length") {
		all[name] = true
	}
	return all
}()

// unchanged are those that leave bytes as they are.
var unchanged = map[string]bool{"lower": true, "lcase": true, "upper": true, "ucase": true}

// isBytes tells of BINARY, VARBINARY and BLOB.
func isBytes(t sql.Type) bool {
	_, ok := t.(sql.StringType)
	return ok && types.IsBinaryType(t)
}

// onBytes is a function of bytes made of one of texts.
func onBytes(f sql.Function, arguments []sql.Expression) (sql.Expression, error) {
	given := make([]sql.Expression, len(arguments))
	for i, a := range arguments {
		if given[i] = a; isBytes(a.Type()) || isText(a.Type()) {
			given[i] = &call{tree.Nary{Operands: []sql.Expression{a}}, characters}
		}
	}
	if unchanged[strings.ToLower(f.FunctionName())] && len(given) == 1 {
		return &call{tree.Nary{Operands: given}, bytesOfCharacters}, nil
	}
	made, err := f.NewInstance(given)
	if err != nil || !isText(made.Type()) {
		return made, err
	}
	return &call{tree.Nary{Operands: []sql.Expression{made}}, bytesOfCharacters}, nil
}

// characters are bytes as characters, bytesOfCharacters the reverse.
var (
	characters = &definition{name: "__anon_characters", least: 1, most: 1, typ: constant(types.LongText), value: func(c *call, ctx *sql.Context, v []any) (any, error) {
		s, err := text(ctx, v[0], c.of(0))
		return string(bytesOf(s)), err
	}}
	bytesOfCharacters = &definition{name: "__anon_bytes", least: 1, most: 1, typ: constant(types.LongBlob), value: func(c *call, ctx *sql.Context, v []any) (any, error) {
		s, err := text(ctx, v[0], c.of(0))
		bytes := make([]byte, 0, len(s))
		for _, r := range s {
			bytes = append(bytes, byte(r))
		}
		return bytes, err
	}}
)
