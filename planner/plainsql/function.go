package plainsql

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// function writes a call. It refuses functions without a writer; [writer.valueTable] may then write their values.
func (w *writer) function(e sql.FunctionExpression) (string, error) {
	name := strings.ToLower(e.FunctionName())
	children := e.Children()
	write := functionWriterOf(name)
	if write == nil {
		return "", refusePlain("%s", e)
	}
	return write(w, e, children)
}

// A functionWriter writes a call by its arguments.
type functionWriter func(w *writer, e sql.Expression, arguments []sql.Expression) (string, error)

// functionWriterOf lists the functions with a form for both dialects.
func functionWriterOf(name string) functionWriter {
	switch name {
	case "__anon_signed", "__anon_decimal", "__anon_date":
		return func(w *writer, e sql.Expression, arguments []sql.Expression) (string, error) {
			return w.cast(e, arguments[0])
		}
	case "__anon_as", "__anon_text": // UNION itself finds a common type, in which a date is a text
		return func(w *writer, e sql.Expression, arguments []sql.Expression) (string, error) {
			if name == "__anon_text" && types.IsFloat(arguments[0].Type()) { // each dialect has its own digits
				return "", refusePlain("%s", e)
			}
			return w.expression(arguments[0])
		}
	case "__anon_div":
		return (*writer).wholeQuotient
	case "if":
		return (*writer).ifElse
	case "ifnull", "coalesce":
		return (*writer).coalesce
	case "nullif":
		return (*writer).nullIf
	case "abs":
		return (*writer).absolute
	case "round":
		return (*writer).round
	case "floor", "ceil", "ceiling":
		return (*writer).floorOrCeil
	case "greatest", "least":
		return (*writer).extremeOfTwo
	case "lower", "lcase", "upper", "ucase":
		return (*writer).changeCase
	case "length", "octet_length", "char_length", "character_length":
		return (*writer).length
	case "left", "substring", "substr", "mid":
		return (*writer).substring
	case "trim", "ltrim", "rtrim":
		return (*writer).trim
	case "concat":
		return (*writer).concat
	case "instr":
		return (*writer).instr
	case "year":
		return datePart(1, 4)
	case "month":
		return datePart(6, 2)
	case "day", "dayofmonth":
		return datePart(9, 2)
	case "quarter":
		return (*writer).quarter
	case "hour":
		return timePart(12)
	case "minute":
		return timePart(15)
	case "second":
		return timePart(18)
	case "date":
		return (*writer).dateOf
	}
	return nil
}

func (w *writer) ifElse(e sql.Expression, arguments []sql.Expression) (string, error) {
	condition, err := w.condition(arguments[0])
	if err != nil {
		return "", err
	}
	yes, no, err := w.pair(arguments[1], arguments[2], w.expression)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("(CASE WHEN %s THEN %s ELSE %s END)", condition, yes, no), sameClass(e, arguments[1:]...)
}

// all writes every argument.
func (w *writer) all(arguments []sql.Expression) ([]string, error) {
	list := make([]string, len(arguments))
	for i, a := range arguments {
		var err error
		if list[i], err = w.expression(a); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (w *writer) coalesce(e sql.Expression, arguments []sql.Expression) (string, error) {
	list, err := w.all(arguments)
	if err != nil {
		return "", err
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return "COALESCE(" + strings.Join(list, ", ") + ")", sameClass(e, arguments...)
}

func (w *writer) nullIf(e sql.Expression, arguments []sql.Expression) (string, error) {
	equal, err := w.compare(arguments[0], arguments[1], "=")
	if err != nil {
		return "", err
	}
	text, err := w.expression(arguments[0])
	return fmt.Sprintf("(CASE WHEN %s THEN NULL ELSE %s END)", equal, text), err
}

func (w *writer) absolute(_ sql.Expression, arguments []sql.Expression) (string, error) {
	text, err := w.number(arguments[0])
	return "ABS(" + text + ")", err
}

// round accepts constant places from 0: SQLite rounds to no others.
func (w *writer) round(e sql.Expression, arguments []sql.Expression) (string, error) {
	text, err := w.number(arguments[0])
	if err != nil || len(arguments) == 1 {
		return "ROUND(" + text + ")", err
	}
	places, err := w.constantInteger(arguments[1])
	if err != nil || places < 0 {
		return "", refusePlain("%s: the places must be a constant from 0", e)
	}
	return roundTo(arguments[0], text, int(places)), nil
}

// constantInteger evaluates a constant integer.
func (w *writer) constantInteger(e sql.Expression) (int64, error) {
	if !oneValue(e) {
		return 0, refusePlain("%s, which is no constant", e)
	}
	value, err := e.Eval(w.ctx, nil)
	if err != nil {
		return 0, err
	}
	converted, _, err := types.Int64.Convert(w.ctx, value)
	number, ok := converted.(int64)
	if err != nil || !ok {
		return 0, refusePlain("%s, which is no integer", e)
	}
	return number, nil
}

// floorOrCeil avoids FLOOR and CEIL, which SQLite has only with its mathematical functions.
func (w *writer) floorOrCeil(e sql.Expression, arguments []sql.Expression) (string, error) {
	x, err := w.number(arguments[0])
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(strings.ToLower(e.(sql.FunctionExpression).FunctionName()), "ceil") {
		return fmt.Sprintf("(CASE WHEN ROUND(%[1]s) < %[1]s THEN ROUND(%[1]s) + 1 ELSE ROUND(%[1]s) END)", x), nil
	}
	return fmt.Sprintf("(CASE WHEN ROUND(%[1]s) > %[1]s THEN ROUND(%[1]s) - 1 ELSE ROUND(%[1]s) END)", x), nil
}

// extremeOfTwo writes GREATEST or LEAST, which SQLite calls MAX and MIN.
func (w *writer) extremeOfTwo(e sql.Expression, arguments []sql.Expression) (string, error) {
	if len(arguments) != 2 {
		return "", refusePlain("%s over other than two numbers", e)
	}
	l, r, err := w.pair(arguments[0], arguments[1], w.number)
	if err != nil {
		return "", err
	}
	operator := ">"
	if strings.EqualFold(e.(sql.FunctionExpression).FunctionName(), "least") {
		operator = "<"
	}
	return fmt.Sprintf("(CASE WHEN %s %s %s THEN %s WHEN %s IS NOT NULL THEN %s END)", l, operator, r, l, l, r), nil
}

// asciiText writes a text that must be ASCII: SQLite counts characters where MySQL counts bytes, and changes the case
// of ASCII only.
func (w *writer) asciiText(e, argument sql.Expression) (string, error) {
	if classOf(argument.Type()) != textClass || !w.textsAre(argument, asciiTexts) {
		return "", refusePlain("%s over anything but texts of ASCII", e)
	}
	return w.expression(argument)
}

func (w *writer) changeCase(e sql.Expression, arguments []sql.Expression) (string, error) {
	text, err := w.asciiText(e, arguments[0])
	word := "LOWER"
	if strings.HasPrefix(strings.ToLower(e.(sql.FunctionExpression).FunctionName()), "u") {
		word = "UPPER"
	}
	return word + "(" + text + ")", err
}

func (w *writer) length(e sql.Expression, arguments []sql.Expression) (string, error) {
	text, err := w.asciiText(e, arguments[0])
	return "LENGTH(" + text + ")", err
}

// textOf writes an expression that must be a text.
func (w *writer) textOf(e, argument sql.Expression) (string, error) {
	if classOf(argument.Type()) != textClass {
		return "", refusePlain("%s over %s", e, orType(classOf(argument.Type()), argument))
	}
	return w.expression(argument)
}

// substring accepts constant positions from 1. Counting from the end, the dialects disagree about short texts.
func (w *writer) substring(e sql.Expression, arguments []sql.Expression) (string, error) {
	text, err := w.textOf(e, arguments[0])
	if err != nil {
		return "", err
	}
	var numbers []int64
	for _, a := range arguments[1:] {
		n, err := w.constantInteger(a)
		if err != nil || n < 0 {
			return "", refusePlain("%s: positions and lengths must be constants, not negative", e)
		}
		numbers = append(numbers, n)
	}
	if strings.EqualFold(e.(sql.FunctionExpression).FunctionName(), "left") {
		numbers = append([]int64{1}, numbers...)
	}
	if len(numbers) == 0 || numbers[0] == 0 {
		return "", refusePlain("%s: positions begin with 1", e)
	}
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
	return "SUBSTR(" + text + ", " + list + ")", nil
}

func (w *writer) trim(e sql.Expression, arguments []sql.Expression) (string, error) {
	if len(arguments) == 2 { // TRIM may remove another text, or trim one end only
		pattern, ok := arguments[1].(*expression.Literal)
		if !ok || pattern.Value() != " " || !reflect.DeepEqual(e, function.NewTrim(arguments[0], pattern, sqlparser.Both)) {
			return "", refusePlain("%s", e)
		}
	}
	text, err := w.textOf(e, arguments[0])
	return strings.ToUpper(e.(sql.FunctionExpression).FunctionName()) + "(" + text + ")", err
}

// concat is NULL if an argument is NULL; SQLite's CONCAT is not.
func (w *writer) concat(e sql.Expression, arguments []sql.Expression) (string, error) {
	list := make([]string, len(arguments))
	var nulls []string
	for i, a := range arguments {
		if classOf(a.Type()) != textClass && !types.IsInteger(a.Type()) {
			return "", refusePlain("%s over other than texts and integers", e)
		}
		var err error
		if list[i], err = w.expression(a); err != nil {
			return "", err
		}
		if !oneValue(a) {
			nulls = append(nulls, list[i]+" IS NULL")
		}
	}
	text := "CONCAT(" + strings.Join(list, ", ") + ")"
	if len(nulls) == 0 {
		return text, nil
	}
	return fmt.Sprintf("(CASE WHEN %s THEN NULL ELSE %s END)", strings.Join(nulls, " OR "), text), nil
}

// instr looks for the exact characters, in both dialects.
func (w *writer) instr(e sql.Expression, arguments []sql.Expression) (string, error) {
	text, err := w.textOf(e, arguments[0])
	if err != nil {
		return "", err
	}
	part, err := w.textOf(e, arguments[1])
	return "INSTR(" + text + ", " + part + ")", err
}

// dateText writes a DATE or a DATETIME as its text in SQLite.
func (w *writer) dateText(e, argument sql.Expression) (string, error) {
	if !isInstant(classOf(argument.Type())) {
		return "", refusePlain("%s over %s", e, orType(classOf(argument.Type()), argument))
	}
	text, err := w.expression(argument)
	return "CAST(" + text + " AS CHAR)", err
}

func datePart(from, length int) functionWriter {
	return func(w *writer, e sql.Expression, arguments []sql.Expression) (string, error) {
		text, err := w.dateText(e, arguments[0])
		return fmt.Sprintf("CAST(SUBSTR(%s, %d, %d) AS SIGNED)", text, from, length), err
	}
}

func timePart(from int) functionWriter {
	return func(w *writer, e sql.Expression, arguments []sql.Expression) (string, error) {
		if classOf(arguments[0].Type()) != momentClass {
			return "", refusePlain("%s over anything but DATETIME", e)
		}
		return datePart(from, 2)(w, e, arguments)
	}
}

func (w *writer) quarter(e sql.Expression, arguments []sql.Expression) (string, error) {
	month, err := datePart(6, 2)(w, e, arguments)
	return fmt.Sprintf("CAST((%[1]s + 2 - (%[1]s + 2) %% 3) / 3 AS SIGNED)", month), err
}

func (w *writer) dateOf(e sql.Expression, arguments []sql.Expression) (string, error) {
	text, err := w.dateText(e, arguments[0])
	return "SUBSTR(" + text + ", 1, 10)", err
}

// writeLike writes patterns that match a beginning, an end or a part. It avoids SQLite's LIKE, which ignores case
// under every collation.
func (w *writer) writeLike(e *expression.Like) (string, error) {
	pattern, ok := e.Right().(*expression.Literal)
	given, isText := "", false
	if ok {
		given, isText = pattern.Value().(string)
	}
	part := strings.Trim(given, "%")
	if !isText || e.Escape != nil || strings.ContainsAny(part, `%_\`) || part == "" {
		return "", refusePlain("%s: a pattern may be a constant beginning, end or part, without _", e)
	}
	l, _, err := w.comparable(e.Left(), pattern, false)
	if err != nil {
		return "", err
	}
	if w.foldTogether(e.Left(), pattern) {
		part = strings.ToLower(part)
	}
	quoted, err := literal(part, types.LongText)
	if err != nil {
		return "", err
	}
	begins, ends := strings.HasPrefix(given, "%"), strings.HasSuffix(given, "%")
	length := len([]rune(part))
	switch {
	case begins && ends:
		return fmt.Sprintf("(INSTR(%s, %s) > 0)", l, quoted), nil
	case ends:
		return fmt.Sprintf("(SUBSTR(%s, 1, %d) = %s)", l, length, quoted), nil
	case begins:
		return fmt.Sprintf("(SUBSTR(%s, -%d) = %s)", l, length, quoted), nil
	}
	return fmt.Sprintf("(%s = %s)", l, quoted), nil
}
