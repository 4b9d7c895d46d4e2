package publication

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// Methods are those that the engine forms groups for.
var Methods = []string{Anatomy, Slppa, Slicing, Mondrian}

// The methods, by the names that they have where a table is read.
const (
	Anatomy  = "anatomy"
	Slppa    = "slppa"
	Slicing  = "slicing"
	Mondrian = "mondrian"
)

// A Request is what is to be published, and how. What a method does not ask for stays zero.
type Request struct {
	Table *Table
	// Method is one of Methods. Defaults to Anatomy.
	Method           string
	QuasiIdentifiers []string
	Sensitive        string
	// Identifiers tell records apart that look the same. They are not released.
	Identifiers []string
	// L is how many different sensitive values a group has at least, none in more than one of L
	// records. From 2, and required by anatomy and slicing; by mondrian from 1, which asks for none
	// and is the default.
	L int
	// K is how many records a class of mondrian has at least, from 1. Required by it.
	K int
	// Size is how many records a group has at least beside what the method asks, from 2; 0 asks for nothing. It is promised.
	Size int
	// Alpha, Beta, Gamma and Delta are the bounds of slppa, from above 0 to 1; Delta may be 0. Beta is required. The others default to 1,
	// which asks for nothing: a Ratio without a denominator is not given.
	Alpha, Beta, Gamma, Delta anonymize.Ratio
	// Fragments is how many relations slppa and slicing divide the quasi-identifiers into. Defaults to 2, or to 1 for a single one.
	Fragments int
	// Division says which quasi-identifiers are in which relation, each in one. Defaults to the division that the method makes by association.
	// Anatomy and mondrian have one.
	Division [][]string
	// Block is how many records a block of neighbours has at least; 0 makes one block of the table.
	// The blocks of slicing are its buckets, those of mondrian its classes: there it defaults to
	// the least that can be, L or K.
	Block int64
}

// ratioOne is a bound that asks for nothing.
var ratioOne = anonymize.NewRatio(1, 1)

// checked is the request with what it defaults to. A *ParameterError says what cannot be.
func (r Request) checked() (Request, error) {
	if r.Method == "" {
		r.Method = Anatomy
	}
	switch r.Method {
	case Anatomy, Slicing:
		if r.L < 2 {
			return r, &anonymize.ParameterError{Parameter: "l", Value: fmt.Sprint(r.L), Rule: "must be 2 or more"}
		}
	case Slppa:
		if err := r.checkBounds(); err != nil {
			return r, err
		}
	case Mondrian:
		r.L = max(r.L, 1)
		if r.K < 1 {
			return r, &anonymize.ParameterError{Parameter: "k", Value: fmt.Sprint(r.K), Rule: "must be 1 or more"}
		}
	default:
		return r, &anonymize.ParameterError{
			Parameter: "method",
			Value:     "'" + r.Method + "'",
			Rule:      "must be one of those that the engine forms groups for: " + strings.Join(Methods, ", "),
		}
	}
	if r.ofBlocks() {
		r.Block = max(r.Block, int64(r.K), int64(r.L), int64(r.Size))
	}
	return r, r.checkDivision()
}

// ofBlocks says whether a block is a group.
func (r *Request) ofBlocks() bool { return r.Method == Slicing || r.Method == Mondrian }

// checkBounds reads the bounds of slppa.
func (r *Request) checkBounds() error {
	if r.Beta.Den == 0 {
		return &anonymize.ParameterError{Parameter: "beta", Value: "not given", Rule: "must be above 0 and at most 1"}
	}
	for _, b := range []struct {
		name        string
		bound       *anonymize.Ratio
		zeroAllowed bool
	}{{"alpha", &r.Alpha, false}, {"beta", &r.Beta, false}, {"gamma", &r.Gamma, false}, {"delta", &r.Delta, true}} {
		if b.bound.Den == 0 {
			*b.bound = ratioOne
		}
		if b.bound.Cmp(ratioOne) > 0 || b.bound.Num == 0 && !b.zeroAllowed {
			return &anonymize.ParameterError{Parameter: b.name, Value: b.bound.String(), Rule: "must be above 0 and at most 1"}
		}
	}
	return nil
}

// checkDivision wants every quasi-identifier in one fragment.
func (r *Request) checkDivision() error {
	if r.Fragments < 0 || r.Fragments > len(r.QuasiIdentifiers) {
		return &anonymize.ParameterError{Parameter: "tables", Value: fmt.Sprint(r.Fragments),
			Rule: fmt.Sprintf("must be from 1 to %d, the number of quasi-identifiers", len(r.QuasiIdentifiers))}
	}
	if r.Method == Anatomy || r.Method == Mondrian {
		r.Fragments, r.Division = 1, nil
	}
	if r.Fragments == 0 {
		r.Fragments = min(2, len(r.QuasiIdentifiers))
	}
	if r.Division == nil {
		return nil
	}
	divided := slices.Concat(r.Division...)
	given := slices.Clone(r.QuasiIdentifiers)
	slices.Sort(divided)
	slices.Sort(given)
	if !slices.Equal(divided, given) || slices.ContainsFunc(r.Division, func(names []string) bool { return len(names) == 0 }) {
		return &anonymize.ParameterError{
			Parameter: "division",
			Value:     fmt.Sprint(r.Division),
			Rule:      "must have every quasi-identifier once: " + strings.Join(r.QuasiIdentifiers, ", "),
		}
	}
	r.Fragments = len(r.Division)
	return nil
}

// promises are what a release of the request promises, by the names of package privacy.
func (r *Request) promises() []anonymize.Promise {
	promises := r.promisesOfMethod()
	if r.Size > 0 {
		promises = append(promises, anonymize.Promise{Guarantee: "size", Bound: anonymize.NewRatio(uint64(r.Size), 1)})
	}
	return promises
}

func (r *Request) promisesOfMethod() []anonymize.Promise {
	l := anonymize.Promise{Guarantee: "l", Bound: anonymize.NewRatio(uint64(max(r.L, 1)), 1)}
	switch r.Method {
	case Slppa:
		return []anonymize.Promise{
			{Guarantee: "alpha", Bound: r.Alpha},
			{Guarantee: "beta", Bound: r.Beta},
			{Guarantee: "gamma", Bound: r.Gamma},
			{Guarantee: "delta", Bound: r.Delta},
		}
	case Mondrian:
		k := anonymize.Promise{Guarantee: "k", Bound: anonymize.NewRatio(uint64(r.K), 1)}
		if r.L < 2 {
			return []anonymize.Promise{k}
		}
		return []anonymize.Promise{k, l}
	}
	return []anonymize.Promise{l}
}
