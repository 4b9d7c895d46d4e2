package delimited

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzInfer: every value of a text that is accepted fits the type that its column
// got, by rules that are written here once more; a column is nullable where it
// has a NULL; names are usable.
func FuzzInfer(f *testing.F) {
	for _, s := range []string{
		"a,b\n1,2\n", "a\n007\n8\n", "a,b\n-1.5,2024-02-29\n.5,1000-01-01 00:00:00\n", "x\ntrue\nFALSE\n", "x\n2024-02-29T12:30:00.25\n",
		"a,a\n1,2\n", "n\n9223372036854775808\n-0\n", "n\n1e308\n12.\n", "n\n?\n\n1\n", "a b,\"c,d\"\n\"x\"\" y\",\n", "n\n9007199254740993\n0.5\n",
		"n\n" + strings.Repeat("9", 65) + "\n", "é\n" + strings.Repeat("é", 256) + "\n", "d\n2023-02-29\n",
		"n\n\"12,5\"\n\"1,234,567\"\n", "n\n1.234\n1.234.567\n", "n\n123456789012345.6789\n.5\n",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, noHeader bool) {
		format := with(CSV(), func(f *Format) { f.TrimSpace = true })
		for _, decimal := range []Notation{AsSQL, DecimalComma, DecimalPoint} {
			checkInferred(t, text, format, InferOptions{Nulls: NewNulls("?"), NoHeader: noHeader, Decimal: decimal})
		}
	})
}

func checkInferred(t *testing.T, text string, format Format, options InferOptions) {
	inf, err := Infer(context.Background(), strings.NewReader(text), format, options)
	if err != nil {
		return
	}
	checkNames(t, inf.Columns)
	r, err := NewReader(strings.NewReader(text), format)
	if err != nil {
		t.Fatal(err)
	}
	if !options.NoHeader {
		if _, err := r.Header(); err != nil {
			t.Fatal(err)
		}
		r.Columns = len(inf.Columns)
	}
	rows := int64(0)
	for {
		fields, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%q was inferred, and cannot be read: %v", text, err)
		}
		rows++
		for i, field := range fields {
			c := inf.Columns[i]
			if options.Nulls.Is(field) || c.EmptyNull && len(Trim(field.Bytes)) == 0 {
				continue
			}
			value := field.Bytes
			if c.Notation != AsSQL {
				value = c.Notation.Rewrite(nil, Trim(value))
			}
			if problem := misfit(c.Type, string(value)); problem != "" {
				t.Errorf("%q: %q in a column %s: %s", text, field.Bytes, c.Type, problem)
			}
		}
	}
	if rows != inf.Rows {
		t.Errorf("%q: %d rows, then %d", text, inf.Rows, rows)
	}
}

func checkNames(t *testing.T, columns []Column) {
	t.Helper()
	seen := make(map[string]bool)
	for _, c := range columns {
		lower := strings.ToLower(c.Name)
		if c.Name == "" || seen[lower] || utf8.RuneCountInString(c.Name) > 64 || !utf8.ValidString(c.Name) {
			t.Errorf("header %q became the name %q", c.Header, c.Name)
		}
		seen[lower] = true
	}
}

// misfit returns why a value does not fit a type, "" if it fits.
func misfit(typ, value string) string {
	trimmed := strings.Trim(value, " \t")
	name, sizes, _ := strings.Cut(strings.TrimSuffix(typ, ")"), "(")
	switch name {
	case "INT", "BIGINT":
		if _, err := strconv.ParseInt(trimmed, 10, map[string]int{"INT": 32, "BIGINT": 64}[name]); err != nil {
			return err.Error()
		}
	case "DECIMAL":
		return misfitDecimal(sizes, trimmed)
	case "DOUBLE":
		x, err := strconv.ParseFloat(trimmed, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return fmt.Sprint("it is no number: ", err)
		}
		if exact, ok := new(big.Int).SetString(trimmed, 10); ok {
			if back, _ := big.NewFloat(x).Int(nil); back.Cmp(exact) != 0 {
				return "a whole number loses digits"
			}
		}
	case "DATE", "DATETIME":
		for _, layout := range []string{"2006-01-02", "2006-01-02 15:04:05.999999", "2006-01-02T15:04:05.999999"} {
			at, err := time.Parse(layout, trimmed)
			if err == nil && (name == "DATETIME" || at.Equal(at.Truncate(24*time.Hour))) && (sizes == "6" || at.Nanosecond() == 0) {
				return ""
			}
		}
		return "it is no such date"
	case "TINYINT":
		if lower := strings.ToLower(trimmed); lower != "true" && lower != "false" {
			return "it is not true or false"
		}
	case "VARCHAR":
		if n, err := strconv.Atoi(sizes); err != nil || utf8.RuneCountInString(value) > n {
			return "it is too long"
		}
	case "TEXT", "MEDIUMTEXT", "LONGTEXT":
		if len(value) > map[string]int{"TEXT": 1<<16 - 1, "MEDIUMTEXT": 1<<24 - 1, "LONGTEXT": 1<<32 - 1}[name] {
			return "it is too long"
		}
	default:
		return "nobody knows the type"
	}
	return ""
}

func misfitDecimal(sizes, value string) string {
	var digits, scale int
	if _, err := fmt.Sscanf(sizes, "%d,%d", &digits, &scale); err != nil || digits < 1 || digits > 65 || scale < 0 || scale > 30 || scale > digits {
		return "the type has no such sizes"
	}
	x, ok := new(big.Rat).SetString(value)
	if !ok || strings.ContainsAny(value, "eE/_") {
		return "it is no decimal"
	}
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits-scale)), nil)
	if x.Num().CmpAbs(new(big.Int).Mul(limit, x.Denom())) >= 0 {
		return "it has too many digits before the point"
	}
	if _, fraction, _ := strings.Cut(value, "."); len(fraction) > scale {
		return "it has too many digits after the point"
	}
	return ""
}
