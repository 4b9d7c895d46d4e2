package anontest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// feasibility: on tables of up to six records the method finds a release if and
// only if some grouping meets the arguments, and the smallest feasible value
// that its error names is feasible.
func (b battery) feasibility(t *testing.T) {
	found, refused := 0, 0
	for i := range b.Tables {
		random := rand.New(rand.NewPCG(uint64(i), 7))
		in := b.table(2+random.IntN(5), uint64(i))
		arguments := b.Options.Arguments(random, in)
		r, err := b.Run(context.Background(), in, arguments)
		var infeasible *anonymize.InfeasibleError
		if err != nil && !errors.As(err, &infeasible) {
			if !named(err) {
				t.Fatalf("table %d, %v: %v", i, arguments, err)
			}
			continue
		}
		if possible := b.possible(in, arguments); possible != (r != nil) {
			t.Fatalf("table %d, %v: a grouping exists: %v; the method says: %v", i, arguments, possible, err)
		}
		if r != nil {
			found++
			continue
		}
		refused++
		b.smallest(t, in, arguments, infeasible)
	}
	if least := b.Tables / 30; found < least || refused < least {
		t.Errorf("%d tables found feasible, %d infeasible: too few of a kind to test anything", found, refused)
	}
}

func (b battery) possible(in *anonymize.Input, arguments anonymize.Arguments) bool {
	for groups := range Partitions(in.Rows) {
		if b.Meets(in, arguments, groups) {
			return true
		}
	}
	return false
}

// smallest: at the value named, the parameter is no longer in the way.
func (b battery) smallest(t *testing.T, in *anonymize.Input, arguments anonymize.Arguments, e *anonymize.InfeasibleError) {
	t.Helper()
	if e.Smallest.Den == 0 {
		return
	}
	mended := anonymize.Arguments{}
	for name, value := range arguments {
		mended[name] = value
	}
	mended[e.Parameter] = fmt.Sprintf("%d/%d", e.Smallest.Num, e.Smallest.Den)
	_, err := b.Run(context.Background(), in, mended)
	var again *anonymize.InfeasibleError
	if errors.As(err, &again) && again.Parameter == e.Parameter {
		t.Fatalf("%v: the error says that %s is feasible, then: %v", e, mended[e.Parameter], err)
	}
}
