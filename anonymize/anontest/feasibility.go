package anontest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// feasibility: on tables of up to six records the method finds a release if and only if some grouping meets the
// arguments. The bound that its error prints is feasible.
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
		b.named(t, in, arguments, infeasible)
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

// feasibleValue matches the feasible value of a parameter in an error message.
var feasibleValue = regexp.MustCompile(`the (?:smallest|largest) feasible (\w+) is ([0-9.]+)`)

// named: with the value that the message prints, rounded as printed, the parameter is no longer an obstacle.
func (b battery) named(t *testing.T, in *anonymize.Input, arguments anonymize.Arguments, e *anonymize.InfeasibleError) {
	t.Helper()
	found := feasibleValue.FindStringSubmatch(e.Error())
	if (found != nil) != (e.Smallest.Den != 0 || e.Largest.Den != 0 && e.Largest != anonymize.NewRatio(1, 1)) {
		t.Fatalf("%q does not name what is feasible", e.Error())
	}
	if found == nil {
		return
	}
	mended := maps.Clone(arguments)
	mended[e.Parameter] = found[2]
	_, err := b.Run(context.Background(), in, mended)
	var again *anonymize.InfeasibleError
	var refused *anonymize.ParameterError
	if errors.As(err, &again) && again.Parameter == e.Parameter || errors.As(err, &refused) && refused.Parameter == e.Parameter {
		t.Fatalf("%v: the error says that %s is feasible, then: %v", e, mended[e.Parameter], err)
	}
}

// MeetsKL checks k and l for every group by counting.
func MeetsKL(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
	var k, l int
	fmt.Sscan(arguments["k"], &k)
	fmt.Sscan(arguments["l"], &l)
	return MeetsL(in, l, groups) && !slices.ContainsFunc(groups, func(group []int) bool { return len(group) < k })
}

// MeetsL reports whether no sensitive value has more than floor(m/l) of the m records of any group.
func MeetsL(in *anonymize.Input, l int, groups [][]int) bool {
	for _, group := range groups {
		count := map[uint32]int{}
		for _, record := range group {
			value := in.Sensitive[0].Codes[record]
			if count[value]++; count[value]*l > len(group) {
				return false
			}
		}
	}
	return true
}
