package delimited

import (
	"strings"
	"testing"
)

// TestDecimalSigns: the owner's decimal sign applies to every ambiguous column; a column names its other possible reading.
func TestDecimalSigns(t *testing.T) {
	for _, c := range []struct {
		values  string
		decimal Notation
		want    string // type, and values as SQL has them
		doubt   Doubt
	}{
		{"1.234|987|12.500", DecimalComma, "DECIMAL(5,0) 1234|987|12500", NoDoubt},
		{"1.234|987|12.500", AsSQL, "DECIMAL(6,3) 1.234|987|12.500", Thousands},
		{"1.234|987|12.500", DecimalPoint, "DECIMAL(6,3) 1.234|987|12.500", NoDoubt},
		{"1.234|987|1.234.567", DecimalComma, "DECIMAL(7,0) 1234|987|1234567", NoDoubt},
		{"1.234|987|1.234.567", AsSQL, "VARCHAR(16) 1.234|987|1.234.567", PointGroups},
		{"1.234|987|1.234.567", DecimalPoint, "VARCHAR(16) 1.234|987|1.234.567", PointGroups},
		{"-1.234|12,5", DecimalComma, "DECIMAL(5,1) -1234|12.5", NoDoubt},
		{"1.234|1,234", DecimalComma, "DECIMAL(7,3) 1234|1.234", NoDoubt},
		{"1.234|1,234", AsSQL, "VARCHAR(16) 1.234|1,234", CommaGroups},
		{"1.234|1,234", DecimalPoint, "DECIMAL(7,3) 1.234|1234", NoDoubt},
		{"1.234|1,234.50", DecimalComma, "DECIMAL(7,3) 1.234|1234.50", NoDoubt},
		{"1,234|1,234,567", DecimalComma, "VARCHAR(16) 1,234|1,234,567", PointGroups},
		{"1,234|1,234,567", DecimalPoint, "DECIMAL(7,0) 1234|1234567", NoDoubt},
		{"1.234|2.5", DecimalComma, "DECIMAL(4,3) 1.234|2.5", NoDoubt},
		{"1.234|0.500", DecimalComma, "DECIMAL(4,3) 1.234|0.500", NoDoubt},
		{"1.234|-0.500", AsSQL, "DECIMAL(4,3) 1.234|-0.500", NoDoubt},
		{"1.234|1234.500", AsSQL, "DECIMAL(7,3) 1.234|1234.500", NoDoubt},
		{"12|345", DecimalComma, "INT 12|345", NoDoubt},
		{"1234567890123456,5|1.234", DecimalComma, "DECIMAL(17,1) 1234567890123456.5|1234", NoDoubt},
		{"1,1234567890123456789012345678901", AsSQL, "VARCHAR(64) 1,1234567890123456789012345678901", LongNumbers},
	} {
		inf, err := infer(t, "\"c\"\n\""+strings.ReplaceAll(c.values, "|", "\"\n\"")+"\"\n", InferOptions{Decimal: c.decimal})
		if err != nil {
			t.Fatalf("%s: %v", c.values, err)
		}
		var written []string
		for value := range strings.SplitSeq(c.values, "|") {
			written = append(written, string(inf.Columns[0].Notation.Rewrite(nil, []byte(value))))
		}
		if got := inf.Columns[0].Type + " " + strings.Join(written, "|"); got != c.want || inf.Columns[0].Doubt != c.doubt {
			t.Errorf("%s, %d: %s, doubt %d, want %s, doubt %d", c.values, c.decimal, got, inf.Columns[0].Doubt, c.want, c.doubt)
		}
	}
}

// TestTypedNumbers: numbers of a workbook have a decimal point, whatever the owner's sign for texts.
func TestTypedNumbers(t *testing.T) {
	for _, decimal := range []Notation{AsSQL, DecimalComma} {
		inf, err := infer(t, "c\n1.234\n12.500\n", InferOptions{Decimal: decimal, TypedTexts: true})
		if err != nil || inf.Columns[0].Notation != AsSQL || inf.Columns[0].Doubt != NoDoubt || inf.Columns[0].Type != "DECIMAL(5,3)" {
			t.Errorf("%d: %+v, %v", decimal, inf.Columns, err)
		}
	}
}
