package delimited

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize/anontest"
)

func infer(t *testing.T, text string, opts InferOptions) (*Inference, error) {
	t.Helper()
	f := CSV()
	f.TrimSpace = true
	return Infer(context.Background(), strings.NewReader(text), f, opts)
}

// TestInferTypes gives the values of one column and the type they lead to.
func TestInferTypes(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ values, want string }{
		{"1 -2 2147483647", "INT"},
		{"1 2147483648", "BIGINT"},
		{"1 1234567890123456789012", "DECIMAL(22,0)"},
		{"1 ?", "INT"},
		{"1.50 22 -3.125", "DECIMAL(5,3)"},
		{"1.5 2e3", "DOUBLE"},
		{"0.1234567890123456789 1", "DECIMAL(20,19)"},
		{"1234567890.1234567891 0.5", "DECIMAL(20,10)"},
		{"1234567890.12 0.0000000012", "DOUBLE"},
		{"1234567890123456.5 0.001", "DOUBLE"}, // a double prints these digits
		{"123.456789012345678 0.0000000000000001", "DECIMAL(19,16)"},
		{"0.30000000000000004 12.5 -0.00000000000000000000", "DOUBLE"},
		{"0.10000000000000001 12.5 0.000000000000000000", "DECIMAL(20,18)"},
		{"12345678901234567890.5 100000000000000000000000000.0", "DECIMAL(28,1)"},
		{"0.1234567890123456789 1e5", "DOUBLE"},
		{"1.1234567890123456789012345678901", "VARCHAR(64)"},
		{"1.0000000000000000000000000000000", "DOUBLE"},
		{"01234 99999", "VARCHAR(16)"},
		{"2024-02-29 1999-12-31", "DATE"},
		{"2023-02-29", "VARCHAR(16)"},
		{"31.12.2017T14:05:30.5", "DATETIME(6)"},
		{"31.12.2017T14:05.30", "VARCHAR(32)"}, // maybe half past, maybe 30 seconds
		{"2024-02-29 2024-02-29T12:30:00", "DATETIME"},
		{"2024-02-29T12:30:00.25", "DATETIME(6)"},
		{"true FALSE ?", "TINYINT(1)"},
		{"true 1", "VARCHAR(16)"},
		{"1 a", "VARCHAR(16)"},
		{"1 2024-01-01", "VARCHAR(16)"},
		{"NaN inf 0x10", "VARCHAR(16)"},
		{"ééééééééééééééééé", "VARCHAR(32)"},
		{long, "TEXT"},
		{"? ?", "VARCHAR(16)"},
		{"9007199254740993 0.5", "DECIMAL(17,1)"},
		{"900719925474099312 0.5", "DECIMAL(19,1)"},
		{"900719925474099312 1e5", "VARCHAR(32)"},
	} {
		inf, err := infer(t, "c\n"+strings.ReplaceAll(c.values, " ", "\n")+"\n", InferOptions{Nulls: NewNulls("?")})
		if err != nil {
			t.Errorf("%s: %v", c.values, err)
			continue
		}
		got := strings.TrimPrefix(strings.TrimSpace(inf.Schema()), "`c` ")
		if got != c.want {
			t.Errorf("%.40s: got %s, want %s", c.values, got, c.want)
		}
	}
}

// TestInferEmpty: an empty field is NULL among numbers, dates and booleans. Otherwise, or if it is to be kept, it is
// a text, and the column reports the type of the other values.
func TestInferEmpty(t *testing.T) {
	for _, c := range []struct {
		values, typ, ifNull string
		empty               int64
	}{
		{"1,,3", "VARCHAR(16)", "INT", 1},
		{"2024-01-01,, ", "VARCHAR(16)", "DATE", 2},
		{"true,", "VARCHAR(16)", "TINYINT(1)", 1},
		{"a,,b", "VARCHAR(16)", "", 1},
		{",", "VARCHAR(16)", "", 2},
		{"1,2", "INT", "", 0},
	} {
		text := "k,c\n0," + strings.ReplaceAll(c.values, ",", "\n0,") + "\n"
		inf, err := infer(t, text, InferOptions{})
		if got := inf.Columns[1]; err != nil || c.ifNull != "" && (got.Type != c.ifNull || !got.EmptyNull) || c.ifNull == "" && (got.Type != c.typ || got.EmptyNull) {
			t.Errorf("%s: got %+v, %v, want %s", c.values, got, err, c.ifNull)
		}
		inf, err = infer(t, text, InferOptions{KeepEmpty: true})
		if err != nil {
			t.Fatalf("%s: %v", c.values, err)
		}
		got := inf.Columns[1]
		if got.Type != c.typ || got.IfNull != c.ifNull || got.Empty != c.empty || got.Boolean {
			t.Errorf("%s: got %+v, want %+v", c.values, got, c)
		}
		inf, err = infer(t, text, InferOptions{Nulls: NewNulls("")})
		want := c.ifNull
		if want == "" {
			want = c.typ
		}
		if err != nil || inf.Columns[1].Type != want || inf.Columns[1].Empty != 0 {
			t.Errorf("%s with NULLs: got %+v (%v), want %s", c.values, inf.Columns[1], err, want)
		}
	}
}

// TestInferOdd: few short texts between other values are told, with the type of the others.
func TestInferOdd(t *testing.T) {
	for _, c := range []struct{ values, typ, ifNull, odd string }{
		{"1,NaN,3,NaN,5", "VARCHAR(16)", "INT", "NaN"},
		{"1.5,?,n/a,3,4,5", "VARCHAR(16)", "DECIMAL(2,1)", "? n/a"},
		{"2024-01-01,unknown,2024-01-02", "VARCHAR(16)", "DATE", "unknown"},
		{"1,a,b,c,d,2,3,4,5,6", "VARCHAR(16)", "", ""},
		{"a,a,1", "VARCHAR(16)", "", ""},
		{"01234,1,2,3", "VARCHAR(16)", "", ""},
	} {
		inf, err := infer(t, "k,c\n0,"+strings.ReplaceAll(c.values, ",", "\n0,")+"\n", InferOptions{})
		if err != nil {
			t.Fatalf("%s: %v", c.values, err)
		}
		var odd []string
		for _, o := range inf.Columns[1].Odd {
			odd = append(odd, o.Text)
		}
		if got := inf.Columns[1]; got.Type != c.typ || got.IfNull != c.ifNull || strings.Join(odd, " ") != c.odd {
			t.Errorf("%s: got %+v, want %+v", c.values, got, c)
		}
	}
	inf, err := infer(t, "k,c\n\"01\",\"1\"\n2,2\n", InferOptions{TypedTexts: true})
	if err != nil || inf.Columns[1].Type != "VARCHAR(16)" {
		t.Errorf("an enclosed text: %+v, %v", inf, err)
	}
}

func TestInferHeader(t *testing.T) {
	inf, err := infer(t, "Education-num, hours.per week ,a`b\n1,2,3\n", InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := inf.Columns[0].Name + " " + inf.Columns[1].Name + " " + inf.Columns[2].Name; got != "Education_num hours_per_week a_b" {
		t.Errorf("got %q", got)
	}
	inf, err = infer(t, "1,x\n2,y\n", InferOptions{NoHeader: true})
	if err != nil || inf.Rows != 2 || inf.Columns[1].Name != "column_2" || inf.Columns[0].Type != "INT" {
		t.Errorf("got %+v, %v", inf, err)
	}
	for text, want := range map[string]string{
		"":             "there is no header",
		"a,,c\n":       "column 2 has no usable name",
		"a-b,A b\n1,2": "columns 1 (\"a-b\") and 2 (\"A b\") would both be named",
		"a,b\n1\n":     "row 1 (line 2): expected 2 fields, found 1",
	} {
		if _, err := infer(t, text, InferOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	if _, err := infer(t, "", InferOptions{NoHeader: true}); err == nil {
		t.Error("an empty text without header must be an error")
	}
}

func TestNulls(t *testing.T) {
	n := NewNulls("?", "")
	for _, c := range []struct {
		field Field
		want  bool
	}{
		{Field{Bytes: []byte(" ? ")}, true},
		{Field{Bytes: []byte("? "), Enclosed: true}, false},
		{Field{Bytes: nil}, true},
		{Field{Null: true}, true},
		{Field{Bytes: []byte("x")}, false},
	} {
		if n.Is(c.field) != c.want {
			t.Errorf("%+v: want %v", c.field, c.want)
		}
	}
}

func TestInferAdult(t *testing.T) {
	file, err := os.Open(anontest.AdultPath(t))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	inf, err := Infer(context.Background(), file, CSV(), InferOptions{Nulls: NewNulls("?", "")})
	if err != nil {
		t.Fatal(err)
	}
	if inf.Rows != 48842 || len(inf.Columns) != 15 {
		t.Errorf("got %d rows, %d columns", inf.Rows, len(inf.Columns))
	}
	for i, want := range map[int]string{0: "INT", 2: "INT", 6: "VARCHAR(32)", 14: "VARCHAR(16)"} {
		if inf.Columns[i].Type != want {
			t.Errorf("%s is %s, want %s", inf.Columns[i].Name, inf.Columns[i].Type, want)
		}
	}
}
