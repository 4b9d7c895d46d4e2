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
	// Doc is one line: meaning, range, unit.
	Doc string
}

// Arguments are parameter values as text, by name.
type Arguments map[string]string

// Resolve checks given against the declaration, adds defaults and refuses
// unknown names, missing ones and values that are none of the choices.
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
