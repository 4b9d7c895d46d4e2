package scalar

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// places are functions that look for texts among texts, and that read and write codes.
func places() []*definition {
	return []*definition{
		{name: "field", least: 2, most: -1, typ: constant(types.Int64), choose: field},
		{name: "find_in_set", least: 2, most: 2, typ: constant(types.Int64), value: findInSet},
		{name: "substring_index", least: 3, most: 3, typ: bytesOrText, value: substringIndex},
		{name: "md5", least: 1, most: 1, typ: constant(types.LongText), value: digest(func(b []byte, _ int64) []byte { sum := md5.Sum(b); return sum[:] })},
		{name: "sha", least: 1, most: 1, typ: constant(types.LongText), value: digest(func(b []byte, _ int64) []byte { sum := sha1.Sum(b); return sum[:] })},
		{name: "sha1", least: 1, most: 1, typ: constant(types.LongText), value: digest(func(b []byte, _ int64) []byte { sum := sha1.Sum(b); return sum[:] })},
		{name: "sha2", least: 2, most: 2, typ: constant(types.LongText), value: digest(sha2)},
		{name: "soundex", least: 1, most: 1, typ: constant(types.LongText), value: func(c *call, ctx *sql.Context, v []any) (any, error) {
			s, err := text(ctx, v[0], c.of(0))
			return soundex(s), err
		}},
		{name: "bit_length", least: 1, most: 1, typ: constant(types.Int64), value: func(c *call, ctx *sql.Context, v []any) (any, error) {
			s, err := text(ctx, v[0], c.of(0))
			return int64(8 * len(s)), err
		}},
		{name: "ascii", least: 1, most: 1, typ: constant(types.Int64), value: func(c *call, ctx *sql.Context, v []any) (any, error) {
			s, err := text(ctx, v[0], c.of(0))
			if s == "" || err != nil {
				return int64(0), err
			}
			return int64(s[0]), nil
		}},
		{name: "ord", least: 1, most: 1, typ: constant(types.Int64), value: func(c *call, ctx *sql.Context, v []any) (any, error) {
			s, err := text(ctx, v[0], c.of(0))
			if s == "" || err != nil {
				return int64(0), err
			}
			_, size := utf8.DecodeRuneInString(s)
			if isBytes(c.of(0)) {
				size = 1
			}
			n := int64(0)
			for i := range size {
				n = n<<8 | int64(s[i])
			}
			return n, nil
		}},
		{name: CharBytesFunction, least: 1, most: -1, typ: constant(types.LongBlob), choose: char},
		{name: CharTextFunction, least: 1, most: -1, typ: constant(types.LongText), choose: func(c *call, ctx *sql.Context, row sql.Row) (any, error) {
			bytes, err := char(c, ctx, row)
			if b, ok := bytes.([]byte); ok && utf8.Valid(b) {
				return string(b), nil
			}
			return nil, err
		}},
		{name: "to_base64", least: 1, most: 1, typ: constant(types.LongText), value: func(c *call, ctx *sql.Context, v []any) (any, error) {
			s, err := text(ctx, v[0], c.of(0))
			return inLines(base64.StdEncoding.EncodeToString([]byte(s))), err
		}},
		{name: "from_base64", least: 1, most: 1, typ: constant(types.LongBlob), value: fromBase64},
	}
}

// A marker stands for CHAR in trees: CharBytesFunction for CHAR(...), CharTextFunction for CHAR(... USING utf8mb4), which is NULL
// where the bytes are none of a text.
const (
	CharBytesFunction = "__anon_char_bytes"
	CharTextFunction  = "__anon_char_text"
)

// bytesOrText is the type of a part of the first argument.
func bytesOrText(arguments []sql.Expression) sql.Type {
	if types.IsBinaryType(arguments[0].Type()) {
		return types.LongBlob
	}
	return types.LongText
}

// digest writes a digest of the first argument's bytes in hexadecimal digits; size is the second argument.
func digest(of func(b []byte, size int64) []byte) func(*call, *sql.Context, []any) (any, error) {
	return func(c *call, ctx *sql.Context, v []any) (any, error) {
		s, err := text(ctx, v[0], c.of(0))
		if err != nil {
			return nil, err
		}
		size := int64(0)
		if len(v) > 1 {
			if size, err = whole(ctx, v[1], c.of(1)); err != nil {
				return nil, err
			}
		}
		sum := of([]byte(s), size)
		if sum == nil {
			return nil, nil
		}
		return hex.EncodeToString(sum), nil
	}
}

// sha2 has 224, 256, 384 or 512 bits, 256 for 0; nil for others.
func sha2(b []byte, bits int64) []byte {
	switch bits {
	case 224:
		sum := sha256.Sum224(b)
		return sum[:]
	case 0, 256:
		sum := sha256.Sum256(b)
		return sum[:]
	case 384:
		sum := sha512.Sum384(b)
		return sum[:]
	case 512:
		sum := sha512.Sum512(b)
		return sum[:]
	}
	return nil
}

// field is the place of a value among those that follow, from 1; 0 where it is not there, or NULL. Texts are compared as
// texts, whole numbers and decimals exactly, and all else as DOUBLEs.
func field(c *call, ctx *sql.Context, row sql.Row) (any, error) {
	sought, err := c.argument(0, ctx, row)
	if sought == nil || err != nil {
		return int64(0), err
	}
	list := typesOf(c.Operands)
	for i := 1; i < len(c.Operands); i++ {
		v, err := c.argument(i, ctx, row)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		same := false
		switch {
		case any1(list, isBytes):
			same, err = sameBy(text, func(a, b string) bool { return a == b }, ctx, c, sought, v, i)
		case all(list, func(t sql.Type) bool { return isText(t) || isInstant(t) || isTimespan(t) || t == types.Null }):
			same, err = c.sameTexts(ctx, sought, v, i)
		case all(list, func(t sql.Type) bool { return types.IsInteger(t) || types.IsDecimal(t) || t == types.Null }):
			same, err = sameBy(exact, func(a, b decimal.Decimal) bool { return a.Equal(b) }, ctx, c, sought, v, i)
		default:
			same, err = sameBy(float, func(a, b float64) bool { return a == b }, ctx, c, sought, v, i)
		}
		if same || err != nil {
			return int64(i), err
		}
	}
	return int64(0), nil
}

func (c *call) sameTexts(ctx *sql.Context, a, b any, i int) (bool, error) {
	left, err := text(ctx, a, c.of(0))
	if err != nil {
		return false, err
	}
	right, err := text(ctx, b, c.of(i))
	if err != nil {
		return false, err
	}
	order, err := types.CreateLongText(c.collation(ctx)).Compare(ctx, left, right)
	return order == 0, err
}

func sameBy[T any](of func(*sql.Context, any, sql.Type) (T, error), equal func(T, T) bool, ctx *sql.Context, c *call, a, b any, i int) (bool, error) {
	left, err := of(ctx, a, c.of(0))
	if err != nil {
		return false, err
	}
	right, err := of(ctx, b, c.of(i))
	return equal(left, right), err
}

// collation is that by which the arguments are compared; the default one where they have none of a column.
func (c *call) collation(ctx *sql.Context) sql.CollationID {
	collation, rank := sql.Collation_Unspecified, byte(7)
	for _, a := range c.Operands {
		if isText(a.Type()) {
			other, coercibility := sql.GetCoercibility(ctx, a)
			collation, rank = sql.ResolveCoercibility(collation, rank, other, coercibility)
		}
	}
	if collation == sql.Collation_Default || collation == sql.Collation_Unspecified || collation == sql.Collation_binary {
		return sql.Collation_utf8mb4_0900_ai_ci
	}
	return collation
}

// findInSet is the place of a text in a list with commas between its members; no member is in an empty list.
func findInSet(c *call, ctx *sql.Context, v []any) (any, error) {
	sought, err := text(ctx, v[0], c.of(0))
	if err != nil {
		return nil, err
	}
	list, err := text(ctx, v[1], c.of(1))
	if err != nil || list == "" {
		return int64(0), err
	}
	typ := types.CreateLongText(c.collation(ctx))
	for i, member := range strings.Split(list, ",") {
		order, err := typ.Compare(ctx, sought, member)
		if err != nil {
			return nil, err
		}
		if order == 0 {
			return int64(i + 1), nil
		}
	}
	return int64(0), nil
}

// substringIndex is what is before the n-th delimiter, or behind the n-th from the end for n below 0.
func substringIndex(c *call, ctx *sql.Context, v []any) (any, error) {
	s, err := text(ctx, v[0], c.of(0))
	if err != nil {
		return nil, err
	}
	delimiter, err := text(ctx, v[1], c.of(1))
	if err != nil {
		return nil, err
	}
	n, err := whole(ctx, v[2], c.of(2))
	if err != nil {
		return nil, err
	}
	part := partOf(s, delimiter, n)
	if types.IsBinaryType(c.Type()) {
		return []byte(part), nil
	}
	return part, nil
}

func partOf(s, delimiter string, n int64) string {
	if delimiter == "" || n == 0 {
		return ""
	}
	parts := strings.Split(s, delimiter)
	switch size := int64(len(parts)); {
	case n >= size || n <= -size:
		return s
	case n > 0:
		return strings.Join(parts[:n], delimiter)
	default: // counted from the front too
		return strings.Join(parts[size+n:], delimiter)
	}
}

// soundex is a letter and at least three digits of what follows; empty of a text without letters. Letters outside of the
// English alphabet sound like vowels.
func soundex(s string) string {
	const codes = "01230120022455012623010202"
	code := func(r rune) byte {
		if r |= 'a' - 'A'; r >= 'a' && r <= 'z' {
			return codes[r-'a']
		}
		return '0'
	}
	var out strings.Builder
	last, size := byte(0), 0
	for _, r := range s {
		switch {
		case r < 0xc0 && (r|0x20 < 'a' || r|0x20 > 'z'):
			continue
		case size == 0 && r >= 'a' && r <= 'z':
			out.WriteRune(r - 'a' + 'A')
		case size == 0:
			out.WriteRune(r)
		case code(r) == '0' || code(r) == last:
			continue
		default:
			out.WriteByte(code(r))
		}
		last = code(r)
		size++
	}
	if size > 0 && size < 4 {
		out.WriteString("000"[:4-size])
	}
	return out.String()
}

// char writes the bytes of numbers, the greatest first, without NULLs; 0 is one byte.
func char(c *call, ctx *sql.Context, row sql.Row) (any, error) {
	bytes := []byte{}
	for i := range c.Operands {
		v, err := c.argument(i, ctx, row)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		n, err := bits(ctx, v, c.of(i))
		if err != nil {
			return nil, err
		}
		four := binary.BigEndian.AppendUint32(nil, uint32(n))
		for len(four) > 1 && four[0] == 0 {
			four = four[1:]
		}
		bytes = append(bytes, four...)
	}
	return bytes, nil
}

// inLines has at most 76 signs in a line.
func inLines(code string) string {
	const width = 76
	var out strings.Builder
	for ; len(code) > width; code = code[width:] {
		out.WriteString(code[:width] + "\n")
	}
	out.WriteString(code)
	return out.String()
}

// fromBase64 is NULL of a text that is no code; spaces and ends of lines do not count.
func fromBase64(c *call, ctx *sql.Context, v []any) (any, error) {
	s, err := text(ctx, v[0], c.of(0))
	if err != nil {
		return nil, err
	}
	bytes, err := base64.StdEncoding.DecodeString(strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "").Replace(s))
	if err != nil {
		return nil, nil
	}
	return bytes, nil
}
