package publication

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// Methods are the methods that the engine supports.
var Methods = []string{Anatomy, Slppa, Slicing, Mondrian}

// The methods, named as in package anonymize.
const (
	Anatomy  = "anatomy"
	Slppa    = "slppa"
	Slicing  = "slicing"
	Mondrian = "mondrian"
)

// A Request describes what to publish, and how. Options that the method does not have stay zero.
type Request struct {
	Table *Table
	// Method is one of Methods. Defaults to Anatomy.
	Method           string
	QuasiIdentifiers []string
	Sensitive        string
	// Identifiers distinguish records that look the same. They are not released.
	Identifiers []string
	// L is the least number of distinct sensitive values of a group, none of which more than
	// one in L records has. From 2 and required for anatomy and slicing; from 1, the default,
	// which demands nothing, for mondrian.
	L int
	// K is the least number of records of a class of mondrian, from 1. Required there.
	K int
	// Size is a further least number of records of a group, from 2, which is promised; 0 demands nothing.
	Size int
	// Alpha, Beta, Gamma and Delta are the bounds of slppa, in (0, 1]; Delta may be 0. Beta is required. The
	// others default to 1, which demands nothing. A Ratio without a denominator is not given.
	Alpha, Beta, Gamma, Delta anonymize.Ratio
	// Fragments is the number of relations into which slppa and slicing divide the quasi-identifiers. Defaults to 2, or to 1 for a single one.
	Fragments int
	// Division lists the quasi-identifiers of each relation. Defaults to the method's division
	// by association. Anatomy and mondrian have one relation.
	Division [][]string
	// Block is the least number of records of a block of neighbours; 0 makes the table one
	// block. The blocks of slicing are its buckets, those of mondrian its classes; there it
	// defaults to the least possible, L or K.
	Block int64
}

// ratioOne is a bound that demands nothing.
var ratioOne = anonymize.NewRatio(1, 1)

// checked returns the request with its defaults. An invalid one is a *ParameterError.
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

// ofBlocks reports whether a block is a group.
func (r *Request) ofBlocks() bool { return r.Method == Slicing || r.Method == Mondrian }

// checkBounds checks the bounds of slppa.
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

// checkDivision checks that every quasi-identifier is in one fragment.
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

// promises returns the promises of a release of the request, named as in package privacy.
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
