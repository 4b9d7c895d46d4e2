package functions

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/functions/texts"
)

// options are the trailing arguments of a procedure: 'name=value' each, or one
// JSON object. Names are lower-case.
type options map[string]string

// parseOptions reads the arguments. A name given twice is an error.
func parseOptions(arguments []string) (options, error) {
	parsed := options{}
	for _, argument := range arguments {
		trimmed := strings.TrimSpace(argument)
		if strings.HasPrefix(trimmed, "{") {
			if err := parsed.addJSON(trimmed); err != nil {
				return nil, err
			}
			continue
		}
		name, value, ok := strings.Cut(trimmed, "=")
		if !ok {
			return nil, &anonymize.ParameterError{
				Parameter: "option",
				Value:     "'" + argument + "'",
				Rule:      "must be 'name=value', within one pair of quotes, or a JSON object",
			}
		}
		if err := parsed.add(name, value); err != nil {
			return nil, err
		}
	}
	return parsed, nil
}

func (o options) add(name, value string) error {
	name = strings.ToLower(strings.TrimSpace(name))
	if _, twice := o[name]; twice {
		return &anonymize.ParameterError{Parameter: name, Value: "'" + value + "'", Rule: "but it was given before: give each option once"}
	}
	o[name] = strings.TrimSpace(value)
	return nil
}

// addJSON adds the members of an object; lists become comma separated. It reads member
// by member, since a map would forget what is given twice.
func (o options) addJSON(text string) error {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	broken := func(err error) error {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return &anonymize.ParameterError{Parameter: "option", Value: "'" + text + "'", Rule: "which is no JSON object: " + err.Error()}
	}
	if _, err := decoder.Token(); err != nil { // the brace
		return broken(err)
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return broken(err)
		}
		var member any
		if err := decoder.Decode(&member); err != nil {
			return broken(err)
		}
		value, err := jsonText(member)
		if err != nil {
			return &anonymize.ParameterError{Parameter: fmt.Sprint(name), Value: fmt.Sprint(member), Rule: err.Error()}
		}
		if err := o.add(fmt.Sprint(name), value); err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return broken(err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return broken(errors.New("something follows it"))
	}
	return nil
}

func jsonText(member any) (string, error) {
	switch member := member.(type) {
	case string:
		return member, nil
	case json.Number:
		return member.String(), nil
	case bool:
		return strconv.FormatBool(member), nil
	case []any:
		items := make([]string, len(member))
		for i, item := range member {
			var err error
			if items[i], err = jsonText(item); err != nil {
				return "", err
			}
		}
		return texts.JoinNames(items), nil
	}
	return "", fmt.Errorf("must be a text, a number, true or false, or a list of them")
}

// take removes an option and returns its value.
func (o options) take(name string) (string, bool) {
	value, ok := o[name]
	delete(o, name)
	return value, ok
}

// takeBool removes a yes-or-no option; false when it is not given.
func (o options) takeBool(name string) (bool, error) {
	value, ok := o.take(name)
	if !ok {
		return false, nil
	}
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	}
	return false, &anonymize.ParameterError{Parameter: name, Value: "'" + value + "'", Rule: "must be true or false"}
}

// takeList removes an option that is a comma separated list of columns.
func (o options) takeList(name string) ([]string, bool) {
	value, ok := o.take(name)
	if !ok {
		return nil, false
	}
	return texts.SplitNames(value), true
}

// refuseOfOthers is refuseUnknown of a method's statement: a parameter that only other methods
// have is said to be theirs.
func (o options) refuseOfOthers(m anonymize.Method, known []string) error {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if slices.Contains(known, name) {
			continue
		}
		var others, own []string
		for _, other := range methods.All() {
			if slices.ContainsFunc(other.Parameters, func(p anonymize.Parameter) bool { return p.Name == name }) {
				others = append(others, other.Name)
			}
		}
		for _, p := range m.Parameters {
			own = append(own, p.Name)
		}
		if len(others) > 0 {
			return &anonymize.ParameterError{Parameter: "option", Value: "'" + name + "=" + o[name] + "'", Rule: fmt.Sprintf(
				"which %s does not have: it is of %s; %s has %s", m.Name, strings.Join(others, ", "), m.Name, strings.Join(own, ", "))}
		}
	}
	return o.refuseUnknown(known...)
}

// refuseUnknown is the error for an option of none of the known names. It
// comes before any option is read, since a misspelt name is why another is
// missing.
func (o options) refuseUnknown(known ...string) error {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(known, name) {
			return &anonymize.ParameterError{Parameter: "option", Value: "'" + name + "=" + o[name] + "'",
				Rule: "which is unknown" + anonymize.DidYouMean(name, known) + "; there are " + strings.Join(slices.Sorted(slices.Values(known)), ", ")}
		}
	}
	return nil
}
