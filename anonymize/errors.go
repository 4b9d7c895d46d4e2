package anonymize

import (
	"errors"
	"fmt"
)

// A ParameterError is a bad parameter: its name, the value given and the rule.
// Its text reads "beta is 0, must be above 0 and at most 1".
type ParameterError struct {
	Parameter, Value, Rule string
}

func (e *ParameterError) Error() string {
	return fmt.Sprintf("%s is %s, %s", e.Parameter, e.Value, e.Rule)
}

// An InfeasibleError says that no release of this table meets the threshold,
// which value stands in the way and what would be possible.
type InfeasibleError struct {
	Parameter string
	Given     Ratio
	// Smallest is the smallest feasible value of the parameter; the zero
	// Ratio when it is not known.
	Smallest Ratio
	// Largest is the same for a parameter that must not be too large, such as
	// the l of l-diversity.
	Largest Ratio
	// Obstacle says what is in the way: "native_country = 'United-States' is
	// 43832 of 48842 records".
	Obstacle string
	// WayOut, if any, is a sentence: what to ask for instead.
	WayOut string
}

func (e *InfeasibleError) Error() string {
	text := fmt.Sprintf("%s = %s cannot be met: %s", e.Parameter, e.Given, e.Obstacle)
	if e.Smallest.Den != 0 {
		text += fmt.Sprintf("; the smallest feasible %s is %s", e.Parameter, printed(e.Smallest.RoundUp(), e.Smallest))
	}
	switch one := NewRatio(1, 1); {
	case e.Largest == one: // which most methods refuse
		text += fmt.Sprintf("; no %s but 1 would be met, which protects nothing", e.Parameter)
	case e.Largest.Den != 0:
		text += fmt.Sprintf("; the largest feasible %s is %s", e.Parameter, printed(e.Largest.RoundDown(), e.Largest))
	}
	if e.WayOut != "" {
		text += ". " + e.WayOut
	}
	return text
}

// printed is a rounded bound that is itself feasible, with the exact one.
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

// A NoGroupsError says that a method finds no groups of these records: of others, or of more of them, it may. It reads as the error in it.
type NoGroupsError struct {
	Err error
}

func (e *NoGroupsError) Error() string { return e.Err.Error() }

func (e *NoGroupsError) Unwrap() error { return e.Err }

// HasNoGroups reports whether err says that a method finds no groups of these records: a *NoGroupsError or an *InfeasibleError.
func HasNoGroups(err error) bool {
	return errors.As(err, new(*NoGroupsError)) || errors.As(err, new(*InfeasibleError))
}
