package coding

import (
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// Leaves are read as the column's type reads texts.
func TestLeavesOfTypes(t *testing.T) {
	for _, c := range []struct{ typ, text, value string }{
		{"int", "16", "16"}, {"decimal(5,2)", "1.5", "1.50"}, {"double", "1e3", "1000"}, {"date", "2020-02-01", "2020-02-01"},
		{"datetime(6)", "2020-02-01 10:00:00.5", "2020-02-01 10:00:00.5"}, {"year", "2020", "2020"}, {"varchar(9)", "a b", "a b"},
		{"enum('a','b')", "b", "b"}, {"time", "10:00:00", "36000000000"},
	} {
		typ, err := ParseType(c.typ)
		if err != nil {
			t.Fatal(err)
		}
		column := anonymize.NewColumn("c", c.typ, nil)
		v, err := NewLeafReader(New(typ), column, []string{c.text})(c.text)
		if err != nil || v.String() != c.value {
			t.Errorf("%s as %s is %v, want %s; %v", c.text, c.typ, v, c.value, err)
			continue
		}
		text, err := ValueText(typ, v)
		if err != nil {
			t.Error(err)
		}
		if again, err := NewLeafReader(New(typ), column, nil)(text); err != nil || again != v {
			t.Errorf("%s as %s is written %s and read %v; %v", c.text, c.typ, text, again, err)
		}
	}
	typ, _ := ParseType("tinyint")
	for _, text := range []string{"300", "x"} {
		if v, err := NewLeafReader(New(typ), anonymize.NewColumn("c", "tinyint", nil), nil)(text); err == nil {
			t.Errorf("%q is %v", text, v)
		}
	}
}
