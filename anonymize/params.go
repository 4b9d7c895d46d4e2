package anonymize

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Parameter is declared once by its method and shown wherever the method is:
// options of CALL anonymize, arguments of the table function, documentation.
type Parameter struct {
	Name string
	// Default is the value, as text, when none is given; "" means that the
	// parameter is required.
	Default string
	// Positional parameters are also arguments of the table function, in
	// order.
	Positional bool
	// Choices, when not empty, are the only values.
	Choices []string
	// Form, when not nil, is what else can be said of a value without the table.
	Form Form
	// Doc is one line: meaning, range, unit.
	Doc string
}

// Arguments are parameter values as text, by name.
type Arguments map[string]string

// A Form refuses an argument that no table admits, with a *ParameterError.
type Form func(a Arguments, name string) error

// WholeForm is the form of whole numbers in [low, high], or of a word.
func WholeForm(low, high int, words ...string) Form {
	return func(a Arguments, name string) error {
		if slices.Contains(words, a[name]) {
			return nil
		}
		_, err := a.Integer(name, low, high)
		if err != nil && len(words) > 0 {
			return &ParameterError{name, quote(a[name]), fmt.Sprintf("must be a whole number from %d to %d%s", low, high, orWords(words))}
		}
		return err
	}
}

// Share is the form of a number above 0, or from 0, to 1.
func Share(zeroAllowed bool) Form {
	return func(a Arguments, name string) error {
		_, err := a.Ratio(name, zeroAllowed)
		return err
	}
}

// Number is the form of a number from 0 to most, of at least 0 when most is 0, or
// of a word.
func Number(most uint64, words ...string) Form {
	rule := "must be a number of at least 0, such as 0.5 or 500"
	if most > 0 {
		rule = fmt.Sprintf("must be a number from 0 to %d", most)
	}
	rule += orWords(words)
	return func(a Arguments, name string) error {
		if slices.Contains(words, a[name]) {
			return nil
		}
		if n, err := ParseRatio(a[name]); err != nil || most > 0 && n.Cmp(NewRatio(most, 1)) > 0 {
			return &ParameterError{name, quote(a[name]), rule}
		}
		return nil
	}
}

func orWords(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return ", or " + strings.Join(words, ", ")
}

// Resolve checks given against the declaration, adds defaults and refuses
// unknown names, missing ones, values that are none of the choices and those that
// have not the parameter's form. What depends on the table is checked by Run.
func (m *Method) Resolve(given Arguments) (Arguments, error) {
	resolved := make(Arguments, len(m.Parameters))
	names := make([]string, len(m.Parameters))
	for i, p := range m.Parameters {
		names[i] = p.Name
		value, ok := given[p.Name]
		if !ok {
			value = p.Default
		}
		if value == "" {
			return nil, &ParameterError{p.Name, "missing", "method " + m.Name + " needs it: " + p.Doc}
		}
		if len(p.Choices) > 0 && !slices.Contains(p.Choices, value) {
			return nil, &ParameterError{p.Name, quote(value), "must be one of " + strings.Join(p.Choices, ", ")}
		}
		resolved[p.Name] = value
		if p.Form != nil {
			if err := p.Form(resolved, p.Name); err != nil {
				return nil, err
			}
		}
	}
	for name := range given {
		if !slices.Contains(names, name) {
			return nil, &ParameterError{name, "unknown", "method " + m.Name + " has " + strings.Join(names, ", ")}
		}
	}
	return resolved, nil
}

// Ratio reads an argument as a ratio in (0, 1], or in [0, 1] if zero is
// allowed.
func (a Arguments) Ratio(name string, zeroAllowed bool) (Ratio, error) {
	r, err := ParseRatio(a[name])
	if err != nil {
		return Ratio{}, &ParameterError{name, quote(a[name]), "must be a number such as 0.05 or 1/3"}
	}
	rule := "must be above 0 and at most 1"
	if zeroAllowed {
		rule = "must be between 0 and 1"
	}
	if r.Num > r.Den || r.Num == 0 && !zeroAllowed {
		return Ratio{}, &ParameterError{name, a[name], rule}
	}
	return r, nil
}

// Integer reads an argument as a whole number in [low, high].
func (a Arguments) Integer(name string, low, high int) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(a[name]))
	if err != nil {
		return 0, &ParameterError{name, quote(a[name]), "must be a whole number"}
	}
	if n < low || n > high {
		return 0, &ParameterError{name, strconv.Itoa(n), fmt.Sprintf("must be between %d and %d", low, high)}
	}
	return n, nil
}

func quote(s string) string { return "'" + s + "'" }
