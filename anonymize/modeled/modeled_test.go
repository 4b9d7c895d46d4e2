package modeled_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/modeled"
	"github.com/anonsql/anonsql/anonymize/noise"
)

func TestBattery(t *testing.T) {
	anontest.Battery(t, modeled.Method(), anontest.Options{
		Arguments: func(random *rand.Rand, in *anonymize.Input) anonymize.Arguments {
			return anonymize.Arguments{"block": []string{"2", "3", "5", "60000"}[random.IntN(4)], "tables": fmt.Sprint(1 + random.IntN(len(in.QuasiIdentifiers)))}
		},
		Easy: anonymize.Arguments{"block": "20"},
	})
}

// input has n records of two quasi-identifiers and a sensitive value, which label chooses.
func input(n int, seed uint64, label func(i int) uint32) *anonymize.Input {
	q, p, s := make([]uint32, n), make([]uint32, n), make([]uint32, n)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		q[i], p[i], s[i] = uint32(random.IntN(4)), uint32(random.IntN(3)), label(i)
	}
	values := func(k int) (list []anonymize.Value) {
		for i := range k {
			list = append(list, anonymize.RealValue(float64(i)))
		}
		return list
	}
	column := func(name string, codes []uint32, k int) *anonymize.Column {
		return &anonymize.Column{Name: name, Type: "int", Dictionary: values(k), Codes: codes}
	}
	return &anonymize.Input{Rows: n, QuasiIdentifiers: []*anonymize.Column{column("q", q, 4), column("p", p, 3)},
		Sensitive: []*anonymize.Column{column("s", s, 5)}, Random: rand.NewPCG(seed, 2)}
}

func publish(t *testing.T, in *anonymize.Input, block string) *anonymize.Release {
	t.Helper()
	return publishTables(t, in, block, "1")
}

func publishTables(t *testing.T, in *anonymize.Input, block, tables string) *anonymize.Release {
	t.Helper()
	r, err := modeled.Method().Run(context.Background(), in, anonymize.Arguments{"block": block, "tables": tables})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is random of a release, and all that it says of quasi-identifiers, does not depend on sensitive values: what they change is
// their own counts only, which Blur gives noise.
func TestNothingElseDependsOnSensitiveValues(t *testing.T) {
	for _, tables := range []string{"1", "2"} {
		one := publishTables(t, input(1000, 7, func(i int) uint32 { return uint32(i % 5) }), "150", tables)
		other := publishTables(t, input(1000, 7, func(i int) uint32 { return uint32(i * i % 3) }), "150", tables)
		last := len(one.Fragments) - 1
		if reflect.DeepEqual(one.Fragments[last], other.Fragments[last]) {
			t.Fatal("the sensitive values are the same: the test says nothing")
		}
		one.Fragments, other.Fragments = one.Fragments[:last], other.Fragments[:last]
		if !reflect.DeepEqual(one, other) {
			t.Errorf("in %s tables, releases differ by more than the counts of sensitive values:\n%+v\n%+v", tables, one, other)
		}
	}
}

// Quasi-identifiers are in as many tables as are asked for, and those that go together in one of them: half is q with its values in pairs.
func TestTables(t *testing.T) {
	in := input(1000, 7, func(i int) uint32 { return uint32(i % 5) })
	q := in.QuasiIdentifiers[0]
	half := &anonymize.Column{Name: "half", Type: "int", Dictionary: q.Dictionary[:2], Codes: make([]uint32, in.Rows)}
	for i, code := range q.Codes {
		half.Codes[i] = code / 2
	}
	in.QuasiIdentifiers = append(in.QuasiIdentifiers, half)
	for tables, names := range map[string][][]string{"1": {{"q", "p", "half"}, {"s"}}, "2": {{"q", "half"}, {"p"}, {"s"}}, "3": {{"q"}, {"p"}, {"half"}, {"s"}}} {
		var found [][]string
		for _, f := range publishTables(t, in, "100", tables).Fragments {
			var columns []string
			for _, c := range f.Columns {
				columns = append(columns, c.Name)
			}
			found = append(found, columns)
		}
		if !reflect.DeepEqual(found, names) {
			t.Errorf("%s tables: %v, must be %v", tables, found, names)
		}
	}
	if _, err := modeled.Method().Run(context.Background(), in, anonymize.Arguments{"tables": "4"}); err == nil {
		t.Error("3 quasi-identifiers are in 4 tables")
	}
}

// Blocks are as few as can be, and differ by one record at most.
func TestBlocks(t *testing.T) {
	for block, sizes := range map[string]map[uint32]int{"150": {142: 1, 143: 6}, "500": {500: 2}, "60000": {1000: 1}} {
		found := make(map[uint32]int)
		for _, size := range publish(t, input(1000, 3, func(i int) uint32 { return uint32(i % 5) }), block).GroupSizes {
			found[size]++
		}
		if !reflect.DeepEqual(found, sizes) {
			t.Errorf("blocks of at most %s: %v, must be %v", block, found, sizes)
		}
	}
}

// Blurred counts are those of the table with noise of the right size, add up to the blocks, and leave the release well-formed; values that
// nobody has get noise like the others.
func TestBlur(t *testing.T) {
	r := publish(t, input(6000, 5, func(i int) uint32 { return uint32(min(i%7, 3)) }), "2000") // nobody has 4
	laplace, err := noise.NewLaplace(anonymize.MustRatio("8"), rand.NewChaCha8([32]byte{4}))
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 300
	random := rand.New(rand.NewPCG(1, 2))
	square, nobody := 0.0, 0
	for range rounds {
		blurred, err := modeled.Blur(r, "s", laplace.Draw, random)
		if err != nil {
			t.Fatal(err)
		}
		if err := blurred.Check(); err != nil {
			t.Fatal(err)
		}
		f, exact := blurred.Fragments[1], r.Fragments[1]
		weight, actual := f.Weigh(f.Columns[0]), exact.Weigh(exact.Columns[0])
		for code := range actual[:4] {
			square += math.Pow(float64(weight[code]-actual[code]), 2) / 4
		}
		if weight[4] > 0 {
			nobody++
		}
	}
	// Taking off what is too much leaves about 4/5 of the noise of five values, and more where one of them is cut at 0.
	if mean, want := square/rounds, 0.8*laplace.StandardDeviation()*laplace.StandardDeviation(); mean < 0.7*want || mean > 1.3*want {
		t.Errorf("the mean square of the noise is %.1f, must be about %.1f", mean, want)
	}
	if nobody < rounds/2 {
		t.Errorf("the value that nobody has was told in %d of %d releases", nobody, rounds)
	}
}

func TestBlurOfWhatItCannot(t *testing.T) {
	broken := errors.New("no entropy")
	r := publish(t, input(50, 5, func(i int) uint32 { return uint32(i % 5) }), "60000")
	if _, err := modeled.Blur(r, "s", func() (int64, error) { return 0, broken }, nil); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"q", "nothing"} {
		if _, err := modeled.Blur(r, name, func() (int64, error) { return 0, nil }, nil); err == nil {
			t.Errorf("%s is blurred", name)
		}
	}
}
