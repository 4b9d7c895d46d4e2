package anonymize

import (
	"fmt"
	"slices"
	"testing"
)

func TestNewColumn(t *testing.T) {
	values := []Value{TextValue("b"), NullValue, TextValue("a"), TextValue("b")}
	c := NewColumn("c", "TEXT", values)
	if fmt.Sprint(c.Dictionary, c.Codes, c.Histogram(), c.Distinct(), c.Rows()) != "[NULL a b] [2 0 1 2] [1 1 2] 3 4" {
		t.Errorf("%+v", c)
	}
	for row, v := range values {
		if c.Value(row) != v {
			t.Errorf("row %d is %v", row, c.Value(row))
		}
	}
	unused := &Column{Dictionary: []Value{IntegerValue(1), IntegerValue(2)}, Codes: []uint32{1}}
	if unused.Distinct() != 1 {
		t.Error("an entry that no row uses is counted")
	}
}

func TestIsNumeric(t *testing.T) {
	for _, c := range []struct {
		values []Value
		want   bool
	}{
		{nil, false}, {[]Value{NullValue}, false}, {[]Value{NullValue, IntegerValue(1)}, true},
		{[]Value{IntegerValue(1), TextValue("x")}, false}, {[]Value{DecimalValue("1.5"), RealValue(2)}, true},
	} {
		if got := NewColumn("c", "", c.values).IsNumeric(); got != c.want {
			t.Errorf("%v: %v", c.values, got)
		}
	}
}

func TestMicrodata(t *testing.T) {
	a := NewColumn("Age", "INT", []Value{IntegerValue(1), IntegerValue(2)})
	b := NewColumn("b", "INT", []Value{IntegerValue(1), IntegerValue(2)})
	m, err := NewMicrodata(a, b)
	if err != nil || m.Rows != 2 || m.Column("AGE") != a || m.Column("c") != nil {
		t.Errorf("%v, %v", m, err)
	}
	if got, err := m.Select("B", "age"); err != nil || !slices.Equal(got, []*Column{b, a}) {
		t.Errorf("%v, %v", got, err)
	}
	for want, build := range map[string]func() error{
		`column "c" has 1 rows, column "Age" has 2`: func() error {
			_, err := NewMicrodata(a, NewColumn("c", "", []Value{NullValue}))
			return err
		},
		`column "age" occurs twice`: func() error {
			_, err := NewMicrodata(a, NewColumn("age", "", []Value{NullValue, NullValue}))
			return err
		},
		`there is no column "c"`: func() error {
			_, err := m.Select("age", "c")
			return err
		},
	} {
		if err := build(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
