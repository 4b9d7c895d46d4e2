package crossbucket

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/testsize"
)

func TestBattery(t *testing.T) {
	anontest.Battery(t, Method(), anontest.Options{
		Easy: anonymize.Arguments{"k": "2", "l": "4"},
		Arguments: func(random *rand.Rand, in *anonymize.Input) anonymize.Arguments {
			return anonymize.Arguments{"k": fmt.Sprint(1 + random.IntN(4)), "l": fmt.Sprint(1 + random.IntN(5)),
				"search": []string{bottomUp, bottomUp, kd, paper}[random.IntN(4)]}
		},
		Meets: meets,
	})
}

// meets: there are lots if and only if the table can be divided into groups in
// which no sensitive value has more than one of max(k, l) records.
func meets(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
	var k, l int
	fmt.Sscan(arguments["k"], &k)
	fmt.Sscan(arguments["l"], &l)
	return anontest.MeetsL(in, max(k, l), groups)
}

// A sensitive attribute that identifies records, and one of a single value.
func TestManyValuesOrOne(t *testing.T) {
	in := anontest.People(testsize.Of(5_000, 20_000), 5)
	unique, constant := make([]anonymize.Value, in.Rows), make([]anonymize.Value, in.Rows)
	for i := range unique {
		unique[i], constant[i] = anonymize.IntegerValue(int64(i)), anonymize.TextValue("flu")
	}
	in.Sensitive = []*anonymize.Column{anonymize.NewColumn("s", "INT", unique)}
	for _, search := range []string{bottomUp, kd} {
		for _, l := range []string{"1", "2", "700"} {
			in.Random = rand.NewPCG(1, 1)
			anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "2", "l": l, "search": search})
		}
	}
	in.Sensitive = []*anonymize.Column{anonymize.NewColumn("s", "TEXT", constant)}
	anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "1", "l": "1"})
}

// A table of equal records is divided at random, in linear time.
func TestEqualRecords(t *testing.T) {
	in := anontest.People(20_000, 6)
	for _, c := range in.QuasiIdentifiers {
		clear(c.Codes)
	}
	for _, search := range []string{bottomUp, kd} {
		in.Random = rand.NewPCG(1, 1)
		r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"k": "3", "l": "6", "search": search})
		if p := anontest.FactNumber(t, r, "normalized certainty penalty"); p != 0 {
			t.Errorf("search=%s: penalty %v", search, p)
		}
	}
}
