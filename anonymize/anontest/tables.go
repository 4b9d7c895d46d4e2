package anontest

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// Yao is Table 1 of Yao et al. 2021, as printed.
const Yao = `
Name   Gender  Job       Age  Zipcode  Salary
Alice  F       Teacher   30   11,100   4,500
Ben    M       Engineer  33   12,200   6,000
Cary   F       Engineer  45   12,200   4,700
David  M       Teacher   42   11,100   4,500
Eric   M       Doctor    32   25,300   6,700
Frank  M       Police    44   23,200   4,000
Gina   F       Doctor    30   11,100   6,400
Henry  M       Doctor    33   12,200   6,000`

// Parse returns the table printed in text: a line of column names, then a line for each record. White space separates
// fields. Whole numbers become integers (their commas are dropped, "11,100" is 11100), NULL is NULL, everything else
// is text.
func Parse(t testing.TB, text string) *anonymize.Microdata {
	t.Helper()
	names, records := fields(t, text)
	columns := make([]*anonymize.Column, len(names))
	for i, name := range names {
		columns[i] = anonymize.NewColumn(name, "", records[i])
	}
	table, err := anonymize.NewMicrodata(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// fields returns the names and, by column, the values.
func fields(t testing.TB, text string) (names []string, values [][]anonymize.Value) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		parts := strings.Fields(line)
		if names == nil {
			names, values = parts, make([][]anonymize.Value, len(parts))
			continue
		}
		if len(parts) != len(names) {
			t.Fatalf("%q has %d fields for the columns %v", line, len(parts), names)
		}
		for i, part := range parts {
			values[i] = append(values[i], Value(part))
		}
	}
	return names, values
}

// Value reads one field.
func Value(field string) anonymize.Value {
	if field == "NULL" {
		return anonymize.NullValue
	}
	if n, err := strconv.ParseInt(strings.ReplaceAll(field, ",", ""), 10, 64); err == nil {
		return anonymize.IntegerValue(n)
	}
	return anonymize.TextValue(field)
}

// Arguments parses a method's arguments from words name=value. It skips other words, such as the method's name.
func Arguments(text string) anonymize.Arguments {
	arguments := anonymize.Arguments{}
	for _, argument := range strings.Fields(text) {
		if name, value, ok := strings.Cut(argument, "="); ok {
			arguments[name] = value
		}
	}
	return arguments
}

// NewInput calls anonymize.NewInput with the column names in qi and sa, separated by white space.
func NewInput(t testing.TB, table *anonymize.Microdata, qi, sa string, random rand.Source) *anonymize.Input {
	t.Helper()
	in, err := anonymize.NewInput(table, anonymize.Roles{
		QuasiIdentifiers: strings.Fields(qi), Sensitive: strings.Fields(sa)}, random)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// RandomTable draws an input with this many records: one to four quasi-identifiers q1, q2, ... and a sensitive
// attribute s, of various kinds and skews, with NULLs among the values and dictionary entries that no record has. The
// seed decides.
func RandomTable(rows int, seed uint64) *anonymize.Input {
	random := rand.New(rand.NewPCG(seed, uint64(rows)))
	in := &anonymize.Input{Rows: rows, Random: rand.NewPCG(seed, 1)}
	for i := range 1 + random.IntN(4) {
		in.QuasiIdentifiers = append(in.QuasiIdentifiers,
			randomColumn("q"+strconv.Itoa(i+1), rows, 1+random.IntN(6), random))
	}
	in.Sensitive = []*anonymize.Column{randomColumn("s", rows, 2+random.IntN(6), random)}
	return in
}

// WithSensitive adds sensitive attributes s2, s3, ... of various kinds and skews until the table has this many.
func WithSensitive(in *anonymize.Input, attributes int, seed uint64) *anonymize.Input {
	random := rand.New(rand.NewPCG(seed, 2))
	for n := len(in.Sensitive) + 1; n <= attributes; n++ {
		in.Sensitive = append(in.Sensitive, randomColumn(sensitiveName(n), in.Rows, 2+random.IntN(6), random))
	}
	return in
}

func sensitiveName(n int) string { return "s" + strconv.Itoa(n) }

func randomColumn(name string, rows, width int, random *rand.Rand) *anonymize.Column {
	c := &anonymize.Column{Name: name, Codes: make([]uint32, rows)}
	if random.IntN(4) == 0 {
		c.Dictionary = append(c.Dictionary, anonymize.NullValue)
	}
	numeric := random.IntN(2) == 0
	for v := len(c.Dictionary); v < width; v++ {
		if numeric {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(10*v)))
		} else {
			c.Dictionary = append(c.Dictionary, anonymize.TextValue(string(rune('a'+v))))
		}
	}
	width = len(c.Dictionary)
	skewed := random.IntN(2) == 0
	for row := range c.Codes {
		code := random.IntN(width)
		if skewed {
			code = min(code, random.IntN(width), random.IntN(width))
		}
		c.Codes[row] = uint32(code)
	}
	return c
}
