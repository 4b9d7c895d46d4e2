package dialect_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/engine/dialect"
)

// TestDialects compares the texts of both dialects with testdata/dialects.test.
func TestDialects(t *testing.T) {
	datadriven.RunTest(t, "testdata/dialects.test", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		for _, of := range []*dialect.Dialect{dialect.Trino, dialect.Spark} {
			for _, line := range strings.Split(d.Input, "\n") {
				fmt.Fprintf(&out, "%s: %s\n", of, written(t, of, d, line))
			}
		}
		return out.String()
	})
}

// written returns a dialect's text for a line of input.
func written(t *testing.T, of *dialect.Dialect, d *datadriven.TestData, line string) string {
	switch d.Cmd {
	case "name":
		return of.Name(strings.Split(line, " / ")...)
	case "text":
		return of.Text(line)
	case "number":
		text, ok := of.Number(line)
		if !ok {
			return "refused"
		}
		return text
	case "double":
		v, err := strconv.ParseFloat(line, 64)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		return of.Double(v)
	case "value":
		typ, digits, _ := strings.Cut(line, " / ")
		v, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		text, _ := of.Value(typ, anonymize.RealValue(v))
		return text
	case "moment":
		v, err := time.Parse(time.RFC3339Nano, line)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		return of.Date(v) + " " + of.Timestamp(v)
	case "constants":
		return of.Null() + " " + of.Boolean(true) + " " + of.Boolean(false)
	case "hash":
		return of.HashText(line, "k.key")
	case "lookup":
		return of.Lookup(line, []string{of.Text("it's"), of.Text("b")}, []string{"0", "1"})
	case "digest":
		text := of.Row(strings.Split(line, " / ")...)
		return text + "\n       " + of.SumOfDigests(of.Digest("t"), 8, "n")
	case "cast":
		var casts []string
		for _, to := range []dialect.Type{dialect.Text, dialect.BigInt, dialect.Double, dialect.Date, dialect.Timestamp} {
			casts = append(casts, of.Cast(line, to))
		}
		return strings.Join(append(casts, of.CastDecimal(line, 38, 2)), " ")
	case "table":
		properties := []dialect.Property{{Name: "format", Value: "PARQUET"}, {Name: "sorted_by", Values: []string{"gid", "it's"}}}
		return of.CreateTableAs(of.Name("c", "s", "t"), "", nil, line) + "\n       " + of.CreateTableAs(of.Name("t"), "it's", properties, line)
	}
	d.Fatalf(t, "unknown command")
	return ""
}

// TestDoublesKeepTheirDigits: a literal is read as the number that it was written of.
func TestDoublesKeepTheirDigits(t *testing.T) {
	for _, v := range []float64{0, 0.1, -1.0 / 3, math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 53} {
		if got, err := strconv.ParseFloat(dialect.Trino.Double(v), 64); err != nil || got != v {
			t.Errorf("%v is written as %v, %v", v, got, err)
		}
	}
}
