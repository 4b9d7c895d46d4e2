package tuning

import (
	"cmp"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Trial is a method with arguments, tried once.
type Trial struct {
	Method    anonymize.Method
	Arguments anonymize.Arguments
	// Failure says why it is no choice: what is infeasible, which guarantee is violated, or
	// what cannot be measured. Only if it is empty are the following figures set.
	Failure string
	// Guarantees are the required ones, with the achieved figures.
	Guarantees []anonymize.Guarantee
	// Risk and Loss are the figures for comparing trials; smaller is better. See Options.
	Risk, Loss float64
	Groups     int
	Seconds    float64
	// Frontier is set if no other trial dominates this one.
	Frontier bool
}

// markFrontier finds the trials that are not dominated and orders all trials: the frontier by
// risk, then the other choices by risk, then the failures in their original order. n log n in
// the number of trials.
func markFrontier(trials []Trial) {
	slices.SortStableFunc(trials, func(a, b Trial) int {
		if failed := compareBool(a.Failure != "", b.Failure != ""); failed != 0 || a.Failure != "" {
			return failed
		}
		return cmp.Or(cmp.Compare(a.Risk, b.Risk), cmp.Compare(a.Loss, b.Loss))
	})
	var last *Trial
	for i := range trials {
		t := &trials[i]
		if t.Failure != "" {
			break
		}
		// Later trials have no less risk: they must have less loss, or be equal.
		t.Frontier = last == nil || t.Loss < last.Loss || t.Loss == last.Loss && t.Risk == last.Risk
		if t.Frontier {
			last = t
		}
	}
	slices.SortStableFunc(trials, func(a, b Trial) int { return compareBool(!a.Frontier, !b.Frontier) })
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
