// Package defaults defines the initial session variables of an account's sessions: the values that the owner has set
// for the account (CALL set_defaults), then those that a client sends as connection attributes.
//
//  1. Names lists the variables. They change how answers look, but not an account's
//     privileges.
//  2. The owner's values are stored with the account, as a JSON text among its attributes
//     (Text), so that they follow the account.
//
// The package knows neither accounts nor sessions. It imports package limits for the type of its errors and for the
// attributes of an account.
package defaults

import (
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/server/limits"
)

// names are the variables, sorted.
var names = []string{"anon_counts", "anon_estimator", "anon_list_relations", "anon_weight", "sql_notes"}

// Names lists the variables.
func Names() string { return strings.Join(names, ", ") }

// VariableNamed returns the variable of Names that has this name, whatever its case.
func VariableNamed(name string) (variable string, ok bool) {
	variable = strings.ToLower(strings.TrimSpace(name))
	_, ok = slices.BinarySearch(names, variable)
	return variable, ok
}

// Values maps names of variables to values.
type Values map[string]string

// WithOptions returns the values after setting options, each name=value; 'default' removes a value. check reports whether a variable accepts
// a value. Errors are of type *limits.OptionError.
func (v Values) WithOptions(check func(variable, value string) error, options ...string) (Values, error) {
	changed := Values{}
	for name, value := range v {
		changed[name] = value
	}
	for _, option := range options {
		name, value, found := strings.Cut(option, "=")
		variable, known := VariableNamed(name)
		if !known || !found {
			return nil, &limits.OptionError{Parameter: "default", Value: strconv.Quote(option), Rule: "must be one of " + Names() + ", with = and a value"}
		}
		value = strings.TrimSpace(value)
		if strings.EqualFold(value, "default") {
			delete(changed, variable)
			continue
		}
		if err := check(variable, value); err != nil {
			return nil, &limits.OptionError{
				Parameter: variable,
				Value:     strconv.Quote(value),
				Rule:      "must be a value of that variable, or 'default': " + err.Error(),
			}
		}
		changed[variable] = value
	}
	return changed, nil
}

// Walk calls do for each value, in the order of Names.
func (v Values) Walk(do func(variable, value string) error) error {
	for _, name := range names {
		if value, ok := v[name]; ok {
			if err := do(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// String returns the options that set the values; "" for none.
func (v Values) String() string {
	var list []string
	_ = v.Walk(func(variable, value string) error { list = append(list, variable+"="+value); return nil })
	return strings.Join(list, ", ")
}

// attribute is the name of the values in an account's attributes.
const attribute = "anonsql_defaults"

// FromText parses an account's attributes. It returns nil if they have no values.
func FromText(attributes string) Values {
	values := Values{}
	if !limits.Kept(attributes, attribute, &values) {
		return nil
	}
	return values
}

// Text returns an account's attributes with the values added; "" if nothing remains.
func (v Values) Text(attributes string) string {
	if len(v) == 0 {
		return limits.Keep(attributes, attribute, nil)
	}
	return limits.Keep(attributes, attribute, v)
}
