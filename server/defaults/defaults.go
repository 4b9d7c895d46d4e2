// Package defaults has the initial session variables of an account's sessions: the values
// that the owner has set for the account (CALL set_defaults), then those that a client
// sends as connection attributes.
//
//  1. Names lists the variables: they change how answers look, but not an account's
//     privileges.
//  2. The owner's values are stored with the account, as a JSON text among its attributes
//     (Text), so that they follow the account.
//
// It knows neither accounts nor sessions, and imports package limits, for the type of its errors and
// for the attributes of an account.
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

// VariableNamed reports whether a variable is one of Names, in any case, and returns it as it is there.
func VariableNamed(name string) (variable string, ok bool) {
	variable = strings.ToLower(strings.TrimSpace(name))
	_, ok = slices.BinarySearch(names, variable)
	return variable, ok
}

// Values are those of variables, by their names.
type Values map[string]string

// WithOptions returns the values when options, name=value each, are set too; 'default' takes one back. check says whether a variable takes a
// value. Errors are of type *limits.OptionError.
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

// Walk hands over the values by the variables' names, in order.
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

// String is the options that would set the values; "" for none.
func (v Values) String() string {
	var list []string
	_ = v.Walk(func(variable, value string) error { list = append(list, variable+"="+value); return nil })
	return strings.Join(list, ", ")
}

// attribute is the name below which the values are kept.
const attribute = "anonsql_defaults"

// FromText reads what an account's attributes say; "" and other texts say nothing.
func FromText(attributes string) Values {
	values := Values{}
	if !limits.Kept(attributes, attribute, &values) {
		return nil
	}
	return values
}

// Text returns an account's attributes with the values in them; "" for none.
func (v Values) Text(attributes string) string {
	if len(v) == 0 {
		return limits.Keep(attributes, attribute, nil)
	}
	return limits.Keep(attributes, attribute, v)
}
