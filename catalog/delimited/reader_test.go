package delimited

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

const null = "\x00NULL"

// readAll reads every record, NULL as the constant null.
func readAll(text string, f Format, set func(*Reader)) ([][]string, error) {
	r, err := NewReader(strings.NewReader(text), f)
	if err != nil {
		return nil, err
	}
	if set != nil {
		set(r)
	}
	var all [][]string
	for {
		fields, err := r.Read()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		row := make([]string, len(fields))
		for i, f := range fields {
			row[i] = string(f.Bytes)
			if f.Null {
				row[i] = null
			}
		}
		all = append(all, row)
	}
}

func quotedFormat() Format {
	f := loadDefault()
	f.FieldsTerminatedBy, f.EnclosedBy, f.NullWord = ",", '"', true
	return f
}

func with(f Format, change func(*Format)) Format {
	change(&f)
	return f
}

// TestReaderGrammar walks through the clauses of LOAD DATA.
func TestReaderGrammar(t *testing.T) {
	spaced := with(CSV(), func(f *Format) { f.TrimSpace = true })
	multi := with(quotedFormat(), func(f *Format) { f.FieldsTerminatedBy, f.LinesTerminatedBy = "||", "##\n" })
	starting := with(quotedFormat(), func(f *Format) { f.LinesStartingBy = "xxx" })
	bare := with(loadDefault(), func(f *Format) { f.EscapedBy = 0 })
	for _, c := range []struct {
		name, text string
		format     Format
		want       [][]string
	}{
		{"default", "1\ta b\n2\t\n", loadDefault(), [][]string{{"1", "a b"}, {"2", ""}}},
		{"no last terminator", "1\t2", loadDefault(), [][]string{{"1", "2"}}},
		{"null", "\\N\tN\n\\\\N\t\\Nx\n", loadDefault(), [][]string{{null, "N"}, {"\\N", "Nx"}}},
		{"escapes", `\0\b\n\r\t\Z\\\q` + "\ta\n", loadDefault(), [][]string{{"\x00\b\n\r\t\x1a\\q", "a"}}},
		{"escaped terminators", "a\\\tb\tc\\\nd\n", loadDefault(), [][]string{{"a\tb", "c\nd"}}},
		{"no escapes", "a\\\tb\n", bare, [][]string{{"a\\", "b"}}},
		{"optionally enclosed", "1,\"a,b\",x\n2,c,\"\"\n", quotedFormat(), [][]string{{"1", "a,b", "x"}, {"2", "c", ""}}},
		{"doubled", `"a""b",""""` + "\n", quotedFormat(), [][]string{{`a"b`, `"`}}},
		{"escaped quote", `"a\"b",c` + "\n", quotedFormat(), [][]string{{`a"b`, "c"}}},
		{"quote goes on", `"a"b","c"` + "\n", quotedFormat(), [][]string{{`a"b`, "c"}}},
		{"quote inside", `a"b,c` + "\n", quotedFormat(), [][]string{{`a"b`, "c"}}},
		{"lines inside", "\"a\nb\r\nc\",d\n", quotedFormat(), [][]string{{"a\nb\r\nc", "d"}}},
		{"null word", "NULL,\"NULL\",null\n", quotedFormat(), [][]string{{null, "NULL", "null"}}},
		{"multi", "a|b||\"c||d\"##\ne##||f##\n", multi, [][]string{{"a|b", "c||d"}, {"e##", "f"}}},
		{"starting by", "xxx\"abc\",1\nsomething xxx\"def\",2\n\"ghi\",3\n", starting, [][]string{{"abc", "1"}, {"def", "2"}}},
		{"crlf", "a,b\r\n\"c\",\"d\"\r\n", quotedFormat(), [][]string{{"a", "b"}, {"c", "d"}}},
		{"crlf at end", "a,b\r\nc,\"d\"\r", quotedFormat(), [][]string{{"a", "b"}, {"c", "d"}}},
		{"blank lines", "a,b\n\n\r\nc,d\n\n", quotedFormat(), [][]string{{"a", "b"}, {"c", "d"}}},
		{"byte order mark", "\xEF\xBB\xBFa,b\n", CSV(), [][]string{{"a", "b"}}},
		{"adult spaces", "39, State-gov, \"a, b\" , 77516 \n", with(spaced, func(f *Format) { f.StrictQuotes = false }),
			[][]string{{"39", "State-gov", "a, b\" , 77516 \n"}}},
		{"adult", "39, State-gov,\t\"a, b\",77516 \r\n", spaced, [][]string{{"39", "State-gov", "a, b", "77516"}}},
		{"empty", "", CSV(), nil},
		{"utf-8", "é,\"日本\"\n", CSV(), [][]string{{"é", "日本"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readAll(c.text, c.format, nil)
			if c.name == "adult spaces" { // nothing may follow a closing quote but a terminator
				if err == nil {
					t.Fatalf("got %q, want an error", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestReaderErrors checks the reported position of each broken record.
func TestReaderErrors(t *testing.T) {
	long := strings.Repeat("x", MaxField+2*bufferSize)
	for _, c := range []struct {
		name, text, want string
		kind             Kind
	}{
		{"too few", "a,b\n\"x\ny\",2\n3\n", "row 3 (line 4): expected 2 fields, found 1", Ragged},
		{"too many", "a,b\n1,2,3\n", "row 2 (line 2): expected 2 fields, found 3", Ragged},
		{"far too many", "a,b\n" + strings.Repeat(",", 2*maxFields), "row 2 (line 2): expected 2 fields, found more than 4096", Ragged},
		{"far too many at once", strings.Repeat(",", 2*maxFields), "row 1 (line 1): expected at most 4096 fields, found more than 4096", Ragged},
		{"utf-8", "a,b\n1,ab\xffc\n", "row 2 (line 2), column 2 (second): not valid UTF-8: byte 0xFF at position 3", Encoding},
		{"unclosed", "a,b\n1,\"ab\n\n", "row 2 (line 2), column 2 (second): the enclosed field never ends", Unclosed},
		{"stray", "a,b\n\"1\"x,2\n", "row 2 (line 2), column 1 (first): there is text after the closing quote (a quote inside a quoted field is written twice)", Quoting},
		{"long", "a,b\n" + long + ",1", "row 2 (line 2), column 1 (first): the field is longer than 67108864 bytes", TooLong},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readAll(c.text, CSV(), func(r *Reader) { r.Names = []string{"first", "second"} })
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want an *Error", err)
			}
			if e.Error() != c.want || e.Kind != c.kind {
				t.Errorf("got  %q (kind %d)\nwant %q (kind %d)", e, e.Kind, c.want, c.kind)
			}
		})
	}
}

func TestReaderRefusesFormats(t *testing.T) {
	for want, change := range map[string]func(*Format){
		"fixed-width":           func(f *Format) { f.FieldsTerminatedBy = "" },
		"line terminator":       func(f *Format) { f.LinesTerminatedBy = "" },
		"both terminated":       func(f *Format) { f.LinesTerminatedBy = "," },
		"enclosed and termin":   func(f *Format) { f.EnclosedBy = ',' },
		"enclosed and lines":    func(f *Format) { f.EnclosedBy = '\n' },
		"start with and are te": func(f *Format) { f.LinesStartingBy = "\n" },
		"longer than 64 bytes":  func(f *Format) { f.FieldsTerminatedBy = strings.Repeat("x", maxTerminator+1) },
	} {
		if _, err := NewReader(nil, with(CSV(), change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func TestReaderSkip(t *testing.T) {
	got, err := readAll("one\n\"two\nthree\",3\n", CSV(), func(r *Reader) {
		if err := r.Skip(1); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil || fmt.Sprint(got) != "[[two\nthree 3]]" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err = readAll("a\nb\n", CSV(), func(r *Reader) { r.Skip(9) }); err != nil || got != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestReaderSourceError: an error of the source is returned.
func TestReaderSourceError(t *testing.T) {
	r, err := NewReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("a,b\nc,d\n"))), CSV())
	if err != nil {
		t.Fatal(err)
	}
	if _, err = r.Read(); err != iotest.ErrTimeout {
		t.Errorf("got %v", err)
	}
}

// write is the obvious writer of a format: the oracle of the round trip.
func write(rows [][]string, f Format, rng *rand.Rand) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(f.LinesStartingBy)
		for i, v := range row {
			if i > 0 {
				b.WriteString(f.FieldsTerminatedBy)
			}
			enclosed := f.EnclosedBy != 0 && rng.IntN(2) == 0
			if v == null {
				b.WriteString(string(f.EscapedBy) + "N")
				continue
			}
			if enclosed {
				b.WriteByte(f.EnclosedBy)
			}
			for j := 0; j < len(v); j++ {
				c := v[j]
				switch {
				case c == f.EscapedBy, c == f.EnclosedBy && f.EnclosedBy != 0 && (!enclosed || rng.IntN(2) == 0):
					b.WriteByte(f.EscapedBy)
				case c == f.EnclosedBy && enclosed:
					b.WriteByte(c)
				case !enclosed && (c == f.FieldsTerminatedBy[0] || c == f.LinesTerminatedBy[0] || c == '\r'):
					b.WriteByte(f.EscapedBy)
				}
				b.WriteByte(c)
			}
			if enclosed {
				b.WriteByte(f.EnclosedBy)
			}
		}
		b.WriteString(f.LinesTerminatedBy)
	}
	return b.String()
}

// TestReaderRoundTrip reads the output of a straightforward writer, in random formats, whole and byte by byte.
func TestReaderRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "b", ",", "\t", "\"", "'", "\\", "\n", "\r", "|", "x", "é", " ", "0"}
	pick := func(options ...string) string { return options[rng.IntN(len(options))] }
	for n := 0; n < 3000; n++ {
		f := Format{
			FieldsTerminatedBy: pick(",", "\t", "||", ",;"), EscapedBy: '\\',
			EnclosedBy: pick("\"", "'", "\x00")[0], LinesTerminatedBy: pick("\n", "\r\n", "##"),
			LinesStartingBy: pick("", "", ">>>"),
		}
		columns := 1 + rng.IntN(4)
		rows := make([][]string, rng.IntN(6))
		for i := range rows {
			rows[i] = make([]string, columns)
			for j := range rows[i] {
				for k := rng.IntN(6); k > 0; k-- {
					rows[i][j] += pick(alphabet...)
				}
				if rng.IntN(8) == 0 {
					rows[i][j] = null
				}
			}
		}
		text := write(rows, f, rng)
		got, err := readAll(text, f, func(r *Reader) {
			r.Columns = columns
			if n%2 == 0 {
				r.src = iotest.OneByteReader(r.src)
			}
		})
		if err != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", rows) {
			t.Fatalf("format %+v, text %q\ngot  %q, %v\nwant %q", f, text, got, err, rows)
		}
	}
}

// FuzzReader compares with encoding/csv: rectangles that it reads must be equal. encoding/csv drops \r before \n
// inside quotes, which we keep, ignores encodings, and drops every empty line.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		"a,b\n1,2\n", "\"a\nb\",\"c\"\"d\"\n", "a,\"b", "a\"b,c\n", "\n\n", "a,b\r\nc,d\r\n", "\xff,1\n",
		"\"a\" ,b\n", ",\n,\n", "\"\",\"\"", "a\n\"\"\nb\n", "\xEF\xBB\xBFa,b\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []Format{CSV(), loadDefault(), quotedFormat(), with(CSV(), func(f *Format) { f.TrimSpace = true })} {
			_, _ = readAll(text, format, nil) // must not panic
		}
		if strings.Contains(text, "\r") || strings.HasPrefix(text, "\xEF\xBB\xBF") {
			return
		}
		oracle := csv.NewReader(strings.NewReader(text))
		want, err := oracle.ReadAll()
		got, gotErr := readAll(text, CSV(), nil)
		if err != nil {
			return
		}
		var e *Error
		if errors.As(gotErr, &e) && e.Kind == Encoding {
			return
		}
		if len(want) > 0 && len(want[0]) == 1 && strings.Contains(text, "\n\n") {
			return // with one column an empty line is a record here
		}
		if gotErr != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("text %q\ngot  %q, %v\nwant %q", text, got, gotErr, want)
		}
	})
}

// TestReaderAgainstCSV reads what encoding/csv wrote.
func TestReaderAgainstCSV(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const alphabet = "ab ,\"\n\r'\\;0"
	for n := 0; n < 2000; n++ {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		rows := make([][]string, 1+rng.IntN(5))
		for i := range rows {
			rows[i] = make([]string, 2)
			for j := range rows[i] {
				for k := rng.IntN(8); k > 0; k-- {
					rows[i][j] += string(alphabet[rng.IntN(len(alphabet))])
				}
			}
			if err := w.Write(rows[i]); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		text := b.String()
		got, err := readAll(text, CSV(), nil)
		if err != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", rows) {
			t.Fatalf("text %q\ngot  %q, %v\nwant %q", text, got, err, rows)
		}
	}
}

// loadDefault is what LOAD DATA reads without FIELDS and LINES clauses: tabs,
// backslash escapes, \N for NULL.
func loadDefault() Format {
	return Format{
		FieldsTerminatedBy: "\t",
		EscapedBy:          '\\',
		LinesTerminatedBy:  "\n",
	}
}
