package impute

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// parities draws a table in which two attributes of two values together say of a third of eight values whether it is odd, and right so in nine of ten
// records; no two of the three say anything of each other.
func parities(rows int) source {
	random := rand.New(rand.NewPCG(4, 2))
	values := make([][]anonymize.Value, 3)
	for range rows {
		a, b := random.IntN(2), random.IntN(2)
		odd := a ^ b
		if random.IntN(10) == 0 {
			odd = 1 - odd
		}
		for i, v := range []int{a, b, 2*random.IntN(4) + odd} {
			values[i] = append(values[i], anonymize.IntegerValue(int64(v)))
		}
	}
	return source{&anonymize.Microdata{Rows: rows, Columns: []*anonymize.Column{anonymize.NewColumn("a", "INT", values[0]),
		anonymize.NewColumn("b", "INT", values[1]), anonymize.NewColumn("v", "INT", values[2])}},
		anonymize.Roles{QuasiIdentifiers: []string{"a", "b"}, Sensitive: []string{"v"}}}
}

// agreement is by how much more completed tables have records of the parity than of the other one, as a share of the records: .8 in the table.
func agreement(t *testing.T, r *anonymize.Release) (mean float64) {
	t.Helper()
	c, err := Complete(context.Background(), r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	quasi, sensitive := 0, 1
	if at, _, _ := r.Locate("v"); at == 0 {
		quasi, sensitive = 1, 0
	}
	at := func(fragment int, d, begin, slot int) int {
		if fragment == 0 {
			return slot
		}
		if c.Wide != nil {
			return begin + int(c.Wide[d][0][slot])
		}
		return begin + int(c.Narrow[d][0][slot])
	}
	number := func(fragment int, name string) []uint32 {
		return repeated(r, fragment, r.Fragments[fragment].Columns[r.Fragments[fragment].Column(name)])
	}
	a, b, v := number(quasi, "a"), number(quasi, "b"), number(sensitive, "v")
	inGroups(r, func(_, begin, end int) {
		for d := range c.Tables {
			for slot := begin; slot < end; slot++ {
				q, s := at(quasi, d, begin, slot), at(sensitive, d, begin, slot)
				mean += 1 - 2*float64((a[q]^b[q]^v[s])&1)
			}
		}
	})
	return mean / float64(r.Rows*c.Tables)
}

// A three-way association that the model lacks is found by what groups show of it, with a model beside them or not. Of m records with different
// values that are matched at random one in m has its own; another value of the eight has the same parity with probability 3/7, so that
// of .8 there is left .8 (1/m - (m-1)/7m). In blocks of a thousand nothing is, which is why the text says that a model alone lacks what no
// pair shows. A mean over 8,000 records has a standard error of .011 at most.
func TestDeviation162_ThreewayThatTheModelLacks(t *testing.T) {
	s := parities(testsize.Of(4_000, 8_000))
	for _, c := range []struct {
		method    string
		arguments []string
		want      float64
	}{
		{"anatomy", []string{"l", "2"}, .8 * (1./2 - 1./14)},
		{"anatomy", []string{"l", "4"}, .8 * (1./4 - 3./28)},
		{"modeled", []string{"block", "1000"}, 0},
	} {
		plain := s.released(t, c.method, c.arguments...)
		without, with := agreement(t, plain), agreement(t, s.modelled(t, plain, 0))
		if math.Abs(with-c.want) > .05 || math.Abs(without-c.want) > .05 {
			t.Errorf("%s %v: %.3f of .8 without a model, %.3f with one, must be %.3f", c.method, c.arguments, without, with, c.want)
		}
	}
}
