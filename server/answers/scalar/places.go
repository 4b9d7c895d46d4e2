package scalar

import (
	"cmp"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/dialect"
)

// places returns functions that search texts, compute digests and convert codes.
func places() []*builtin.Definition {
	return []*builtin.Definition{
		{Name: dialect.Bracket, Least: 2, Most: -1, Type: builtin.Constant(types.Int64), Choose: bracket},
		{Name: "field", Least: 2, Most: -1, Type: builtin.Constant(types.Int64), Choose: field},
		{Name: "find_in_set", Least: 2, Most: 2, Type: builtin.Constant(types.Int64), Value: findInSet},
		{Name: "substring_index", Least: 3, Most: 3, Type: bytesOrText, Value: substringIndex},
		{
			Name:  "md5",
			Least: 1,
			Most:  1,
			Type:  builtin.Constant(types.LongText),
			Value: digest(func(b []byte, _ int64) []byte { sum := md5.Sum(b); return sum[:] }),
		},
		{
			Name:  "sha",
			Least: 1,
			Most:  1,
			Type:  builtin.Constant(types.LongText),
			Value: digest(func(b []byte, _ int64) []byte { sum := sha1.Sum(b); return sum[:] }),
		},
		{
			Name:  "sha1",
			Least: 1,
			Most:  1,
			Type:  builtin.Constant(types.LongText),
			Value: digest(func(b []byte, _ int64) []byte { sum := sha1.Sum(b); return sum[:] }),
		},
		{Name: "sha2", Least: 2, Most: 2, Type: builtin.Constant(types.LongText), Value: digest(sha2)},
		{Name: "soundex", Least: 1, Most: 1, Type: builtin.Constant(types.LongText), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			s, err := coercion.Text(ctx, v[0], c.OperandType(0))
			return soundex(s), err
		}},
		{Name: "bit_length", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			s, err := coercion.Text(ctx, v[0], c.OperandType(0))
			return int64(8 * len(s)), err
		}},
		{Name: "ascii", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			s, err := coercion.Text(ctx, v[0], c.OperandType(0))
			if s == "" || err != nil {
				return int64(0), err
			}
			return int64(s[0]), nil
		}},
		{Name: "ord", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			s, err := coercion.Text(ctx, v[0], c.OperandType(0))
			if s == "" || err != nil {
				return int64(0), err
			}
			_, size := utf8.DecodeRuneInString(s)
			if isBytes(c.OperandType(0)) {
				size = 1
			}
			n := int64(0)
			for i := range size {
				n = n<<8 | int64(s[i])
			}
			return n, nil
		}},
		{Name: CharBytesFunction, Least: 1, Most: -1, Type: builtin.Constant(types.LongBlob), Choose: char},
		{
			Name:  CharTextFunction,
			Least: 1,
			Most:  -1,
			Type:  builtin.Constant(types.LongText),
			Choose: func(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
				bytes, err := char(c, ctx, row)
				if b, ok := bytes.([]byte); ok && utf8.Valid(b) {
					return string(b), nil
				}
				return nil, err
			},
		},
		{Name: "to_base64", Least: 1, Most: 1, Type: builtin.Constant(types.LongText), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			s, err := coercion.Text(ctx, v[0], c.OperandType(0))
			return inLines(base64.StdEncoding.EncodeToString([]byte(s))), err
		}},
		{Name: "from_base64", Least: 1, Most: 1, Type: builtin.Constant(types.LongBlob), Value: fromBase64},
	}
}

// These markers replace CHAR in trees: CharBytesFunction is CHAR(...), CharTextFunction is CHAR(... USING utf8mb4). The latter is
// NULL for invalid UTF-8.
const (
	CharBytesFunction = "__anon_char_bytes"
	CharTextFunction  = "__anon_char_text"
)

// bytesOrText returns the type of a part of the first argument.
func bytesOrText(arguments []sql.Expression) sql.Type {
	if types.IsBinaryType(arguments[0].Type()) {
		return types.LongBlob
	}
	return types.LongText
}

// digest makes a function that returns the digest of its first argument in hexadecimal; size is the second argument.
func digest(of func(b []byte, size int64) []byte) func(*builtin.Call, *sql.Context, []any) (any, error) {
	return func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		s, err := coercion.Text(ctx, v[0], c.OperandType(0))
		if err != nil {
			return nil, err
		}
		size := int64(0)
		if len(v) > 1 {
			if size, err = coercion.NearestBigint(ctx, v[1], c.OperandType(1)); err != nil {
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

// sha2 returns a digest of 224, 256, 384 or 512 bits, 256 for 0; nil for other sizes.
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

// field returns the position, from 1, of the first argument among the others; 0 if it is absent or NULL. It compares
// texts as texts, integers and decimals exactly, and all else as DOUBLEs.
func field(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	sought, err := c.Argument(0, ctx, row)
	if sought == nil || err != nil {
		return int64(0), err
	}
	list := coercion.Types(c.Operands)
	for i := 1; i < len(c.Operands); i++ {
		v, err := c.Argument(i, ctx, row)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		same := false
		switch {
		case slices.ContainsFunc(list, isBytes):
			same, err = sameBy(coercion.Text, func(a, b string) bool { return a == b }, ctx, c, sought, v, i)
		case coercion.All(list, func(t sql.Type) bool {
			return coercion.IsText(t) || coercion.IsInstant(t) || coercion.IsTimespan(t) || t == types.Null
		}):
			same, err = equalTexts(c, ctx, sought, v, i)
		case coercion.All(list, func(t sql.Type) bool { return types.IsInteger(t) || types.IsDecimal(t) || t == types.Null }):
			same, err = sameBy(coercion.Exact, func(a, b decimal.Decimal) bool { return a.Equal(b) }, ctx, c, sought, v, i)
		default:
			same, err = sameBy(coercion.Float, func(a, b float64) bool { return a == b }, ctx, c, sought, v, i)
		}
		if same || err != nil {
			return int64(i), err
		}
	}
	return int64(0), nil
}

func equalTexts(c *builtin.Call, ctx *sql.Context, a, b any, i int) (bool, error) {
	left, err := coercion.Text(ctx, a, c.OperandType(0))
	if err != nil {
		return false, err
	}
	right, err := coercion.Text(ctx, b, c.OperandType(i))
	if err != nil {
		return false, err
	}
	order, err := types.CreateLongText(collation(c, ctx)).Compare(ctx, left, right)
	return order == 0, err
}

func sameBy[T any](of func(*sql.Context, any, sql.Type) (T, error), equal func(T, T) bool, ctx *sql.Context, c *builtin.Call, a, b any, i int) (bool, error) {
	left, err := of(ctx, a, c.OperandType(0))
	if err != nil {
		return false, err
	}
	right, err := of(ctx, b, c.OperandType(i))
	return equal(left, right), err
}

// collation returns the collation that compares the arguments; the default one if no column determines it.
func collation(c *builtin.Call, ctx *sql.Context) sql.CollationID {
	collation, rank := sql.Collation_Unspecified, byte(7)
	for _, a := range c.Operands {
		if coercion.IsText(a.Type()) {
			other, coercibility := sql.GetCoercibility(ctx, a)
			collation, rank = sql.ResolveCoercibility(collation, rank, other, coercibility)
		}
	}
	if slices.ContainsFunc(coercion.Types(c.Operands), isBytes) {
		return sql.Collation_binary
	}
	if collation == sql.Collation_Default || collation == sql.Collation_Unspecified || collation == sql.Collation_binary {
		return sql.Collation_utf8mb4_0900_ai_ci
	}
	return collation
}

// findInSet returns the position, from 1, of a text in a comma-separated list; 0 if it is absent. An empty list has no members.
func findInSet(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	sought, err := coercion.Text(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	list, err := coercion.Text(ctx, v[1], c.OperandType(1))
	if err != nil || list == "" {
		return int64(0), err
	}
	typ := types.CreateLongText(collation(c, ctx))
	at := int64(0)
	for member := range strings.SplitSeq(list, ",") {
		at++
		order, err := typ.Compare(ctx, sought, member)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if order == 0 {
			return at, nil
		}
	}
	return int64(0), nil
}

// substringIndex returns the text before the n-th delimiter; for n below 0, after the n-th delimiter from the end.
func substringIndex(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	s, err := coercion.Text(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	delimiter, err := coercion.Text(ctx, v[1], c.OperandType(1))
	if err != nil {
		return nil, err
	}
	n, err := coercion.NearestBigint(ctx, v[2], c.OperandType(2))
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
	left := n  // delimiters in front of the result's end, or of its beginning
	if n < 0 { // delimiters are found from the front in this case, too
		if left = int64(strings.Count(s, delimiter)) + 1 + n; left <= 0 {
			return s
		}
	}
	at := 0
	for ; left > 0; left-- {
		next := strings.Index(s[at:], delimiter)
		if next < 0 {
			return s
		}
		at += next + len(delimiter)
	}
	if n < 0 {
		return s[at:]
	}
	return s[:at-len(delimiter)]
}

// soundex returns a letter and at least three digits; "" for a text without letters. Letters outside the English
// alphabet count as vowels.
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

// char returns the bytes of numbers, in big-endian order without leading zeros. It skips NULLs; 0 is one byte.
func char(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	bytes := []byte{}
	for i := range c.Operands {
		v, err := c.Argument(i, ctx, row)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		n, err := bits(ctx, v, c.OperandType(i))
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

// inLines breaks a code into lines of 76 characters.
func inLines(code string) string {
	const width = 76
	var out strings.Builder
	for ; len(code) > width; code = code[width:] {
		out.WriteString(code[:width] + "\n")
	}
	out.WriteString(code)
	return out.String()
}

// fromBase64 returns NULL for a text that is not base64. It ignores white space.
func fromBase64(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	s, err := coercion.Text(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	bytes, err := base64.StdEncoding.DecodeString(strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "").Replace(s))
	if err != nil {
		return nil, nil
	}
	return bytes, nil
}

// bracket returns how many limits come before the first one above the first argument; -1 if that is NULL. It skips NULL limits in the comparison.
func bracket(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	var of decimal.Decimal
	for i := range c.Operands {
		v, err := c.Argument(i, ctx, row)
		if err != nil {
			return nil, err
		}
		if v == nil && i == 0 {
			return int64(-1), nil
		}
		if v == nil {
			continue
		}
		d, err := coercion.Exact(ctx, v, c.OperandType(i))
		switch {
		case err != nil:
			return nil, err
		case i == 0:
			of = d
		case d.GreaterThan(of):
			return int64(i - 1), nil
		}
	}
	return int64(len(c.Operands) - 1), nil
}
