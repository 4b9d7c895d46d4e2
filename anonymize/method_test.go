package anonymize

import (
	"errors"
	"math/rand/v2"
	"slices"
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
	in, err := NewInput(table, Roles{QuasiIdentifiers: []string{"sex", "AGE"}, Sensitive: []string{"pay"}}, rand.NewPCG(1, 1))
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
		{table, Roles{QuasiIdentifiers: nil, Sensitive: []string{"pay"}}, "no quasi-identifier is given: say qi=column,column,..."},
		{table, Roles{QuasiIdentifiers: []string{"age", "zip"}, Sensitive: []string{"pay"}}, `qi: there is no column "zip"`},
		{table, Roles{QuasiIdentifiers: []string{"age"}, Sensitive: []string{"salary"}}, `sa: there is no column "salary"`},
		{table, Roles{QuasiIdentifiers: []string{"age", "Pay"}, Sensitive: []string{"pay"}}, `column "pay" is named as sa and as qi`},
		{table, Roles{QuasiIdentifiers: []string{"age", "age"}, Sensitive: []string{"pay"}}, `column "Age" is named as qi and as qi`},
		{empty, Roles{QuasiIdentifiers: []string{"age"}, Sensitive: []string{"pay"}}, "the table is empty"},
	} {
		_, err := NewInput(c.table, c.roles, nil)
		if !errors.As(err, new(*DataError)) || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestResolve(t *testing.T) {
	l := Int("l", 2, 9, "diversity").OrAuto().Default("")
	m := Method{Name: "m", Parameters: Declare(l, Share("t", "").Default("1"), NumberUpTo("weight", 100, "").Default("0"), Choice("order", []string{"up", "down"}, ""))}
	got, err := m.Resolve(Arguments{"l": "3"})
	if err != nil || len(got.Text) != 4 || got.Text["l"] != "3" || got.Text["order"] != "up" {
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
		if !errors.As(err, new(*ParameterError)) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A parameter reads its value, and refuses others by its name, the value and the rule.
func TestParams(t *testing.T) {
	n, tables := Int("n", 3, 7, ""), Int("tables", 1, 5, "").OrAuto()
	positive, share, weight := PositiveShare("half", ""), Share("zero", ""), NumberUpTo("weight", 100, "").OrAuto()
	bins, order, fast := Int("bins", 0, 9, "").Except(1, "must be 0 or at least 2"), Choice("order", []string{"up", "down"}, ""), Bool("fast", "")
	m := Method{Name: "m", Parameters: Declare(n.Default("3"), tables, positive.Default("1"), share.Default("0"), weight, bins.Default("2"), order, fast)}
	s, err := m.Resolve(Arguments{"n": " 7 ", "half": "1/2", "order": "down", "fast": "true"})
	if err != nil {
		t.Fatal(err)
	}
	got := []any{n.Read(s), tables.Read(s), positive.Read(s), share.Read(s), weight.Read(s), bins.Read(s), order.Read(s), fast.Read(s), Int("other", 0, 1, "").Read(s)}
	if want := []any{7, 0, Ratio{1, 2}, Ratio{0, 1}, Ratio{}, 2, "down", true, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for want, given := range map[string]Arguments{
		"half is 0, must be above 0 and at most 1":                        {"half": "0"},
		"half is 2, must be above 0 and at most 1":                        {"half": "2"},
		"zero is 2, must be between 0 and 1":                              {"zero": "2"},
		"zero is 'x', must be a number such as 0.05 or 1/3":               {"zero": "x"},
		"n is 'x', must be a whole number":                                {"n": "x"},
		"n is 2, must be between 3 and 7":                                 {"n": "2"},
		"tables is '6', must be a whole number from 1 to 5, or auto":      {"tables": "6"},
		"tables is 'manual', must be a whole number from 1 to 5, or auto": {"tables": "manual"},
		"weight is '101', must be a number from 0 to 100, or auto":        {"weight": "101"},
		"bins is 1, must be 0 or at least 2":                              {"bins": "1"},
		"bins is 10, must be between 0 and 9":                             {"bins": "10"},
		"fast is 'yes', must be one of false, true":                       {"fast": "yes"},
	} {
		if _, err := m.Resolve(given); !errors.As(err, new(*ParameterError)) || err.Error() != want {
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
