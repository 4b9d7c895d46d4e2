package scalar

import (
	mathbits "math/bits"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/values"
)

func texts() []*builtin.Definition {
	return []*builtin.Definition{
		counted,
		{Name: "instr", Least: 2, Most: 2, Type: builtin.Constant(types.Int64), Value: instr},
		{Name: "locate", Least: 2, Most: 3, Type: builtin.Constant(types.Int64), Value: locate},
		{Name: "position", Least: 2, Most: 2, Type: builtin.Constant(types.Int64), Value: locate},
		{Name: "insert", Least: 4, Most: 4, Type: builtin.Constant(types.LongText), Value: insert},
		{Name: "bit_count", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			n, err := bits(ctx, v[0], c.OperandType(0))
			return int64(mathbits.OnesCount64(n)), err
		}},
		{Name: "quote", Least: 1, Most: 1, Type: builtin.Constant(types.LongText), Choose: quote},
		{Name: "make_set", Least: 2, Most: -1, Type: builtin.Constant(types.LongText), Choose: makeSet},
		{Name: "export_set", Least: 3, Most: 5, Type: builtin.Constant(types.LongText), Value: exportSet},
	}
}

// instr returns the position, from 1, of one text in another, 0 if it is absent. It
// compares characters by the columns' collation, else by the default one.
func instr(c *builtin.Call, ctx *sql.Context, v []any) (any, error) { return place(c, ctx, v, 0, 1, 1) }

// locate is instr with exchanged arguments and an optional start.
func locate(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	from := int64(1)
	if len(v) > 2 {
		var err error
		if from, err = coercion.NearestBigint(ctx, v[2], c.OperandType(2)); err != nil {
			return nil, err
		}
	}
	return place(c, ctx, v, 1, 0, from)
}

// place returns the position of argument sought in argument within, from character from on; 0 if it is absent.
func place(c *builtin.Call, ctx *sql.Context, v []any, within, sought int, from int64) (any, error) {
	s, err := coercion.Text(ctx, v[within], c.OperandType(within))
	if err != nil {
		return nil, err
	}
	sub, err := coercion.Text(ctx, v[sought], c.OperandType(sought))
	if err != nil {
		return nil, err
	}
	weight := func(r rune) int32 { return r }
	in, of := []rune(s), []rune(sub)
	if types.IsBinaryType(c.OperandType(within)) || types.IsBinaryType(c.OperandType(sought)) {
		in, of = bytesOf(s), bytesOf(sub)
	} else {
		left, a := sql.GetCoercibility(ctx, c.Operands[within])
		right, b := sql.GetCoercibility(ctx, c.Operands[sought])
		collation, _ := sql.ResolveCoercibility(left, a, right, b)
		if collation == sql.Collation_Default || collation == sql.Collation_Unspecified || collation == sql.Collation_binary {
			collation = sql.Collation_utf8mb4_0900_ai_ci
		}
		weight = collation.Sorter()
	}
	start := int(min(max(from, 0), int64(len(in))+2)) - 1
	if start < 0 || start > len(in) {
		return int64(0), nil
	}
	return int64(indexOf(in[start:], of, weight, start) + 1), nil
}

// indexOf returns the index of a text in another one, plus start; -1 if it is absent. It takes linear time, by Knuth, Morris and Pratt.
func indexOf(in, of []rune, weight func(rune) int32, start int) int {
	of = slices.Clone(of)
	for i, r := range of {
		of[i] = weight(r)
	}
	shorter := make([]int, len(of)+1) // of each beginning, the longest shorter one with which it ends
	longest := func(matched int, w rune) int {
		for matched > 0 && of[matched] != w {
			matched = shorter[matched]
		}
		if of[matched] == w {
			matched++
		}
		return matched
	}
	for i := 1; i < len(of); i++ {
		shorter[i+1] = longest(shorter[i], of[i])
	}
	matched := 0
	for i := 0; matched < len(of); i++ {
		if i == len(in) {
			return -1
		}
		if matched = longest(matched, weight(in[i])); matched == len(of) {
			start += i + 1 - len(of)
		}
	}
	return start
}

// bytesOf returns the bytes of a text as characters.
func bytesOf(s string) []rune {
	list := make([]rune, len(s))
	for i := range len(s) {
		list[i] = rune(s[i])
	}
	return list
}

// insert replaces n characters from a position, counted from 1. A position outside the
// text leaves it unchanged, and a length beyond its end replaces the rest.
func insert(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	s, err := coercion.Text(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	from, err := coercion.NearestBigint(ctx, v[1], c.OperandType(1))
	if err != nil {
		return nil, err
	}
	n, err := coercion.NearestBigint(ctx, v[2], c.OperandType(2))
	if err != nil {
		return nil, err
	}
	by, err := coercion.Text(ctx, v[3], c.OperandType(3))
	if err != nil {
		return nil, err
	}
	in := []rune(s)
	if from < 1 || from > int64(len(in)) {
		return s, nil
	}
	if n < 0 || n > int64(len(in))-from+1 {
		n = int64(len(in)) - from + 1
	}
	return string(in[:from-1]) + by + string(in[from-1+n:]), nil
}

// makeSet joins the texts whose bits are set, and skips NULLs.
func makeSet(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Argument(0, ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	n, err := bits(ctx, v, c.OperandType(0))
	if err != nil {
		return nil, err
	}
	var list []string
	size, most := int64(-1), values.MaxPacket()
	for i := 1; i < len(c.Operands) && i <= 64; i++ {
		if n&(1<<(i-1)) == 0 {
			continue
		}
		v, err := c.Argument(i, ctx, row)
		if err != nil {
			return nil, err
		}
		if v != nil {
			s, err := coercion.Text(ctx, v, c.OperandType(i))
			if err != nil {
				return nil, err
			}
			if list, size = append(list, s), size+1+int64(len(s)); size > most {
				return values.TooLong(ctx, c.Name, most)
			}
		}
	}
	return strings.Join(list, ","), nil
}

// exportSet writes one text for each set bit and another for each other bit, the lowest
// bit first.
func exportSet(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	n, err := bits(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	parts := []string{"", "", ","}
	for i := range parts {
		if i+1 < len(v) {
			if parts[i], err = coercion.Text(ctx, v[i+1], c.OperandType(i+1)); err != nil {
				return nil, err
			}
		}
	}
	width := int64(64)
	if len(v) > 4 {
		if width, err = coercion.NearestBigint(ctx, v[4], c.OperandType(4)); err != nil {
			return nil, err
		}
		if width < 0 || width > 64 {
			width = 64
		}
	}
	list, size := make([]string, width), 0
	for i := range list {
		list[i] = parts[1]
		if n&(1<<i) != 0 {
			list[i] = parts[0]
		}
		size += len(list[i]) + len(parts[2])
	}
	if most := values.MaxPacket(); int64(size-len(parts[2])) > most {
		return values.TooLong(ctx, "export_set", most)
	}
	return strings.Join(list, parts[2]), nil
}

// quoted escapes the characters that QUOTE writes with a backslash.
var quoted = strings.NewReplacer(`\`, `\\`, "'", `\'`, "\x00", `\0`, "\x1a", `\Z`)

// quote returns a text as an SQL literal, and the word NULL for NULL.
func quote(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Argument(0, ctx, row)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return "NULL", nil
	}
	s, err := coercion.Text(ctx, v, c.OperandType(0))
	return "'" + quoted.Replace(s) + "'", err
}
