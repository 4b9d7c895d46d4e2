package association

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// Figures of Table 1 of Yao et al., by hand.
func TestTable1(t *testing.T) {
	table := anontest.Parse(t, `
Gender  Job       Age  Zipcode
F       Teacher   30   11,100
M       Engineer  33   12,200
F       Engineer  45   12,200
M       Teacher   42   11,100
M       Doctor    32   25,300
M       Police    44   23,200
F       Doctor    30   11,100
M       Doctor    33   12,200`)
	three, five := 3./8, 5./8
	for name, want := range map[string]float64{
		"Age":    2.5, // 30 and 33 twice, four more once
		"Gender": -three*math.Log2(three) - five*math.Log2(five),
		"Job":    3./8*math.Log2(8./3) + 2*(1./4)*2 + 1./8*3,
	} {
		if got := Entropy(table.Column(name)); !near(got, want) {
			t.Errorf("entropy of %s: %v bits, want %v", name, got, want)
		}
	}
	gender := table.Column("Gender")
	for name, want := range map[string]float64{"Age": 1, "Job": 1. / 9} {
		if got := PhiSquared(gender, table.Column(name), Options{}); !near(got, want) {
			t.Errorf("phi^2(Gender, %s) = %v, want %v", name, got, want)
		}
	}
}

func TestEntropyOfNothing(t *testing.T) {
	for _, values := range [][]anonymize.Value{nil, {anonymize.NullValue}, {anonymize.NullValue, anonymize.NullValue}} {
		if got := Entropy(anonymize.NewColumn("c", "", values)); got != 0 {
			t.Errorf("entropy of %v: %v", values, got)
		}
	}
}

// asPrinted is Eq. (10), cell by cell, over values that occur.
func asPrinted(a, b *anonymize.Column) float64 {
	n := float64(a.Rows())
	countA, countB := a.Histogram(), b.Histogram()
	sum := 0.0
	for i, ni := range countA {
		for j, nj := range countB {
			if ni == 0 || nj == 0 {
				continue
			}
			nij := 0.0
			for row := range a.Codes {
				if a.Codes[row] == uint32(i) && b.Codes[row] == uint32(j) {
					nij++
				}
			}
			product := float64(ni) / n * float64(nj) / n
			sum += (nij/n - product) * (nij/n - product) / product
		}
	}
	fewest := min(a.Distinct(), b.Distinct())
	if fewest < 2 {
		return 0
	}
	return sum / float64(fewest-1)
}

func TestPhiSquaredAsPrinted(t *testing.T) {
	for seed := range uint64(300) {
		in := anontest.RandomTable(1+int(seed%40), seed)
		columns := append(in.QuasiIdentifiers, in.Sensitive...)
		phi, err := Matrix(context.Background(), columns, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range columns {
			for j, b := range columns {
				want := asPrinted(a, b)
				if !near(phi[i][j], want) || !near(PhiSquared(a, b, Options{}), want) {
					t.Fatalf("seed %d: phi^2(%s, %s) = %v, as printed %v", seed, a.Name, b.Name, phi[i][j], want)
				}
			}
		}
	}
}

// Counting in an array and in a hash table give one sum.
func TestDenseAndSparse(t *testing.T) {
	for seed := range uint64(50) {
		in := anontest.RandomTable(500, seed)
		a, b := newLevels(in.QuasiIdentifiers[0], 0), newLevels(in.Sensitive[0], 0)
		cells := len(a.count) * len(b.count)
		dense, err := new(joint).denseSum(context.Background(), a, b, cells)
		if err != nil {
			t.Fatal(err)
		}
		j := new(joint)
		for range 2 { // the table is emptied between uses
			sparse, err := j.sparseSum(context.Background(), a, b, min(cells, 500))
			if err != nil || !near(dense, sparse) {
				t.Fatalf("seed %d: %v by array, %v by hash table, %v", seed, dense, sparse, err)
			}
		}
	}
}

// Two attributes that number the records: cells are too many for an array.
func TestManyValues(t *testing.T) {
	const n = 3000
	values, shuffled := make([]anonymize.Value, n), make([]anonymize.Value, n)
	for i, j := range rand.New(rand.NewPCG(1, 1)).Perm(n) {
		values[i], shuffled[i] = anonymize.IntegerValue(int64(i)), anonymize.TextValue(strconv.Itoa(j))
	}
	a, b := anonymize.NewColumn("a", "", values), anonymize.NewColumn("b", "", shuffled)
	if got := PhiSquared(a, b, Options{}); math.Abs(got-1) > 1e-9 {
		t.Errorf("phi^2 = %v, want 1", got)
	}
	if got := PhiSquared(a, b, Options{Corrected: true}); got != 0 {
		t.Errorf("corrected phi^2 = %v: as many values as rows say nothing", got)
	}
}

// Bins: equal values stay together, order is kept, no bin is far above rows/bins
// unless one value is, NULL is alone, and texts are left as they are.
func TestBins(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	values := make([]anonymize.Value, 10_000)
	for i := range values {
		values[i] = anonymize.IntegerValue(int64(random.IntN(500)))
		if i%10 == 0 {
			values[i] = anonymize.NullValue
		}
	}
	l := newLevels(anonymize.NewColumn("c", "", values), 10)
	if l.distinct != 10 || l.count[0] != 1000 {
		t.Errorf("%d bins, %d NULLs in the first, want 10 and 1000", l.distinct, l.count[0])
	}
	for bin, n := range l.count[1:] {
		if n < 900 || n > 1100 {
			t.Errorf("bin %d has %d rows, want about 1000", bin+1, n)
		}
	}
	type pair struct {
		v   int64
		bin uint32
	}
	var pairs []pair
	for row, v := range values {
		if !v.IsNull() {
			pairs = append(pairs, pair{v.Int, l.codes[row]})
		} else if l.codes[row] != 0 {
			t.Fatal("a NULL is in a bin of numbers")
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return int(a.v - b.v) })
	for i := range pairs[1:] {
		if pairs[i].bin > pairs[i+1].bin || pairs[i].v == pairs[i+1].v && pairs[i].bin != pairs[i+1].bin {
			t.Fatalf("values %v and %v are in bins %d and %d", pairs[i].v, pairs[i+1].v, pairs[i].bin, pairs[i+1].bin)
		}
	}
	texts := anontest.Parse(t, "c\na\nb\nc\nd\ne").Columns[0]
	if l := newLevels(texts, 2); l.distinct != 5 {
		t.Errorf("five texts became %d levels", l.distinct)
	}
}

// The correction subtracts the expectation under independence. Over 200 tables of independent attributes, the mean of
// the raw phi^2 is (r-1)(c-1)/(n (q-1)) = 0.045, and the corrected mean about a quarter of it, because it is cut at
// 0.
func TestCorrected(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	var raw, corrected float64
	for range 200 {
		a := &anonymize.Column{Codes: make([]uint32, 200)}
		b := &anonymize.Column{Codes: make([]uint32, 200)}
		for v := range 10 {
			a.Dictionary = append(a.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		b.Dictionary = a.Dictionary
		for i := range a.Codes {
			a.Codes[i], b.Codes[i] = random.Uint32N(10), random.Uint32N(10)
		}
		raw += PhiSquared(a, b, Options{}) / 200
		corrected += PhiSquared(a, b, Options{Corrected: true}) / 200
	}
	if raw < 0.04 || raw > 0.05 || corrected > raw/4 {
		t.Errorf("means: raw %v, corrected %v", raw, corrected)
	}
}

func TestMatrixEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := anontest.RandomTable(100, 1)
	if _, err := Matrix(ctx, append(in.QuasiIdentifiers, in.Sensitive...), Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Counts give the same results as columns: entropies to the last digits, phi^2 of levels as of the columns cut from them.
func TestCountsAsColumns(t *testing.T) {
	for seed := range uint64(60) {
		in := anontest.RandomTable(1+int(seed*7), seed)
		columns := append(in.QuasiIdentifiers, in.Sensitive...)
		for i, a := range columns {
			if got, want := EntropyOf(counted(a)), Entropy(a); !near(got, want) {
				t.Fatalf("seed %d: the entropy of %s is %v by counts, %v by rows", seed, a.Name, got, want)
			}
			for _, b := range columns[:i] {
				for _, o := range []Options{{}, {Bins: 3}, {Bins: 2, Corrected: true}} {
					if got, want := PhiSquaredOf(pairsOf(a, b, o.Bins), o), PhiSquared(a, b, o); !near(got, want) {
						t.Fatalf("seed %d: phi^2(%s, %s) is %v by counts, %v by rows", seed, a.Name, b.Name, got, want)
					}
				}
			}
		}
	}
}

func counted(c *anonymize.Column) (records []int64) {
	for _, n := range c.Histogram() {
		records = append(records, int64(n))
	}
	return records
}

// pairsOf counts pairs of levels.
func pairsOf(a, b *anonymize.Column, bins int) (pairs []Pair) {
	level := func(c *anonymize.Column) func(code uint32) uint32 {
		if bins == 0 || c.Distinct() <= bins || !c.IsNumeric() {
			return func(code uint32) uint32 { return code }
		}
		bin := EqualFrequency(c.Dictionary, counted(c), bins)
		return func(code uint32) uint32 { return bin[code] }
	}
	levelA, levelB := level(a), level(b)
	number := make(map[[2]uint32]int)
	for row, code := range a.Codes {
		key := [2]uint32{levelA(code), levelB(b.Codes[row])}
		if _, known := number[key]; !known {
			number[key] = len(pairs)
			pairs = append(pairs, Pair{A: key[0], B: key[1]})
		}
		pairs[number[key]].Records++
	}
	return pairs
}
