package wire

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// The engine types every computed text as a TEXT of four gigabytes, which tools show as a BLOB, or for which they allocate that much memory.
// For most texts the columns in them give the maximum number of characters.

// maxCharacters is the longest text that is described as a VARCHAR.
const maxCharacters = 16383

// Widths returns the widths of the columns of a plan's result: the characters of a computed text, or of a TIMESTAMP with a fraction of a second, whose
// digits the engine does not report; the display width of a TINYINT(1), by which drivers recognise a Boolean; one more than the decimals of a FLOAT(m, d)
// and a DOUBLE(m, d); 0 for all others. A comparison has the engine's type of a Boolean but is a number to MySQL, so computed columns have no display
// width.
func Widths(n sql.Node) []uint32 {
	schema := n.Schema()
	var of *texts
	var widths []uint32
	for i, c := range schema {
		width := 0
		number, isNumber := c.Type.(sql.NumberType)
		switch {
		case c.Type.Type() == sqltypes.Float64 || c.Type.Type() == sqltypes.Float32:
			if of == nil {
				of = newTexts(n)
			}
			width = 1 + of.decimals(i)
		case isNumber && c.DatabaseSource != "":
			width = number.DisplayWidth()
		case types.IsTimestampType(c.Type):
			width = momentWidth(c.Type)
		case c.Type.Type() == sqltypes.Text:
			if of == nil {
				of = newTexts(n)
			}
			width = of.column(i)
		case c.Type.Type() == sqltypes.Char && types.IsTextOnly(c.Type):
			if of == nil {
				of = newTexts(n)
			}
			if of.computed(i) {
				width = of.column(i)
			}
		}
		if width == 0 && c.Type.Type() == sqltypes.Text {
			width = noCharacters
		}
		if width <= 0 || width > maxCharacters && width != noCharacters {
			continue
		}
		if widths == nil {
			widths = make([]uint32, len(schema))
		}
		widths[i] = uint32(width)
	}
	return widths
}

// momentWidth is 0 for a TIMESTAMP without a fraction.
func momentWidth(t sql.Type) int {
	if digits := t.(sql.DatetimeType).Precision(); digits > 0 {
		return wholeMoment + 1 + digits
	}
	return 0
}

// wholeMoment is the length of a TIMESTAMP without a fraction.
const wholeMoment = len("2006-01-02 15:04:05")

// noCharacters is the width for texts that are all empty.
const noCharacters = 1 << 20

// texts finds the maximum lengths of texts, by the ids of a plan's columns.
type texts struct {
	columns [][]sql.Expression // of the result, one expression per branch of a set operation
	defined map[sql.ColumnId][]sql.Expression
	rounded roundedColumns
	// readsRounded: the current column reads one of these.
	readsRounded bool
}

func newTexts(n sql.Node) *texts {
	t := &texts{branches(n), map[sql.ColumnId][]sql.Expression{}, roundedColumns{}, false}
	transform.Inspect(n, func(n sql.Node) bool {
		switch n := n.(type) {
		case *plan.TableAlias, *plan.ResolvedTable, *plan.IndexedTableAccess:
			t.rounded.note(n.(sql.NameableNode))
		case sql.Projector:
			for _, e := range n.ProjectedExprs() {
				_, isField := e.(*expression.GetField)
				if identified, ok := e.(sql.IdExpression); ok && identified.Id() > 0 && !isField {
					t.defined[identified.Id()] = []sql.Expression{e}
				}
			}
		case *plan.SubqueryAlias:
			columns, i := branches(n.Child), 0
			n.Columns().ForEach(func(id sql.ColumnId) {
				if i < len(columns) {
					t.defined[id] = columns[i]
				}
				i++
			})
		}
		return true
	})
	return t
}

// column is the width of a column of the result, -1 if unknown.
func (t *texts) column(i int) int {
	if i >= len(t.columns) {
		return -1
	}
	return t.widestOf(t.columns[i], maxDepth)
}

// computed reports whether a column of the result is more than a column of the node below.
func (t *texts) computed(i int) bool {
	if i >= len(t.columns) {
		return false
	}
	for _, e := range t.columns[i] {
		if alias, ok := e.(*expression.Alias); ok {
			e = alias.Child
		}
		if _, ok := e.(*expression.GetField); !ok {
			return true
		}
	}
	return false
}

// branches are the expressions of a plan's columns, nil if they are not found.
func branches(n sql.Node) [][]sql.Expression {
	for {
		switch own := n.(type) {
		case sql.Projector:
			var list [][]sql.Expression
			for _, e := range own.ProjectedExprs() {
				list = append(list, []sql.Expression{e})
			}
			return list
		case *plan.SetOp:
			left, right := branches(own.Left()), branches(own.Right())
			if len(left) != len(right) {
				return nil
			}
			for i := range left {
				left[i] = append(left[i], right[i]...)
			}
			return left
		default: // ORDER BY, DISTINCT, HAVING and the like, the server's own too, whose columns are those below
			below := n.Children()
			if len(below) != 1 || len(below[0].Schema()) != len(n.Schema()) {
				return nil
			}
			n = below[0]
		}
	}
}

// maxDepth bounds the depth of the search in an expression.
const maxDepth = 20

// characters is the maximum number of characters of an expression's text, -1 if unknown.
func (t *texts) characters(e sql.Expression, depth int) int {
	if depth == 0 {
		return -1
	}
	depth--
	switch e := e.(type) {
	case *expression.Alias:
		return t.characters(e.Child, depth)
	case *expression.GetField:
		if from := t.defined[e.Id()]; len(from) > 0 && e.Type().Type() == sqltypes.Text {
			return t.widestOf(from, depth)
		}
	case *expression.Literal:
		if text, ok := e.Value().(string); ok {
			return utf8.RuneCountInString(text)
		}
	case interface{ Collated() sql.Expression }:
		return t.characters(e.Collated(), depth+1)
	case *expression.Case:
		return t.widestOf(chosen(e), depth)
	case sql.FunctionExpression:
		if width := t.ofCall(strings.ToLower(e.FunctionName()), e.Children(), depth); width >= 0 {
			return width
		}
	}
	return ofType(e.Type())
}

// ofCall is the width of a function's result, -1 if unknown.
func (t *texts) ofCall(name string, given []sql.Expression, depth int) int {
	switch name {
	case "upper", "lower", "ucase", "lcase", "trim", "ltrim", "rtrim", "reverse", "substring", "substr", "mid", "nullif", "right", "left", "any_value",
		"substring_index", "__anon_char", "lpad", "rpad", "__anon_text", "__anon_as", "max", "min":
		if len(given) > 0 {
			return t.cut(name, t.characters(given[0], depth), given)
		}
	case "elt":
		return t.widestOf(given[1:], depth)
	case "insert":
		return t.total([]sql.Expression{given[0], given[3]}, depth)
	case "quote":
		if width := t.characters(given[0], depth); width >= 0 {
			return max(2*width+len("''"), len("NULL"))
		}
	case "md5":
		return 32
	case "sha", "sha1":
		return 40
	case "sha2":
		return 128
	case "bin", "oct", "conv":
		return 65
	case "if":
		if len(given) == 3 {
			return t.widestOf(given[1:], depth)
		}
	case "coalesce", "ifnull", "greatest", "least":
		return t.widestOf(given, depth)
	case "concat":
		return t.total(given, depth)
	case "concat_ws":
		if len(given) > 1 {
			separator, rest := t.characters(given[0], depth), t.total(given[1:], depth)
			if separator >= 0 && rest >= 0 {
				return rest + separator*(len(given)-2)
			}
		}
	case "hex":
		if width := t.characters(given[0], depth); width >= 0 && types.IsTextOnly(given[0].Type()) {
			return 2 * 4 * width
		}
	case "monthname", "dayname":
		return len("September")
	case "date_format", "time_format", "from_unixtime":
		if len(given) == 2 {
			return formatted(given[1])
		}
	}
	return -1
}

// cut is the width of the first characters of a text, if their number is a literal.
func (t *texts) cut(name string, width int, given []sql.Expression) int {
	padded := name == "lpad" || name == "rpad"
	if !padded && (name != "left" && name != "right" && name != "__anon_char" || len(given) != 2) {
		return width
	}
	if literal, ok := given[1].(*expression.Literal); ok {
		if n, _, err := types.Int64.Convert(context.Background(), literal.Value()); err == nil && n != nil {
			most := max(int(min(n.(int64), maxCharacters+1)), 0)
			if width < 0 || padded {
				return most
			}
			return min(width, most)
		}
	}
	if padded {
		return -1
	}
	return width
}

// formatted is the width of a date in a DATE_FORMAT format, -1 if unknown.
func formatted(format sql.Expression) int {
	literal, ok := format.(*expression.Literal)
	if !ok {
		return -1
	}
	text, ok := literal.Value().(string)
	if !ok {
		return -1
	}
	width := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 == len(text) {
			width++
			continue
		}
		i++
		width += fieldWidths[text[i]]
		if fieldWidths[text[i]] == 0 {
			width++
		}
	}
	return width
}

// fieldWidths are the maximum widths of the specifiers of a format.
var fieldWidths = map[byte]int{'M': 9, 'W': 9, 'D': 4, 'Y': 4, 'x': 4, 'X': 4, 'a': 3, 'b': 3, 'j': 3, 'f': 6, 'r': 11, 'T': 9, 'w': 1,
	'y': 2, 'm': 2, 'd': 2, 'H': 3, 'h': 2, 'I': 2, 'k': 3, 'l': 2, 'i': 2, 's': 2, 'S': 2, 'p': 2, 'u': 2, 'U': 2, 'v': 2, 'V': 2, 'c': 2, 'e': 2}

// widestOf is the maximum width of several expressions, -1 if one is unknown.
func (t *texts) widestOf(list []sql.Expression, depth int) int {
	width := 0
	for _, e := range list {
		own := t.characters(e, depth)
		if own < 0 {
			return -1
		}
		width = max(width, own)
	}
	return width
}

// total is the sum of the widths, at most maxCharacters+1; -1 if one is unknown.
func (t *texts) total(list []sql.Expression, depth int) int {
	width := 0
	for _, e := range list {
		own := t.characters(e, depth)
		if own < 0 {
			return -1
		}
		width = min(width+own, maxCharacters+1)
	}
	return width
}

// The widest numbers as texts: a product may have more digits than the engine's type of it.
const (
	decimalWidth = 65 + len("-.")
	doubleWidth  = len("-1.7976931348623157e308")
)

// ofType is the maximum width of a type's values as texts, -1 for TEXT and unknown types.
func ofType(t sql.Type) int {
	switch t := t.(type) {
	case sql.StringType:
		if kind := t.Type(); kind == sqltypes.VarChar || kind == sqltypes.Char {
			return int(t.MaxCharacterLength())
		}
	case sql.DecimalType:
		return decimalWidth
	case sql.NumberType:
		if types.IsFloat(t) {
			return doubleWidth
		}
		return int(t.MaxTextResponseByteLength(nil))
	case sql.DatetimeType:
		return int(t.MaxTextResponseByteLength(nil))
	}
	if t == types.Null {
		return 0
	}
	return -1
}
