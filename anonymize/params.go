package anonymize

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Parameter is the public description of a parameter, for CALL anonymize, the table function
// and the documentation. A method declares a [Param].
type Parameter struct {
	Name string
	// Default is the default value as text; "" makes the parameter required.
	Default string
	// Positional parameters are also arguments of the table function, in order.
	Positional bool
	// Choices, if not empty, are the only valid values.
	Choices []string
	// Doc is one line: meaning, range, unit.
	Doc string

	// values describes the valid values in the words of a rule: "a number from 0 to 100".
	values string
	// read parses a value or returns a *ParameterError.
	read func(text string) (any, error)
}

// A Param is a parameter whose values are of type T. Its method declares it once, as a
// variable, and reads its value with it:
//
//	var paramK = anonymize.Int("k", 2, 1000, "least number of records of a group").Positional()
//
//	k := paramK.Read(settings) // an int, from 2 to 1000
type Param[T any] struct{ declared Parameter }

// NewParam declares a parameter whose values read parses.
func NewParam[T any](p Parameter, read func(text string) (T, error)) Param[T] {
	p.read = func(text string) (any, error) { return read(text) }
	return Param[T]{p}
}

// Default returns the parameter with a default value, as text.
func (p Param[T]) Default(text string) Param[T] {
	p.declared.Default = text
	return p
}

// Doc returns the parameter with another documentation text.
func (p Param[T]) Doc(text string) Param[T] {
	p.declared.Doc = text
	return p
}

// Positional returns the parameter as a positional argument of the table function.
func (p Param[T]) Positional() Param[T] {
	p.declared.Positional = true
	return p
}

// Auto is the extra value of [Param.OrAuto].
const Auto = "auto"

// OrAuto returns the parameter with the extra value auto, its default. Read returns the zero
// value for auto, so the zero value must not be valid otherwise.
func (p Param[T]) OrAuto() Param[T] {
	read, rule := p.declared.read, "must be "+p.declared.values+", or "+Auto
	p.declared.Default = Auto
	p.declared.read = func(text string) (any, error) {
		if text == Auto {
			return *new(T), nil
		}
		v, err := read(text)
		if err != nil {
			err = p.refuse(quote(text), rule)
		}
		return v, err
	}
	return p
}

// Except returns the parameter without one of its values; T must be comparable.
func (p Param[T]) Except(value T, rule string) Param[T] {
	read := p.declared.read
	p.declared.read = func(text string) (any, error) {
		v, err := read(text)
		if err == nil && v == any(value) {
			err = p.refuse(text, rule)
		}
		return v, err
	}
	return p
}

// Read returns the parameter's value, or the zero value if the method has no such parameter.
func (p Param[T]) Read(s Settings) T {
	value, _ := s.values[p.declared.Name].(T)
	return value
}

// Given returns the text that s has for the parameter; given is false if s has none.
func (p Param[T]) Given(s Settings) (text string, given bool) {
	text, given = s.Text[p.declared.Name]
	return text, given
}

func (p Param[T]) Name() string { return p.declared.Name }

// Parameter implements [Declared].
func (p Param[T]) Parameter() Parameter { return p.declared }

func (p Param[T]) refuse(value, rule string) error {
	return &ParameterError{p.declared.Name, value, rule}
}

// Int declares a whole number in [low, high].
func Int(name string, low, high int, doc string) Param[int] {
	p := Parameter{Name: name, Doc: doc, values: fmt.Sprintf("a whole number from %d to %d", low, high)}
	return NewParam(p, func(text string) (int, error) {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return 0, &ParameterError{name, quote(text), "must be a whole number"}
		}
		if n < low || n > high {
			return 0, &ParameterError{name, strconv.Itoa(n), fmt.Sprintf("must be between %d and %d", low, high)}
		}
		return n, nil
	})
}

// Share declares a ratio in [0, 1].
func Share(name, doc string) Param[Ratio] {
	return share(name, doc, "must be between 0 and 1", Ratio.isShare)
}

// PositiveShare declares a ratio in (0, 1].
func PositiveShare(name, doc string) Param[Ratio] {
	return share(name, doc, "must be above 0 and at most 1", func(r Ratio) bool { return r.Num > 0 && r.isShare() })
}

func (r Ratio) isShare() bool { return r.Num <= r.Den }

func share(name, doc, rule string, admits func(Ratio) bool) Param[Ratio] {
	return NewParam(Parameter{Name: name, Doc: doc}, func(text string) (Ratio, error) {
		r, err := ParseRatio(text)
		switch {
		case err != nil:
			return Ratio{}, &ParameterError{name, quote(text), "must be a number such as 0.05 or 1/3"}
		case !admits(r):
			return Ratio{}, &ParameterError{name, text, rule}
		}
		return r, nil
	})
}

// NumberUpTo declares a ratio in [0, most].
func NumberUpTo(name string, most uint64, doc string) Param[Ratio] {
	values := fmt.Sprintf("a number from 0 to %d", most)
	return NewParam(Parameter{Name: name, Doc: doc, values: values}, func(text string) (Ratio, error) {
		n, err := ParseRatio(text)
		if err != nil || n.Cmp(NewRatio(most, 1)) > 0 {
			return Ratio{}, &ParameterError{name, quote(text), "must be " + values}
		}
		return n, nil
	})
}

// Choice declares a parameter with the given values; the first is the default.
func Choice(name string, choices []string, doc string) Param[string] {
	p := Parameter{Name: name, Default: choices[0], Choices: choices, Doc: doc}
	return NewParam(p, func(text string) (string, error) {
		if !slices.Contains(choices, text) {
			return "", &ParameterError{name, quote(text), "must be one of " + strings.Join(choices, ", ")}
		}
		return text, nil
	})
}

// Bool declares a parameter with the values false (the default) and true.
func Bool(name, doc string) Param[bool] {
	word := Choice(name, []string{"false", "true"}, doc)
	return NewParam(word.declared, func(text string) (bool, error) {
		_, err := word.declared.read(text)
		return text == "true", err
	})
}

// Declared is implemented by [Param] of every type.
type Declared interface{ Parameter() Parameter }

// Declare lists parameters for [Method.Parameters].
func Declare(params ...Declared) []Parameter {
	list := make([]Parameter, len(params))
	for i, p := range params {
		list[i] = p.Parameter()
	}
	return list
}

// Arguments are parameter values as text, by name.
type Arguments map[string]string

// Settings have a checked value for every parameter of a method. [Method.Resolve] makes them;
// [Param.Read] reads them.
type Settings struct {
	// Text has the values as text. After [ReadGiven] it has only the values that were given.
	Text   Arguments
	values map[string]any
}

// ReadGiven parses the given values of the declared parameters and refuses invalid ones. A
// missing value takes its default, or reads as the zero value.
func ReadGiven(declared []Parameter, given Arguments) (Settings, error) {
	s := Settings{make(Arguments, len(given)), make(map[string]any, len(declared))}
	for _, p := range declared {
		text, ok := given[p.Name]
		if ok {
			s.Text[p.Name] = text
		} else if text = p.Default; text == "" {
			continue
		}
		value, err := p.read(text)
		if err != nil {
			return Settings{}, err
		}
		s.values[p.Name] = value
	}
	return s, nil
}

// Resolve checks given against the declaration and adds defaults. It refuses unknown names,
// missing parameters and invalid values. Run checks what depends on the table.
func (m Method) Resolve(given Arguments) (Settings, error) {
	s := Settings{make(Arguments, len(m.Parameters)), make(map[string]any, len(m.Parameters))}
	names := make([]string, len(m.Parameters))
	for i, p := range m.Parameters {
		names[i] = p.Name
		text, ok := given[p.Name]
		if !ok {
			text = p.Default
		}
		if text == "" {
			return Settings{}, &ParameterError{p.Name, "missing", "method " + m.Name + " needs it: " + p.Doc}
		}
		value, err := p.read(text)
		if err != nil {
			return Settings{}, err
		}
		s.Text[p.Name], s.values[p.Name] = text, value
	}
	for name := range given {
		if !slices.Contains(names, name) {
			return Settings{}, &ParameterError{name, "unknown", "method " + m.Name + " has " + strings.Join(names, ", ")}
		}
	}
	return s, nil
}

func quote(s string) string { return "'" + s + "'" }
