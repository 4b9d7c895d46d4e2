package options

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/attributes"
	"github.com/anonsql/anonsql/functions/texts"
)

// Given maps the names of the options in a call, in lower case, to their values as
// texts.
type Given anonymize.Arguments

// Parse parses arguments, each 'name=value' or a JSON object. It refuses a name given twice.
func Parse(arguments []string) (Given, error) {
	parsed := Given{}
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
		if err := parsed.Add(name, value); err != nil {
			return nil, err
		}
	}
	return parsed, nil
}

// Add adds an option. It refuses a name given twice.
func (g Given) Add(name, value string) error {
	name = strings.ToLower(strings.TrimSpace(name))
	if _, twice := g[name]; twice {
		return &anonymize.ParameterError{Parameter: name, Value: "'" + value + "'", Rule: "but it was given before: give each option once"}
	}
	g[name] = strings.TrimSpace(value)
	return nil
}

// addJSON adds the members of an object. Lists become comma-separated texts; blanks around names do not count, and empty names are dropped, as in such texts.
// Values are literal. It decodes member by member, since a map would hide duplicates.
func (g Given) addJSON(text string) error {
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
		text := strings.ToLower(strings.TrimSpace(fmt.Sprint(name)))
		value, err := jsonText(member, strings.HasSuffix(text, NotSensitive.Name()) || strings.HasSuffix(text, attributes.KindOrder))
		if err != nil {
			return &anonymize.ParameterError{Parameter: fmt.Sprint(name), Value: fmt.Sprint(member), Rule: err.Error()}
		}
		if err := g.Add(fmt.Sprint(name), value); err != nil {
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

func jsonText(member any, literal bool) (string, error) {
	switch member := member.(type) {
	case string:
		return member, nil
	case json.Number:
		return member.String(), nil
	case bool:
		return strconv.FormatBool(member), nil
	case []any:
		var items []string
		for _, item := range member {
			text, err := jsonText(item, literal)
			if err != nil {
				return "", err
			}
			if !literal {
				text = strings.TrimSpace(text)
			}
			if text != "" || literal {
				items = append(items, text)
			}
		}
		return texts.JoinNames(items), nil
	}
	return "", fmt.Errorf("must be a text, a number, true or false, or a list of them")
}

// ForColumn returns the options of one of several columns: those with its name as prefix, without the prefix, and those without any.
func (g Given) ForColumn(column string, columns []string) Given {
	own := Given{}
	for name, value := range g {
		at := slices.IndexFunc(columns, func(c string) bool { return strings.HasPrefix(name, strings.ToLower(c)+".") })
		switch {
		case at < 0:
			own[name] = value
		case columns[at] == column:
			own[strings.TrimPrefix(name, strings.ToLower(column)+".")] = value
		}
	}
	return own
}
