package options

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/functions/texts"
)

// option declares an option. read returns the rule that a text violates, or "".
func option[T any](name, doc string, read func(text string) (value T, rule string)) anonymize.Param[T] {
	return anonymize.NewParam(anonymize.Parameter{Name: name, Doc: doc}, func(text string) (T, error) {
		value, rule := read(text)
		if rule != "" {
			return value, &anonymize.ParameterError{Parameter: name, Value: "'" + text + "'", Rule: rule}
		}
		return value, nil
	})
}

// written is a text, which the procedure parses.
func written(name, doc string) anonymize.Param[string] {
	return option(name, doc, func(text string) (string, string) { return text, "" })
}

// named is a name, optionally in backticks.
func named(name, doc string) anonymize.Param[string] {
	return option(name, doc, func(text string) (string, string) { return strings.Trim(text, "`"), "" })
}

// list is a comma-separated list of names.
func list(name, doc string) anonymize.Param[[]string] {
	return option(name, doc, func(text string) ([]string, string) { return texts.SplitNames(text), "" })
}

// word is one of the given words, in any case.
func word[T ~string](name string, words []T, doc string) anonymize.Param[T] {
	return option(name, doc, func(text string) (T, string) {
		if at := slices.Index(words, T(strings.ToLower(text))); at >= 0 {
			return words[at], ""
		}
		return "", "must be " + alternatives(words)
	})
}

// alternatives joins words for a rule: a, b or c.
func alternatives[T ~string](words []T) (text string) {
	for i, w := range words {
		switch {
		case i > 0 && i == len(words)-1:
			text += " or "
		case i > 0:
			text += ", "
		}
		text += string(w)
	}
	return text
}

// Yes parses true, yes, on, 1 and their opposites, in any case.
func Yes(text string) (yes, known bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0":
		return false, true
	}
	return false, false
}

// yesNo is true or false.
func yesNo(name, doc string) anonymize.Param[bool] {
	return option(name, doc, func(text string) (bool, string) {
		yes, known := Yes(text)
		if !known {
			return false, "must be true or false"
		}
		return yes, ""
	})
}

// choice is true, false or another word, as a text. If it is not given, it is "" and the procedure chooses.
func choice(name, doc string, others ...string) anonymize.Param[string] {
	return option(name, doc, func(text string) (string, string) {
		if other := strings.ToLower(text); slices.Contains(others, other) {
			return other, ""
		}
		yes, known := Yes(text)
		if !known {
			return "", "must be " + alternatives(append([]string{"true", "false"}, others...))
		}
		return strconv.FormatBool(yes), ""
	})
}

// wholeNumber is an integer in [low, high].
func wholeNumber(name string, low, high int, doc string) anonymize.Param[int] {
	return option(name, doc, func(text string) (int, string) {
		n, err := strconv.Atoi(text)
		if err != nil || n < low || n > high {
			return 0, fmt.Sprintf("must be a whole number from %d to %d", low, high)
		}
		return n, ""
	})
}

// A Band is a range [Low, High] of numbers of quasi-identifiers.
type Band struct{ Low, High int }

// readBand parses a number such as 2, or a range such as 1-3.
func readBand(option, text string) (Band, error) {
	first, last, ranged := strings.Cut(text, "-")
	if !ranged {
		last = first
	}
	low, lowErr := strconv.Atoi(strings.TrimSpace(first))
	high, highErr := strconv.Atoi(strings.TrimSpace(last))
	if lowErr != nil || highErr != nil || low < 1 || high < low {
		rule := "must be a number of quasi-identifiers such as 2, or a range such as 1-3"
		return Band{}, &anonymize.ParameterError{Parameter: option, Value: "'" + text + "'", Rule: rule}
	}
	return Band{low, high}, nil
}

func band(name, doc string) anonymize.Param[Band] {
	return anonymize.NewParam(anonymize.Parameter{Name: name, Doc: doc}, func(text string) (Band, error) { return readBand(name, text) })
}

// bands is a comma-separated list of bands.
func bands(name, doc string) anonymize.Param[[]Band] {
	return anonymize.NewParam(anonymize.Parameter{Name: name, Doc: doc}, func(text string) (all []Band, err error) {
		for _, one := range texts.SplitNames(text) {
			b, err := readBand(name, one)
			if err != nil {
				return nil, err
			}
			all = append(all, b)
		}
		return all, nil
	})
}
