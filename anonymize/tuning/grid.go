package tuning

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// Defaults for grids without required guarantees.
const (
	defaultK = 5
	defaultL = 3
)

// bounds are the starting points of grids.
type bounds struct{ k, l int }

// boundsOf reads the required guarantees. Those of l, beta, breach and distinct all say that no
// sensitive value has more than 1 in l of a group's records.
func boundsOf(required []anonymize.Promise) bounds {
	var b bounds
	for _, p := range required {
		bound := float64(p.Bound.Num) / float64(p.Bound.Den)
		name, _, _ := anonymize.SplitAbout(p.Guarantee)
		switch name {
		case "k":
			b.k = max(b.k, roundUp(bound))
		case "l", "distinct", "entropy", "l_threshold":
			b.l = max(b.l, roundUp(bound))
		case "recursive":
			b.l = max(b.l, roundUp(p.Threshold.Float()))
		case "beta", "breach":
			b.l = max(b.l, roundUp(1/bound))
		}
	}
	if b.l == 0 {
		b.l = defaultL
	}
	if b.k == 0 {
		b.k = max(defaultK, b.l)
	}
	return b
}

// roundUp rounds up to an integer that a parameter may have.
func roundUp(x float64) int {
	const most = 1 << 20
	if !(x < most) {
		return most
	}
	return max(1, int(math.Ceil(x-1e-9)))
}

// An axis is a parameter with the values to try.
type axis struct {
	parameter string
	values    []string
}

// grids has every SQL method's values to try; other parameters keep their defaults.
var grids = map[string]func(b bounds) []axis{
	"slppa": func(b bounds) []axis {
		return []axis{{"beta", shares(b.l, 2*b.l)}, {"tables", numbers(1, 2, 3)}, {"homogeneous", booleans}}
	},
	"slicing": func(b bounds) []axis { return []axis{{"l", numbers(b.l, 2*b.l)}, {"tables", numbers(2, 3)}} },
	"asn":     func(b bounds) []axis { return []axis{{"beta", shares(b.l, 2*b.l)}} },
	"anatomy": func(b bounds) []axis {
		return []axis{{"l", numbers(b.l, b.l+1, 2*b.l)}, {"homogeneous", booleans}}
	},
	"arp":            func(b bounds) []axis { return []axis{{"l", numbers(b.l, b.l+1, 2*b.l)}, {"homogeneous", booleans}} },
	"aip":            func(b bounds) []axis { return []axis{{"l", numbers(b.l, b.l+1, 2*b.l)}} },
	"nonhomogeneous": func(b bounds) []axis { return []axis{{"l", numbers(b.l, b.l+1, 2*b.l)}} },
	"mondrian":       classes,
	"cross_bucket":   classes,
	"fulldomain": func(b bounds) []axis {
		return append(classes(b), axis{"suppress", []string{"0", "0.01"}})
	},
	"drasl":   func(b bounds) []axis { return []axis{{"k", numbers(b.k, 2*b.k, 4*b.k)}} },
	"oka":     func(b bounds) []axis { return []axis{{"k", numbers(b.k, 2*b.k, 4*b.k)}} },
	"ika":     func(b bounds) []axis { return []axis{{"k", numbers(b.k, 2*b.k, 4*b.k)}} },
	"dpp":     func(b bounds) []axis { return []axis{{"k", numbers(b.k, 2*b.k, 4*b.k)}} },
	"cdt":     classes,
	"modeled": func(bounds) []axis { return []axis{{"block", []string{"1000", "60000"}}, {"model", []string{counts}}} },
}

var booleans = []string{"false", "true"}

func classes(b bounds) []axis {
	return []axis{{"k", numbers(b.k, 2*b.k, 4*b.k)}, {"l", numbers(b.l, b.l+1)}}
}

func numbers(list ...int) []string {
	var texts []string
	for _, n := range list {
		if text := strconv.Itoa(n); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// shares returns 1/l exactly, as methods parse it.
func shares(list ...int) []string {
	texts := make([]string, len(list))
	for i, l := range list {
		texts[i] = anonymize.NewRatio(1, uint64(l)).Text()
	}
	return slices.Compact(texts)
}

// Grid lists arguments of a method that are worth trying, under required guarantees. values
// replaces a parameter's values to try, by its name, and has the values of Beside. The method
// checks every list.
func Grid(m anonymize.Method, required []anonymize.Promise, values map[string][]string) ([]anonymize.Arguments, error) {
	var axes []axis
	if grid := grids[m.Name]; grid != nil {
		axes = grid(boundsOf(required))
	}
	known := parameters(m)
	for _, p := range known {
		given, ok := values[p.Name]
		if !ok {
			continue
		}
		axes = slices.DeleteFunc(axes, func(a axis) bool { return a.parameter == p.Name })
		axes = append(axes, axis{p.Name, given})
	}
	for name := range values {
		if !slices.ContainsFunc(known, func(p anonymize.Parameter) bool { return p.Name == name }) {
			return nil, &anonymize.ParameterError{Parameter: m.Name + "." + name, Value: "'" + name + "'", Rule: "which is no parameter of " + m.Name}
		}
	}
	axes = promising(axes, known, required)
	list := []anonymize.Arguments{{}}
	for _, a := range axes {
		var longer []anonymize.Arguments
		for _, head := range list {
			for _, value := range a.values {
				arguments := maps.Clone(head)
				arguments[a.parameter] = value
				longer = append(longer, arguments)
			}
		}
		if list = longer; len(list) > maxTrials {
			return nil, &anonymize.ParameterError{
				Parameter: m.Name,
				Value:     fmt.Sprint(len(list)),
				Rule:      fmt.Sprintf("trials are too many: give fewer values, %d trials at most", maxTrials),
			}
		}
	}
	for _, arguments := range list {
		if err := checkBeside(arguments); err != nil {
			return nil, err
		}
		if _, err := m.Resolve(ofMethod(arguments)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// promising replaces values of parameters that promise less than required, because the sample may meet more than the method promises.
func promising(axes []axis, known []anonymize.Parameter, required []anonymize.Promise) []axis {
	for _, p := range required {
		i := slices.IndexFunc(known, func(own anonymize.Parameter) bool { return own.Name == p.Guarantee })
		if i < 0 {
			continue
		}
		asked := p.Bound.Text()
		if privacy.Stricter(p.Guarantee, anonymize.NewRatio(2, 1), anonymize.NewRatio(1, 1)) { // a number of records or values
			asked = strconv.Itoa(roundUp(p.Bound.Float()))
		}
		of := slices.IndexFunc(axes, func(a axis) bool { return a.parameter == p.Guarantee })
		if of < 0 {
			of, axes = len(axes), append(axes, axis{p.Guarantee, []string{known[i].Default}})
		}
		var values []string
		for _, value := range axes[of].values {
			if own, err := anonymize.ParseRatio(value); err != nil || privacy.Stricter(p.Guarantee, p.Bound, own) {
				value = asked
			}
			if !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		axes[of].values = values
	}
	return axes
}

// maxTrials bounds a grid.
const maxTrials = 1000
