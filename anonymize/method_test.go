package anonymize

import (
	"errors"
	"math/rand/v2"
	"testing"
)

func TestNewInput(t *testing.T) {
	column := func(name string, n int) *Column { return NewColumn(name, "", make([]Value, n)) }
	table, err := NewMicrodata(column("Age", 2), column("sex", 2), column("pay", 2))
	if err != nil {
		t.Fatal(err)
	}
	empty, err := NewMicrodata(column("Age", 0), column("pay", 0))
	if err != nil {
		t.Fatal(err)
	}
	in, err := NewInput(table, Roles{[]string{"sex", "AGE"}, []string{"pay"}}, rand.NewPCG(1, 1))
	if err != nil || in.Rows != 2 || in.QuasiIdentifiers[1].Name != "Age" || in.Sensitive[0].Name != "pay" || in.Random == nil {
		t.Errorf("%+v, %v", in, err)
	}
	in.Report("phase", 1, 2) // nobody listens
	var heard string
	in.Progress = func(phase string, _, _ int) { heard = phase }
	if in.Report("phase", 1, 2); heard != "phase" {
		t.Error("progress was not passed on")
	}
	for _, c := range []struct {
		table *Microdata
		roles Roles
		want  string
	}{
		{table, Roles{[]string{"age"}, nil}, "no sensitive attribute is given: say sa=column"},
		{table, Roles{nil, []string{"pay"}}, "no quasi-identifier is given: say qi=column,column,..."},
		{table, Roles{[]string{"age", "zip"}, []string{"pay"}}, `qi: there is no column "zip"`},
		{table, Roles{[]string{"age"}, []string{"salary"}}, `sa: there is no column "salary"`},
		{table, Roles{[]string{"age", "Pay"}, []string{"pay"}}, `column "pay" is named as sa and as qi`},
		{table, Roles{[]string{"age", "age"}, []string{"pay"}}, `column "Age" is named as qi and as qi`},
		{empty, Roles{[]string{"age"}, []string{"pay"}}, "the table is empty"},
	} {
		_, err := NewInput(c.table, c.roles, nil)
		var data *DataError
		if !errors.As(err, &data) || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestResolve(t *testing.T) {
	m := Method{Name: "m", Parameters: []Parameter{
		{Name: "l", Form: WholeForm(2, 9, "auto"), Doc: "diversity"}, {Name: "t", Default: "1", Form: Share(true)}, {Name: "weight", Default: "0", Form: Number(100)}, {Name: "order", Default: "up", Choices: []string{"up", "down"}}}}
	got, err := m.Resolve(Arguments{"l": "3"})
	if err != nil || len(got) != 4 || got["l"] != "3" || got["order"] != "up" {
		t.Errorf("%v, %v", got, err)
	}
	for want, given := range map[string]Arguments{
		"l is missing, method m needs it: diversity":               {"order": "up"},
		"order is 'sideways', must be one of up, down":             {"l": "3", "order": "sideways"},
		"k is unknown, method m has l, t, weight, order":           {"l": "3", "k": "3"},
		"l is 'five', must be a whole number from 2 to 9, or auto": {"l": "five"},
		"l is '1', must be a whole number from 2 to 9, or auto":    {"l": "1"},
		"t is 2, must be between 0 and 1":                          {"l": "auto", "t": "2"},
		"weight is '101', must be a number from 0 to 100":          {"l": "3", "weight": "101"},
	} {
		_, err := m.Resolve(given)
		var parameter *ParameterError
		if !errors.As(err, &parameter) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestArguments(t *testing.T) {
	a := Arguments{"half": "1/2", "zero": "0", "two": "2", "text": "x", "n": " 7 "}
	if r, err := a.Ratio("half", false); err != nil || r != (Ratio{1, 2}) {
		t.Error(r, err)
	}
	if r, err := a.Ratio("zero", true); err != nil || r.Num != 0 {
		t.Error(r, err)
	}
	if n, err := a.Integer("n", 1, 7); err != nil || n != 7 {
		t.Error(n, err)
	}
	for want, read := range map[string]func() error{
		"zero is 0, must be above 0 and at most 1":          func() error { _, err := a.Ratio("zero", false); return err },
		"two is 2, must be above 0 and at most 1":           func() error { _, err := a.Ratio("two", false); return err },
		"two is 2, must be between 0 and 1":                 func() error { _, err := a.Ratio("two", true); return err },
		"text is 'x', must be a number such as 0.05 or 1/3": func() error { _, err := a.Ratio("text", false); return err },
		"text is 'x', must be a whole number":               func() error { _, err := a.Integer("text", 1, 2); return err },
		"two is 2, must be between 3 and 4":                 func() error { _, err := a.Integer("two", 3, 4); return err },
	} {
		if err := read(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestInfeasibleError(t *testing.T) {
	e := &InfeasibleError{Parameter: "beta", Given: MustRatio("0.05"), Obstacle: "x is 9 of 10 records"}
	if got := e.Error(); got != "beta = 0.05 cannot be met: x is 9 of 10 records" {
		t.Error(got)
	}
	e.Smallest = MustRatio("0.9")
	if got := e.Error(); got != "beta = 0.05 cannot be met: x is 9 of 10 records; the smallest feasible beta is 0.9" {
		t.Error(got)
	}
}
