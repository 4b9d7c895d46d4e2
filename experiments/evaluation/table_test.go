package evaluation

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

func TestReadTable(t *testing.T) {
	source, err := ReadTable(t.Context(), strings.NewReader(`age, marital-status,zip,score,id
39, Never-married,01234,1.5,0
?, Divorced,10000,2,1
51, ,10000,2,1
17, "Divorced, twice",10000,-2,12
`))
	if err != nil {
		t.Fatal(err)
	}
	if source.Table.Rows != 2 || source.Incomplete != 2 {
		t.Errorf("%d records, %d incomplete", source.Table.Rows, source.Incomplete)
	}
	for name, want := range map[string]string{
		"age":            fmt.Sprint([]anonymize.Value{anonymize.IntegerValue(39), anonymize.IntegerValue(17)}),
		"marital_status": "[Never-married Divorced, twice]",
		"zip":            fmt.Sprint([]anonymize.Value{anonymize.TextValue("01234"), anonymize.TextValue("10000")}),
		"score":          fmt.Sprint([]anonymize.Value{anonymize.RealValue(1.5), anonymize.RealValue(-2)}),
		"id":             fmt.Sprint([]anonymize.Value{anonymize.IntegerValue(0), anonymize.IntegerValue(12)}),
	} {
		c := source.Table.Column(name)
		if c == nil {
			t.Errorf("there is no column %s", name)
			continue
		}
		if got := fmt.Sprint([]anonymize.Value{c.Value(0), c.Value(1)}); got != want {
			t.Errorf("%s is %s, not %s", name, got, want)
		}
		if numeric := name == "age" || name == "score" || name == "id"; c.IsNumeric() != numeric {
			t.Errorf("%s is of numbers: %v", name, c.IsNumeric())
		}
	}
}

// UCI's files have no header, blanks after commas, and full stops in the test
// part.
func TestReadAdultAsDistributed(t *testing.T) {
	source, err := ReadTable(t.Context(), strings.NewReader(`39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, United-States, <=50K
54, ?, 180211, Some-college, 10, Married-civ-spouse, ?, Husband, Asian-Pac-Islander, Male, 0, 0, 60, South, >50K
25, Private, 226802, 11th, 7, Never-married, Machine-op-inspct, Own-child, Black, Male, 0, 0, 40, United-States, <=50K.
`))
	if err != nil {
		t.Fatal(err)
	}
	if source.Table.Rows != 2 || source.Incomplete != 1 || !source.Table.Column("age").IsNumeric() ||
		source.Table.Column("occupation").Value(1).Text != "Machine-op-inspct" || source.Table.Column("income").Distinct() != 1 {
		t.Errorf("%d records, %d incomplete, %v", source.Table.Rows, source.Incomplete, source.Table.Column("income").Dictionary)
	}
}

func TestReadTableRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "the text is empty",
		"a,b\n?,1\n":        "no complete record (1 with an empty field",
		"a,b\n1\n":          "expected 2 fields, found 1",
		"a,a\n1,2\n":        "would both be named",
		"a,b\n1,\"2\n":      "row 1",
		"a,b\n1,\xff\xfe\n": "not valid UTF-8",
	} {
		if _, err := ReadTable(t.Context(), strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadTable(ctx, strings.NewReader("a\n"+strings.Repeat("1\n", 10_000))); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
