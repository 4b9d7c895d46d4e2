package assignments

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/declared"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/values"
	"github.com/anonsql/anonsql/tree"
)

// stored converts a value to its column's type as MySQL does, where the engine refuses it or stores another value. It leaves
// other conversions to the engine.
type stored struct {
	tree.Standin
	column  *sql.Column
	lenient bool // IGNORE: the nearest value, which the engine finds
}

var _ sql.CollationCoercible = (*stored)(nil)

func (s *stored) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(s, children)
}

// storedAs is a value converted for a column, unchanged if this package does not convert between the types.
func storedAs(e sql.Expression, column *sql.Column, lenient bool) sql.Expression {
	switch e.(type) {
	case *stored, *sql.ColumnDefaultValue, *expression.DefaultColumn, *expression.Wrapper, *expression.AutoIncrement:
		return e
	}
	if column == nil || !e.Resolved() {
		return e
	}
	e = allDigits(e)
	to := declared.Read(column.Type)
	if coercion.IsNumber(to) && !coercion.IsNumber(e.Type()) && !isHexadecimal(e) && !values.IsNumber(e) {
		e = values.Number(e)
	}
	if !converts(e, to, lenient) {
		return e
	}
	return &stored{Standin: tree.NewStandin(e), column: column, lenient: lenient}
}

// converts recognises values whose conversion is done here.
func converts(e sql.Expression, to sql.Type, lenient bool) bool {
	from := e.Type()
	temporal := coercion.IsInstant(from) || coercion.IsTimespan(from)
	written := temporal || types.IsEnum(from) || types.IsSet(from) // the engine stores numbers of members, and times of dates
	switch {
	case coercion.IsInstant(to), coercion.IsTimespan(to):
		return !temporal || types.IsTimestampType(to) && !types.IsTimestampType(from)
	case types.IsEnum(to), types.IsSet(to):
		return lenient && types.IsSet(to) || (types.IsEnum(from) || types.IsSet(from)) && !from.Equals(to) // members of one name have other numbers
	case coercion.IsNumber(to):
		return temporal || isHexadecimal(e) || types.IsTextOnly(from) || types.IsUnsigned(to) || lenient && types.IsDecimal(to) ||
			types.IsInteger(to) && types.IsFloat(from)
	case types.IsTextOnly(to):
		return lenient || written || to.Type() == sqltypes.VarChar || to.Type() == sqltypes.Char
	}
	return (written || lenient) && types.IsBinaryType(to) && !types.IsJSON(to) && !types.IsGeometry(to)
}

func isHexadecimal(e sql.Expression) bool {
	literal, ok := e.(*expression.Literal)
	if !ok {
		return false
	}
	_, ok = literal.Value().([]byte)
	return ok
}

func (s *stored) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := s.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	switch to := declared.Read(s.column.Type); {
	case coercion.IsInstant(to):
		return s.instant(ctx, v)
	case coercion.IsTimespan(to):
		return s.timespan(ctx, v)
	case coercion.IsNumber(to):
		return s.number(ctx, v)
	case types.IsSet(to) && s.lenient:
		return s.members(ctx, v)
	case types.IsEnum(to), types.IsSet(to):
		return coercion.Text(ctx, v, s.Child.Type())
	case s.lenient:
		return s.cut(ctx, v)
	case types.IsTextOnly(to):
		return s.text(ctx, v)
	}
	written, err := coercion.Text(ctx, v, s.Child.Type())
	return []byte(written), err
}

// instant is a date and time as the engine reads it: a text has any punctuation, a year of two digits or digits alone, and a number
// has digits. The zero date is an error where the SQL mode says so; the day that stands for it to the engine always is. So is a TIMESTAMP
// that the session's clock never shows, because it is put forward then.
func (s *stored) instant(ctx *sql.Context, v any) (any, error) {
	if text, ok := v.(string); ok {
		v = strings.TrimSpace(text)
	}
	if !s.lenient && coercion.IsZeroDate(ctx, v, s.Child.Type()) && refuses(ctx, "NO_ZERO_DATE") {
		return nil, s.wrong(v)
	}
	if text, ok := v.(string); ok && !s.lenient && coercion.StandsForZero(text) {
		return nil, s.wrong(v)
	}
	t, ok := v.(time.Time)
	if !ok {
		if t, ok = coercion.WrittenInstant(digitsOfInstant(v)); !ok {
			return v, nil
		}
		v = t.Format("2006-01-02 15:04:05.999999")
	}
	if types.IsTimestampType(s.column.Type) && !s.lenient && Strict(ctx) {
		clock, err := coding.ClockOf(ctx)
		if err != nil {
			return nil, err
		}
		if !clock.Shows(t) {
			return nil, s.wrong(t.Format(time.DateTime))
		}
	}
	return v, nil
}

// digitsOfInstant is a text unchanged, and a number as the text of its digits if they form a date, or a date and a time.
func digitsOfInstant(v any) string {
	text, written := v.(string)
	if written {
		return text
	}
	digits := fmt.Sprint(v)
	whole, _, _ := strings.Cut(digits, ".")
	if n := len(whole); n != 6 && n != 8 && n != 12 && n != 14 {
		return ""
	}
	return digits
}

// timespan is the time of day of a text that is a date and time. A time beyond 838:59:59 is an error.
func (s *stored) timespan(ctx *sql.Context, v any) (any, error) {
	text, ok := v.(string)
	if !ok {
		if d, err := coercion.Exact(ctx, v, s.Child.Type()); err == nil && !s.lenient && Strict(ctx) && coercion.BeyondTimes(d) {
			return nil, s.wrong(v)
		}
		return v, nil
	}
	text = strings.TrimSpace(text)
	span, beyond, ok := coercion.WrittenTime(text)
	switch {
	case ok && beyond && !s.lenient && Strict(ctx):
		return nil, s.wrong(v)
	case ok && !beyond:
		return span, nil
	}
	return text, nil
}

// place is the column as shown in messages.
func (s *stored) place() string {
	if s.column.Name == "" {
		return "a generated column or a default"
	}
	return "column '" + s.column.Name + "'"
}

func (s *stored) wrong(v any) error {
	kind, _, _ := strings.Cut(s.column.Type.String(), "(")
	return sqlerror.New(sqlerror.WrongTemporal, fmt.Sprintf("Incorrect %s value: '%v' for %s", kind, v, s.place()))
}

// number is the number of a date or time, whose seconds an integer rounds, and that of hexadecimal digits. A DOUBLE or a text that
// rounds to zero has no sign; a DECIMAL below zero is beyond an integer without one.
func (s *stored) number(ctx *sql.Context, v any) (any, error) {
	whole := types.IsInteger(s.column.Type)
	if digits, ok := v.([]byte); ok {
		n := uint64(0)
		for _, b := range digits[max(0, len(digits)-8):] {
			n = n<<8 | uint64(b)
		}
		return n, nil
	}
	if text, ok := v.(string); ok {
		return s.numberOfText(ctx, text)
	}
	if types.IsInteger(s.Child.Type()) && !s.lenient && Strict(ctx) {
		return v, nil // the engine refuses what does not fit
	}
	if f, ok := v.(float64); ok && whole && math.Abs(f) < 1<<53 { // halves go to the even number, as in C
		v = int64(math.RoundToEven(f))
	}
	if whole {
		v = coercion.WholeSeconds(v)
	}
	d, err := coercion.Exact(ctx, v, s.Child.Type())
	switch {
	case err != nil:
		return nil, err
	case whole && d.Sign() < 0 && d.Round(0).IsZero():
		if types.IsDecimal(s.Child.Type()) && !s.lenient {
			return nil, sqlerror.New(sqlerror.OutOfRange, fmt.Sprintf("Out of range value for %s: %s does not fit %s", s.place(), d, s.column.Type))
		}
		return int64(0), nil
	case whole && types.IsUnsigned(s.column.Type) && (s.lenient || !Strict(ctx)): // of others the engine keeps the bits
		return s.nearestUnsigned(ctx, d), nil
	case s.lenient && types.IsDecimal(declared.Read(s.column.Type)):
		return s.nearest(ctx, d), nil
	case coercion.IsInstant(s.Child.Type()), coercion.IsTimespan(s.Child.Type()):
		return d, nil
	}
	return v, nil
}

// nearest is the DECIMAL of the column's that is nearest to a number.
func (s *stored) nearest(ctx *sql.Context, d decimal.Decimal) decimal.Decimal {
	typ := declared.Read(s.column.Type).(sql.DecimalType)
	places := int32(typ.Scale())
	most := decimal.New(1, int32(typ.Precision())-places).Sub(decimal.New(1, -places))
	least := most.Neg()
	if _, unsigned := s.column.Type.(declared.Decimal); unsigned {
		least = decimal.Zero
	}
	within := decimal.Max(least, decimal.Min(most, d.Round(places)))
	if !within.Equal(d.Round(places)) {
		ctx.Warn(sqlerror.OutOfRange, "Out of range value for %s", s.place())
	}
	return within
}

// mostBits are the sizes of unsigned integers, in bits.
var mostBits = map[query.Type]uint{sqltypes.Uint8: 8, sqltypes.Uint16: 16, sqltypes.Uint24: 24, sqltypes.Uint32: 32, sqltypes.Uint64: 64}

// nearestUnsigned is the integer of the column's that is nearest to a number.
func (s *stored) nearestUnsigned(ctx *sql.Context, d decimal.Decimal) uint64 {
	most := new(big.Int).Lsh(big.NewInt(1), mostBits[s.column.Type.Type()])
	whole := d.Round(0)
	within := decimal.Max(decimal.Zero, decimal.Min(whole, decimal.NewFromBigInt(most.Sub(most, big.NewInt(1)), 0)))
	if !within.Equal(whole) {
		ctx.Warn(sqlerror.OutOfRange, "Out of range value for %s", s.place())
	}
	return within.BigInt().Uint64() // of a DECIMAL the engine takes what fits a BIGINT
}

// numberOfText is a text that rounds to zero as an integer, and an error for one of spaces.
func (s *stored) numberOfText(ctx *sql.Context, text string) (any, error) {
	text = strings.TrimSpace(text)
	if text == "" && !s.lenient {
		return nil, sqlerror.New(sqlerror.WrongValue, fmt.Sprintf("Incorrect %s value: '' for %s", s.column.Type, s.place()))
	}
	switch d, err := decimal.NewFromString(text); {
	case err != nil && !s.lenient && Strict(ctx) && types.IsDecimal(declared.Read(s.column.Type)):
		return nil, sqlerror.New(sqlerror.WrongValue, fmt.Sprintf("Incorrect %s value: '%s' for %s", s.column.Type, text, s.place()))
	case err != nil:
	case d.Sign() < 0 && types.IsInteger(s.column.Type):
		return d.Round(0), nil
	case s.lenient && types.IsDecimal(declared.Read(s.column.Type)):
		return s.nearest(ctx, d), nil
	}
	return text, nil
}

// members are the known ones among the members of a SET, which are a text or the bits of a number. Of a text with another the engine stores none.
func (s *stored) members(ctx *sql.Context, v any) (made any, err error) {
	set, from := declared.Read(s.column.Type).(sql.SetType), s.Child.Type()
	unknown := func(text string) bool {
		_, _, err := set.Convert(ctx, text)
		return err != nil
	}
	cut := false
	if types.IsNumber(from) {
		d, err := coercion.Exact(ctx, v, from)
		if err != nil {
			return nil, err
		}
		given, all := uint64(d.BigInt().Int64()), uint64(1)<<set.NumberOfElements()-1
		made, cut = given&all, given > all
	} else {
		text, err := coercion.Text(ctx, v, from)
		if err != nil {
			return nil, err
		}
		made, cut = strings.Join(slices.DeleteFunc(strings.Split(text, ","), unknown), ","), unknown(text)
	}
	if cut {
		ctx.Warn(sqlerror.Truncated, "Data truncated for %s", s.place())
	}
	return made, nil
}

// cut is any value as a text, or as bytes, that fits a column. A DOUBLE has as many digits as fit.
func (s *stored) cut(ctx *sql.Context, v any) (any, error) {
	typ, bounded := s.column.Type.(sql.StringType)
	if !bounded {
		return v, nil
	}
	written, err := coercion.Text(ctx, v, s.Child.Type())
	if err != nil {
		return nil, err
	}
	most := int(typ.MaxCharacterLength())
	if f, ok := v.(float64); ok {
		for digits := 17; digits > 0 && len(written) > most; digits-- {
			rounded, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', digits, 64), 64)
			written, _ = coercion.Text(ctx, rounded, types.Float64)
		}
	}
	fits := written
	if types.IsBinaryType(typ) {
		fits = written[:min(most, len(written))]
	} else if utf8.RuneCountInString(written) > most {
		fits = string([]rune(written)[:most])
	}
	if len(fits) < len(written) {
		ctx.Warn(sqlerror.Truncated, "Data truncated for %s", s.place())
	}
	if types.IsBinaryType(typ) {
		return []byte(fits), nil
	}
	return fits, nil
}

// text is a text without trailing spaces that do not fit the column, which MySQL cuts in every mode.
func (s *stored) text(ctx *sql.Context, v any) (any, error) {
	text, ok := v.(string)
	if from := s.Child.Type(); !ok && (coercion.IsInstant(from) || coercion.IsTimespan(from) || types.IsEnum(from) || types.IsSet(from)) {
		var err error
		if text, err = coercion.Text(ctx, v, from); err != nil {
			return nil, err
		}
		v, ok = text, true
	}
	typ, bounded := s.column.Type.(sql.StringType)
	if !ok || !bounded || int64(len(text)) <= typ.MaxCharacterLength() {
		return v, nil
	}
	for n := int64(utf8.RuneCountInString(text)); n > typ.MaxCharacterLength(); n-- {
		if text[len(text)-1] != ' ' {
			return v, nil
		}
		text = text[:len(text)-1]
	}
	if len(text) < len(v.(string)) {
		ctx.Session.Warn(&sql.Warning{Level: "Note", Code: sqlerror.Truncated, Message: fmt.Sprintf("Data truncated for %s", s.place())})
	}
	return text, nil
}

// Strict recognises SQL modes in which a value that does not fit is an error.
func Strict(ctx *sql.Context) bool {
	mode := sql.LoadSqlMode(ctx)
	return mode.ModeEnabled("STRICT_TRANS_TABLES") || mode.ModeEnabled("STRICT_ALL_TABLES") || mode.ModeEnabled("TRADITIONAL")
}

// refuses reports whether the SQL mode is strict and also has another mode.
func refuses(ctx *sql.Context, mode string) bool {
	return Strict(ctx) && (sql.LoadSqlMode(ctx).ModeEnabled(mode) || sql.LoadSqlMode(ctx).ModeEnabled("TRADITIONAL"))
}

// Inserted converts the values of an INSERT before its CHECKs, makes a division by zero in its rows an error, and makes ON DUPLICATE KEY
// UPDATE refuse NULLs and count rows.
func Inserted(_ *sql.Context, n sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
	insert, ok := n.(*plan.InsertInto)
	if !ok {
		return n, transform.SameTree, nil
	}
	columns, same := insert.Destination.Schema(), transform.SameTree
	if len(insert.Checks()) > 0 {
		insert, same = storedChecks(insert, columns), transform.NewTree
	}
	if len(insert.OnDupExprs) > 0 {
		insert, same = exactCounts(requiredValues(insert, columns)), transform.NewTree
	}
	project, ok := insert.Source.(*plan.Project)
	if !ok || len(project.Projections) != len(columns) {
		return insert, same, nil
	}
	if load, ok := project.Child.(*plan.LoadData); ok { // whose fields package loaddata converts
		return insert.WithSource(plan.NewProject(project.Projections, storedSets(load, columns))), transform.NewTree, nil
	}
	insert, latest, err := readsSelected(insert, project, len(columns))
	if err != nil {
		return nil, transform.SameTree, err
	}
	rows, err := storedRows(project, columns, insert.Ignore)
	if err != nil {
		return nil, transform.SameTree, err
	}
	if latest != nil {
		rows = withSelected(rows)
	}
	source := sql.Node(rows)
	if !insert.Ignore {
		source = &Undivided{plan.UnaryNode{Child: source}}
	}
	if latest != nil {
		source = &SelectedRows{plan.UnaryNode{Child: source}, len(columns), latest}
	}
	return insert.WithSource(source), transform.NewTree, nil
}

// storedSets is LOAD DATA with the values of SET for their columns. A variable that it fills is a text there, whatever it was before.
func storedSets(load *plan.LoadData, columns sql.Schema) *plan.LoadData {
	made := *load
	made.SetExprs = slices.Clone(load.SetExprs)
	filled := func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		v, ok := e.(*expression.UserVar)
		if !ok || !slices.ContainsFunc(load.UserVars, func(e sql.Expression) bool { // nil for a field that is no variable
			set, ok := e.(*expression.SetField)
			return ok && strings.EqualFold(set.LeftChild.String(), v.String())
		}) {
			return e, transform.SameTree, nil
		}
		return expression.NewUserVarWithType(v.Name, types.LongText), transform.NewTree, nil
	}
	for i, e := range made.SetExprs {
		marked, ok := e.(interface{ Assigned() sql.Expression })
		if !ok {
			continue
		}
		value, _, err := transform.Expr(marked.Assigned(), filled)
		if err == nil {
			value, err = e.WithChildren(storedAs(value, columns[i], false))
		}
		if err == nil {
			made.SetExprs[i] = value
		}
	}
	return &made
}

// storedRows are the rows of an INSERT. Literals have the types of each row.
func storedRows(project *plan.Project, columns sql.Schema, lenient bool) (*plan.Project, error) {
	values, ok := project.Child.(*plan.Values)
	if !ok {
		query, err := allDigitsOf(project.Child)
		return plan.NewProject(storedFields(project, columns, lenient), query), err
	}
	rows := make([][]sql.Expression, len(values.ExpressionTuples))
	for i, row := range values.ExpressionTuples {
		rows[i] = slices.Clone(row)
	}
	for i, e := range project.Projections {
		field, ok := e.(*expression.GetField)
		if !ok {
			continue
		}
		for _, row := range rows {
			if field.Index() < len(row) {
				row[field.Index()] = storedAs(row[field.Index()], columns[i], lenient)
			}
		}
	}
	return plan.NewProject(project.Projections, plan.NewValuesWithAlias(values.AliasName, values.ColumnNames, rows)), nil
}

// storedFields are the columns that a query has for those of a table. The engine gives them the types of these.
func storedFields(project *plan.Project, columns sql.Schema, lenient bool) []sql.Expression {
	list, selected := slices.Clone(project.Projections), project.Child.Schema()
	for i, e := range list {
		field, ok := e.(*expression.GetField)
		if !ok || field.Index() >= len(selected) {
			continue
		}
		own := expression.NewGetField(field.Index(), selected[field.Index()].Type, field.Name(), field.IsNullable())
		if value := storedAs(own, columns[i], lenient); value != own {
			list[i] = value
		}
	}
	return list
}
