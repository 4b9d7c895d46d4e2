package delimited

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A Column is the SQL column of a column of a CSV.
type Column struct {
	Name     string // identifier made of the header
	Header   string // as written
	Type     string // SQL type, such as DECIMAL(7,2)
	Boolean  bool   // values are true and false; the type is TINYINT(1)
	Notation Notation
	Doubt    Doubt // why the column is text, or what else its numbers may mean
	// Empty is the number of fields that are empty, and not NULL by the texts that
	// mean it. EmptyNull says that they are NULL, for the others are numbers, dates or
	// booleans. Odd are the texts between such values, such as NaN or unknown. If they
	// alone make the column text, IfNull is the type it has when all of them are NULL.
	Empty     int64
	EmptyNull bool
	Odd       []Odd
	IfNull    string
	Blanks    int64 // texts that begin or end with blanks
}

// An Odd is a text that some fields of a column have in common.
type Odd struct {
	Text   string
	Fields int64
}

// An Inference is the result of Infer.
type Inference struct {
	Columns []Column
	Rows    int64
	Bytes   int64
}

// Nulls are the texts that mean NULL, such as "?" and "". A bare field is
// compared without its surrounding blanks, an enclosed one as it is.
type Nulls map[string]bool

// NewNulls returns the set of the given texts.
func NewNulls(tokens ...string) Nulls {
	n := make(Nulls, len(tokens))
	for _, t := range tokens {
		n[t] = true
	}
	return n
}

// Is reports whether the field is NULL, by its syntax or as one of the texts.
func (n Nulls) Is(f Field) bool {
	if f.Null || len(n) == 0 {
		return f.Null
	}
	if f.Enclosed {
		return n[string(f.Bytes)]
	}
	return n[string(Trim(f.Bytes))]
}

// Trim drops blanks and tabs around a value.
func Trim(b []byte) []byte {
	if len(b) == 0 || (b[0] > ' ' && b[len(b)-1] > ' ') {
		return b
	}
	return bytes.Trim(b, " \t")
}

// progressEvery is the number of rows between checks of the context and calls of Progress.
const progressEvery = 8192

// InferOptions are the options of Infer.
type InferOptions struct {
	// Nulls are the texts that mean NULL. Defaults to none.
	Nulls Nulls
	// KeepEmpty keeps empty fields as empty texts, which makes their column text.
	KeepEmpty bool
	// Dates is the notation of dates such as 01/02/2017, DayFirst or MonthFirst, in columns
	// without a day after the 12th. By default they are texts.
	Dates Notation
	// Decimal is the notation of numbers such as 1,234 and 1.234, DecimalComma or DecimalPoint,
	// in ambiguous columns. By default, 1,234 is a text and 1.234 a decimal.
	Decimal Notation
	// NoHeader says that the first record is data; columns become column_1, ...
	NoHeader bool
	// Names are the columns' names; they replace those of a header.
	Names []string
	// NameEmpty names columns without a name: column_1 for the first.
	NameEmpty bool
	// TypedTexts says that enclosed fields are texts, even number-like ones, and others are in SQL's notation, whatever Decimal says.
	TypedTexts bool
	// Progress receives the bytes read so far. May be nil.
	Progress func(bytes int64)
}

// Infer reads the whole text once and finds a type for every column that
// keeps each value: INT, BIGINT or DECIMAL for integers, DECIMAL or DOUBLE for
// other numbers, DATE, DATETIME, TINYINT(1) for true and false, else VARCHAR
// or TEXT. Numbers with leading zeros (zip codes) are text.
//
// A text that cannot be loaded (ragged, not UTF-8, no usable header) is an error with its
// place. Cost: one pass, memory for one record.
func Infer(ctx context.Context, src io.Reader, format Format, opts InferOptions) (*Inference, error) {
	r, err := NewReader(src, format)
	if err != nil {
		return nil, err
	}
	if opts.TypedTexts { // a program wrote these numbers
		opts.Decimal = DecimalPoint
	}
	in := inferrer{r: r, opts: opts}
	if !opts.NoHeader {
		headers, err := r.Header()
		if err != nil {
			return nil, err
		}
		if err := in.name(headers); err != nil {
			return nil, err
		}
	}
	for {
		fields, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if in.guesses == nil {
			if err := in.name(numbered(len(fields))); err != nil {
				return nil, err
			}
		}
		for i := range fields {
			in.guesses[i].see(fields[i], opts)
		}
		if r.Row()%progressEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if opts.Progress != nil {
				opts.Progress(r.Bytes())
			}
		}
	}
	return in.result()
}

// An inferrer is one pass of Infer.
type inferrer struct {
	r       *Reader
	opts    InferOptions
	headers []string
	guesses []guess
}

func (in *inferrer) name(headers []string) error {
	headers, err := in.opts.named(headers)
	if err != nil {
		return err
	}
	names, err := Identifiers(headers)
	if err != nil {
		return err
	}
	in.r.Columns, in.r.Names = len(names), names
	in.headers, in.guesses = headers, make([]guess, len(names))
	return nil
}

func (in *inferrer) result() (*Inference, error) {
	if in.guesses == nil {
		return nil, errors.New("the text is empty: there are no columns")
	}
	inf := &Inference{Rows: in.r.Row(), Bytes: in.r.Bytes(), Columns: make([]Column, len(in.guesses))}
	for i, g := range in.guesses {
		inf.Columns[i] = g.column(in.opts)
		inf.Columns[i].Name, inf.Columns[i].Header = in.r.Names[i], in.headers[i]
	}
	return inf, nil
}

// column returns the column of a guess.
func (g *guess) column(opts InferOptions) Column {
	c := Column{Empty: g.empty, Odd: g.oddTexts(), Type: g.textType(), Doubt: g.doubt()}
	n, typ := g.withoutOdd().typeOf(opts)
	switch text := g.textType(); {
	case typ == text:
		c.Blanks = g.blanks
		return c
	case c.Odd != nil || g.empty > 0 && opts.KeepEmpty:
		c.IfNull = typ
		return c
	}
	c.Type, c.Notation, c.EmptyNull, c.Doubt = typ, n, g.empty > 0, NoDoubt
	c.Boolean = g.hasOnly(shapeBoolean)
	if opts.Decimal == AsSQL && g.pointsMayGroup() && g.hasOnly(shapeInteger, shapeDecimal) {
		c.Doubt = Thousands
	}
	return c
}

// typeOf returns the notation and type of the values.
func (g *guess) typeOf(opts InferOptions) (Notation, string) {
	n, typ := g.notation(opts)
	if typ == "" {
		typ = g.sqlType()
	}
	return n, typ
}

// named returns the headers, with the names that the user gave.
func (o InferOptions) named(headers []string) ([]string, error) {
	if o.Names != nil && len(o.Names) != len(headers) {
		return nil, fmt.Errorf("%s given, and the text has %s", plural(len(o.Names), "column name"), plural(len(headers), "column"))
	}
	if o.Names != nil {
		return o.Names, nil
	}
	if !o.NameEmpty {
		return headers, nil
	}
	named := slices.Clone(headers)
	for i, h := range headers {
		if !IsName(h) {
			named[i] = fmt.Sprintf("column_%d", i+1)
		}
	}
	return named, nil
}

func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("column_%d", i+1)
	}
	return names
}

// A guess describes the values of a column so far.
type guess struct {
	seen     [shapes]bool
	text     bool // only text remains possible, so classification can stop
	empty    int64
	blanks   int64 // fields with blanks around them
	chars    int   // longest, in characters
	bytes    int   // longest, in bytes
	whole    int   // most digits before the point
	fraction int   // most digits after the point
	second   int   // most digits of a second's fraction
	timed    bool  // a day has a time
	commas   int   // most digits after a decimal comma
	grouped  int   // most digits of 1.234 and 1,234, if their sign is between groups
	// ungrouped is set if a number's point separates no groups of three.
	ungrouped bool
	// commasBetween and pointsBetween are set if a number has several commas, or points, that group its digits, and no other sign.
	commasBetween, pointsBetween bool
	min, max                     int64
	huge                         bool // an integer has more than 18 digits
	rounded                      bool // a DOUBLE would change digits of a decimal

	odd   []Odd // texts, while they are few and short
	typed int64 // fields that are not text
}

func (g *guess) see(f Field, opts InferOptions) {
	if opts.Nulls.Is(f) {
		return
	}
	if n := len(f.Bytes); n > g.bytes {
		g.bytes = n
	}
	if len(f.Bytes) > g.chars {
		g.chars = max(g.chars, utf8.RuneCount(f.Bytes))
	}
	if opts.TypedTexts && f.Enclosed {
		g.seen[shapeText], g.text = true, true
	}
	trimmed := Trim(f.Bytes)
	if len(trimmed) == 0 {
		g.empty++
		return
	}
	if len(trimmed) < len(f.Bytes) {
		g.blanks++
	}
	if g.text {
		return
	}
	v := formOf(trimmed)
	g.seen[v.shape] = true
	if v.shape != shapeText {
		g.typed++
	}
	switch v.shape {
	case shapeText:
		g.text = !g.remember(trimmed)
	case shapeInteger:
		g.min, g.max = min(g.min, v.integer), max(g.max, v.integer)
		g.huge = g.huge || v.whole > 18
		g.whole = max(g.whole, v.whole)
	case shapeDecimal, shapePointGroups:
		g.whole, g.fraction = max(g.whole, v.whole), max(g.fraction, v.fraction)
		g.rounded = g.rounded || v.whole+v.fraction > doubleDigits && isRounded(trimmed)
		if three := v.fraction == 3 && 1 <= v.whole && v.whole <= 3 && trimmed[len(trimmed)-4-v.whole] != '0'; three {
			g.grouped = max(g.grouped, v.whole+v.fraction)
		} else {
			g.ungrouped = g.ungrouped || v.shape == shapeDecimal
		}
	case shapeComma, shapeGrouped, shapeGroups, shapeCommaGroups:
		g.whole, g.commas = max(g.whole, v.whole), max(g.commas, v.fraction)
		switch v.shape {
		case shapeGrouped:
			g.grouped = max(g.grouped, v.whole+v.fraction)
		case shapeGroups:
			g.commasBetween = g.commasBetween || bytes.IndexByte(trimmed, ',') >= 0
			g.pointsBetween = g.pointsBetween || bytes.IndexByte(trimmed, '.') >= 0
		}
	case shapeDatetime, shapeDots, shapeDaySlash, shapeMonthSlash, shapeEither, shapeYearFirst:
		g.second, g.timed = max(g.second, v.fraction), g.timed || v.timed
	}
}

// Odd texts are short, have no digits and are few in a column: they stand for unknown values.
const (
	maxOdd     = 3
	longestOdd = 16
)

// remember counts an odd text; false means that the column's texts are not odd.
func (g *guess) remember(text []byte) bool {
	for i := range g.odd {
		if g.odd[i].Text == string(text) {
			g.odd[i].Fields++
			return true
		}
	}
	if len(g.odd) == maxOdd || len(text) > longestOdd || bytes.ContainsAny(text, "0123456789") {
		return false
	}
	g.odd = append(g.odd, Odd{string(text), 1})
	return true
}

// oddTexts returns the odd texts of a column in which other values prevail.
func (g *guess) oddTexts() []Odd {
	var fields int64
	for _, o := range g.odd {
		fields += o.Fields
	}
	if g.text || fields >= g.typed {
		return nil
	}
	return g.odd
}

// withoutOdd returns the guess for the other values.
func (g *guess) withoutOdd() *guess {
	others := *g
	if g.oddTexts() != nil {
		others.seen[shapeText] = false
	}
	return &others
}

// hasOnly reports whether there are values and all have one of the shapes.
func (g *guess) hasOnly(allowed ...shape) bool {
	any := false
	for s, seen := range g.seen {
		if !seen {
			continue
		}
		any = true
		ok := false
		for _, a := range allowed {
			ok = ok || shape(s) == a
		}
		if !ok {
			return false
		}
	}
	return any
}

// MySQL's greatest DECIMAL, and the number of digits up to which decimals get that type. Longer
// ones are printed doubles, unless a DOUBLE would change their digits.
const (
	maxDecimal   = 65
	maxFraction  = 30
	exactDecimal = 18
	doubleDigits = 15 // a DOUBLE keeps every number of this many digits
)

func (g *guess) sqlType() string {
	switch {
	case g.hasOnly(shapeInteger) && g.huge && g.whole <= maxDecimal:
		return fmt.Sprintf("DECIMAL(%d,0)", g.whole)
	case g.hasOnly(shapeInteger) && !g.huge && g.min >= math.MinInt32 && g.max <= math.MaxInt32:
		return "INT"
	case g.hasOnly(shapeInteger) && !g.huge:
		return "BIGINT"
	case g.hasOnly(shapeInteger, shapeDecimal) && g.seen[shapeDecimal] && (g.whole+g.fraction <= exactDecimal || g.rounded || g.lossy()):
		if fitsDecimal(g.whole, g.fraction) {
			return decimalType(g.whole, g.fraction)
		}
	case g.hasOnly(shapeInteger, shapeDecimal, shapeFloat) && (g.seen[shapeDecimal] || g.seen[shapeFloat]) && !g.lossy():
		return "DOUBLE"
	case g.hasOnly(shapeDate):
		return "DATE"
	case g.hasOnly(shapeDate, shapeDatetime) && g.second == 0:
		return "DATETIME"
	case g.hasOnly(shapeDate, shapeDatetime):
		return "DATETIME(6)"
	case g.hasOnly(shapeBoolean):
		return "TINYINT(1)"
	}
	return g.textType()
}

func decimalType(whole, fraction int) string {
	return fmt.Sprintf("DECIMAL(%d,%d)", whole+fraction, fraction)
}

func fitsDecimal(whole, fraction int) bool {
	return whole+fraction <= maxDecimal && fraction <= maxFraction
}

// isRounded reports whether the nearest double of a decimal has other digits.
func isRounded(decimal []byte) bool {
	x, err := strconv.ParseFloat(string(decimal), 64)
	var space [32]byte
	mantissa, _, _ := bytes.Cut(strconv.AppendFloat(space[:0], x, 'e', -1, 64), []byte{'e'})
	return err != nil || !bytes.Equal(significant(mantissa), significant(decimal))
}

// significant returns a number's digits without leading and trailing zeros.
func significant(number []byte) []byte {
	return bytes.Trim(bytes.Replace(bytes.TrimPrefix(number, []byte{'-'}), []byte{'.'}, nil, 1), "0")
}

// lossy reports whether an integer of the column does not fit a double.
func (g *guess) lossy() bool {
	const exact = 1 << 53
	return g.seen[shapeInteger] && (g.huge || g.max > exact || g.min < -exact)
}

// textType rounds the length up, to leave room for later rows of the same kind.
func (g *guess) textType() string {
	for _, n := range []int{16, 32, 64, 128, 255} {
		if g.chars <= n {
			return fmt.Sprintf("VARCHAR(%d)", n)
		}
	}
	switch {
	case g.bytes <= 1<<16-1:
		return "TEXT"
	case g.bytes <= 1<<24-1:
		return "MEDIUMTEXT"
	}
	return "LONGTEXT"
}
