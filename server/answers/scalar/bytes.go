package scalar

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// Text functions also accept bytes, each as one character. The engine's functions read bytes as UTF-8, and fail for invalid
// UTF-8 or change it. So they get texts whose characters are the bytes, and their results become bytes again.

// ofBytes are the functions that return bytes if an argument is bytes.
var ofBytes = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields("concat concat_ws left right substring substr mid replace reverse lpad rpad repeat insert elt lower lcase upper ucase " +
		"char_length character_length ltrim rtrim") {
		all[name] = true
	}
	return all
}()

// unchanged are the functions that return bytes unchanged.
var unchanged = map[string]bool{"lower": true, "lcase": true, "upper": true, "ucase": true}

// isBytes recognises BINARY, VARBINARY and BLOB.
func isBytes(t sql.Type) bool {
	_, ok := t.(sql.StringType)
	return ok && types.IsBinaryType(t)
}

// onBytes applies a function of texts to bytes.
func onBytes(f sql.Function, arguments []sql.Expression) (sql.Expression, error) {
	given := make([]sql.Expression, len(arguments))
	for i, a := range arguments {
		if given[i] = a; isBytes(a.Type()) || coercion.IsText(a.Type()) {
			given[i] = characters.Call(a)
		}
	}
	if unchanged[strings.ToLower(f.FunctionName())] && len(given) == 1 {
		return bytesOfCharacters.Call(given...), nil
	}
	made, err := f.NewInstance(given)
	if err != nil || !coercion.IsText(made.Type()) {
		return made, err
	}
	return bytesOfCharacters.Call(made), nil
}

// Trim makes TRIM accept bytes as onBytes does, and converts its other arguments to texts. The engine looks up no function for TRIM, so Written does not
// apply.
func Trim(trim *function.Trim) (sql.Expression, transform.TreeIdentity, error) {
	given, written := slices.Clone(trim.Children()), false
	for i, a := range given {
		switch t := a.Type(); {
		case coercion.IsNumber(t), coercion.IsInstant(t), coercion.IsTimespan(t):
			given[i], written = writtenText(a), true
		case types.IsEnum(t), types.IsSet(t):
			given[i], written = OfEnum(a), true
		case types.IsJSON(t):
			given[i], written = writtenDocument.Call(a), true
		}
	}
	if written {
		made, err := trim.WithChildren(given...)
		return made, transform.NewTree, err
	}
	if !slices.ContainsFunc(trim.Children(), func(a sql.Expression) bool { return isBytes(a.Type()) }) {
		return trim, transform.SameTree, nil
	}
	made, err := trim.WithChildren(characters.Call(trim.Children()[0]), characters.Call(trim.Children()[1]))
	return bytesOfCharacters.Call(made), transform.NewTree, err
}

// characters turns bytes into characters, bytesOfCharacters turns them back.
var (
	characters = &builtin.Definition{
		Name:  "__anon_characters",
		Least: 1,
		Most:  1,
		Type:  builtin.Constant(types.LongText),
		Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			s, err := coercion.Text(ctx, v[0], c.OperandType(0))
			return string(bytesOf(s)), err
		},
	}
	bytesOfCharacters = &builtin.Definition{
		Name:  "__anon_bytes",
		Least: 1,
		Most:  1,
		Type:  builtin.Constant(types.LongBlob),
		Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			s, err := coercion.Text(ctx, v[0], c.OperandType(0))
			bytes := make([]byte, 0, len(s))
			for _, r := range s {
				bytes = append(bytes, byte(r))
			}
			return bytes, err
		},
	}
)
