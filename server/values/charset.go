package values

import (
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Charset returns CONVERT(x USING charset).
//
// The engine returns the bytes of the other character set, up to four for one byte of x, as a text: CONVERT('a' USING
// utf32) is not 'a', and its LENGTH is 16. It takes a number for an empty text. Texts in memory are UTF-8 whatever
// their character set, so our result is x, with a question mark for each character that the other set lacks. It is
// never longer than x.
func Charset(e *expression.ConvertUsing) sql.Expression { return &converted{e} }

type converted struct{ *expression.ConvertUsing }

func (c *converted) Type() sql.Type {
	if _, texts := c.Child.Type().(sql.TypeWithCollation); texts {
		if typ := c.ConvertUsing.Type(); typ != nil {
			return typ
		}
	}
	return types.CreateLongText(c.TargetCharSet.DefaultCollation())
}

func (c *converted) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	return &converted{expression.NewConvertUsing(children[0], c.TargetCharSet)}, nil
}

func (c *converted) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	if c.TargetCharSet.Encoder() == nil {
		return nil, sql.ErrUnsupportedFeature.New("the character set " + c.TargetCharSet.Name())
	}
	var own string
	switch v := v.(type) {
	case string:
		own = v
	case []byte:
		own = string(v)
	default:
		made, _, err := types.LongText.Convert(ctx, v)
		if err != nil {
			return nil, err
		}
		own, _ = made.(string)
	}
	return c.replaceUnknown(ctx, own)
}

// looks is the number of characters to convert between two checks of the context.
const looks = 1 << 16

// replaceUnknown returns s with a question mark for each character that the character set lacks. It ends with the
// statement.
func (c *converted) replaceUnknown(ctx *sql.Context, s string) (string, error) {
	if c.TargetCharSet == sql.CharacterSet_binary || c.TargetCharSet == sql.CharacterSet_utf8mb4 {
		return s, nil
	}
	encoder := c.TargetCharSet.Encoder()
	var made strings.Builder
	var character [utf8.UTFMax]byte
	from := 0 // made has the result for s[:from]
	for at, n := 0, 0; at < len(s); n++ {
		if n%looks == looks-1 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		copy(character[:], s[at:at+size])
		_, known := encoder.EncodeRune(character[:size])
		if !known || r == utf8.RuneError && size == 1 {
			if from == 0 {
				made.Grow(len(s))
			}
			made.WriteString(s[from:at])
			made.WriteByte('?')
			from = at + size
		}
		at += size
	}
	if from == 0 {
		return s, nil
	}
	made.WriteString(s[from:])
	return made.String(), nil
}
