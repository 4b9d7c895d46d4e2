package anonymize

import (
	"errors"
	"fmt"
)

// A ParameterError reports a bad parameter: its name, the given value and the rule that it
// breaks. Its text reads "beta is 0, must be above 0 and at most 1".
type ParameterError struct {
	Parameter, Value, Rule string
}

func (e *ParameterError) Error() string {
	return fmt.Sprintf("%s is %s, %s", e.Parameter, e.Value, e.Rule)
}

// An InfeasibleError reports that no release of this table meets the threshold. It names the
// value in the way and the nearest feasible threshold.
type InfeasibleError struct {
	Parameter string
	Given     Ratio
	// Smallest is the smallest feasible value of the parameter, or zero if unknown.
	Smallest Ratio
	// Largest is the largest feasible value of a parameter with an upper limit, such as l of
	// l-diversity; zero if unknown.
	Largest Ratio
	// Obstacle says what is in the way: "native_country = 'United-States' is
	// 43832 of 48842 records".
	Obstacle string
	// WayOut, if not empty, is a sentence that suggests what to ask for instead.
	WayOut string
}

func (e *InfeasibleError) Error() string {
	text := fmt.Sprintf("%s = %s cannot be met: %s", e.Parameter, e.Given, e.Obstacle)
	if e.Smallest.Den != 0 {
		text += fmt.Sprintf("; the smallest feasible %s is %s", e.Parameter, printed(e.Smallest.RoundUp(), e.Smallest))
	}
	switch one := NewRatio(1, 1); {
	case e.Largest == one: // most methods refuse 1
		text += fmt.Sprintf("; no %s but 1 would be met, which protects nothing", e.Parameter)
	case e.Largest.Den != 0:
		text += fmt.Sprintf("; the largest feasible %s is %s", e.Parameter, printed(e.Largest.RoundDown(), e.Largest))
	}
	if e.WayOut != "" {
		text += ". " + e.WayOut
	}
	return text
}

// printed returns a rounded bound that is itself feasible, followed by the exact one if they differ.
func printed(rounded string, exact Ratio) string {
	if text := exact.Text(); text != rounded {
		return fmt.Sprintf("%s (exactly %s)", rounded, text)
	}
	return rounded
}

// A DataError says why a table cannot be anonymized as asked: it is empty, an
// attribute is missing or in two roles, the sensitive attribute has one value.
type DataError struct {
	Reason string
}

func (e *DataError) Error() string { return e.Reason }

// A NoGroupsError says that a method finds no groups for these records but may find groups for others or for more. Its text is that of Err.
type NoGroupsError struct {
	Err error
}

func (e *NoGroupsError) Error() string { return e.Err.Error() }

func (e *NoGroupsError) Unwrap() error { return e.Err }

// HasNoGroups reports whether err is a *NoGroupsError or an *InfeasibleError: the method finds no groups for these records.
func HasNoGroups(err error) bool {
	return errors.As(err, new(*NoGroupsError)) || errors.As(err, new(*InfeasibleError))
}
