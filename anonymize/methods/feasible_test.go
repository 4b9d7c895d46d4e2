package methods

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/testsize"
)

var feasible = regexp.MustCompile(`the (smallest|largest) feasible (\w+) is ([0-9.]+)`)

// lopsided has sensitive values and quasi-identifiers of which some are frequent,
// in shares that no decimal of four places has.
func lopsided(rows int) *anonymize.Input {
	in := anontest.People(rows, 3)
	in.QuasiIdentifiers = in.QuasiIdentifiers[4:7]
	return in
}

// Whatever bound a method refuses as infeasible, it accepts the value that its
// message prints: rounded up where it is the smallest, down where it is the largest.
func TestPrintedBoundsAreFeasible(t *testing.T) {
	base := map[string]string{"beta": "1", "alpha": "1", "l": "2", "k": "2"}
	asked := map[string][]string{
		"alpha": {"0.0001", "0.1"}, "beta": {"0.0001", "0.1"}, "gamma": {"0.00001"}, "delta": {"0"}, "max_share": {"0.0001", "0.1"}, "t": {"0.0001"},
		"l": {"1000", "9"}, "k": {"100000", "12"},
	}
	told := map[string]int{}
	for _, m := range All() {
		for _, rows := range testsize.Of([]int{61, 601}, []int{61, 601, 9973}) {
			for _, p := range m.Parameters {
				for _, value := range asked[p.Name] {
					arguments := anonymize.Arguments{}
					for _, q := range m.Parameters {
						if base[q.Name] != "" && (q.Default == "" || q.Name == p.Name) {
							arguments[q.Name] = base[q.Name]
						}
					}
					arguments[p.Name] = value
					err := attempt(m, rows, arguments)
					var infeasible *anonymize.InfeasibleError
					if !errors.As(err, &infeasible) {
						continue
					}
					found := feasible.FindStringSubmatch(err.Error())
					if found == nil {
						t.Errorf("%s %v: %v: it does not say what is feasible", m.Name, arguments, err)
						continue
					}
					told[found[1]+" "+found[2]]++
					again := maps.Clone(arguments)
					again[found[2]] = found[3]
					second := attempt(m, rows, again)
					var parameter *anonymize.ParameterError
					if errors.As(second, &infeasible) && infeasible.Parameter == found[2] || errors.As(second, &parameter) && parameter.Parameter == found[2] {
						t.Errorf("%s of %d records: %v; then with %s = %s: %v", m.Name, rows, err, found[2], found[3], second)
					}
				}
			}
		}
	}
	t.Log(told)
	for _, kind := range []string{"smallest alpha", "smallest beta", "smallest max_share", "largest l", "largest k"} {
		if told[kind] < 2 {
			t.Errorf("the %s was told %d times", kind, told[kind])
		}
	}
}

func attempt(m anonymize.Method, rows int, arguments anonymize.Arguments) error {
	in := lopsided(rows)
	in.Random = rand.NewPCG(1, 2)
	_, err := m.Run(context.Background(), in, arguments)
	return err
}

// No bound is printed as 0, however small it is.
func TestSmallBoundsArePrinted(t *testing.T) {
	m, err := ByName("slppa")
	if err != nil {
		t.Fatal(err)
	}
	for gamma, want := range map[string]string{"0.00001": "gamma is 0.00001,", "1/300007": "gamma is 3.333e-06 (1/300007),"} {
		err = attempt(m, 601, anonymize.Arguments{"beta": "1", "gamma": gamma})
		if !errors.As(err, new(*anonymize.ParameterError)) || fmt.Sprintf("%.*s", len(want), err) != want {
			t.Errorf("gamma=%s: %v, not %q", gamma, err, want)
		}
	}
}
