package locality

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// slowOrder is the tree by slices of records and big-step sorting.
func slowOrder(columns []*anonymize.Column, records []int, span []int) []int {
	codes := func(r int) (all []uint32) {
		for _, c := range columns {
			all = append(all, c.Codes[r])
		}
		return all
	}
	widest, best := -1, 0.0
	for i, c := range columns {
		low, high := slices.MinFunc(records, func(a, b int) int { return int(c.Codes[a]) - int(c.Codes[b]) }),
			slices.MaxFunc(records, func(a, b int) int { return int(c.Codes[a]) - int(c.Codes[b]) })
		if width := int(c.Codes[high]) - int(c.Codes[low]); width > 0 && float64(width)/float64(span[i]) > best+1e-12 {
			widest, best = i, float64(width)/float64(span[i])
		}
	}
	if len(records) <= leaf || widest < 0 {
		records = slices.Clone(records)
		slices.SortStableFunc(records, func(a, b int) int { return slices.Compare(codes(a), codes(b)) })
		return records
	}
	c := columns[widest]
	sorted := slices.Clone(records)
	slices.SortFunc(sorted, func(a, b int) int { return int(c.Codes[a]) - int(c.Codes[b]) })
	cut, uneven := uint32(0), math.MaxInt
	for i := 1; i < len(sorted); i++ { // all cuts; of equally even ones the lower
		if code := c.Codes[sorted[i]]; code != c.Codes[sorted[i-1]] {
			if d := max(i, len(sorted)/2) - min(i, len(sorted)/2); d < uneven {
				cut, uneven = code, d
			}
		}
	}
	var low, high []int
	for _, r := range records {
		if c.Codes[r] < cut {
			low = append(low, r)
		} else {
			high = append(high, r)
		}
	}
	return append(slowOrder(columns, low, span), slowOrder(columns, high, span)...)
}

func TestOrder(t *testing.T) {
	for seed := range uint64(400) {
		in := anontest.RandomTable(1+int(seed%60), seed)
		got, err := Order(context.Background(), in.QuasiIdentifiers)
		if err != nil {
			t.Fatal(err)
		}
		var span, records []int
		for _, c := range in.QuasiIdentifiers {
			span = append(span, int(slices.Max(c.Codes))-int(slices.Min(c.Codes)))
		}
		for r := range in.Rows {
			records = append(records, r)
		}
		for place, record := range slowOrder(in.QuasiIdentifiers, records, span) {
			if int(got[record]) != place {
				t.Fatalf("seed %d: record %d has place %d, the slow tree says %d", seed, record, got[record], place)
			}
		}
	}
}

// large is a table of more than one task.
func large(rows int) []*anonymize.Column {
	random := rand.New(rand.NewPCG(3, 3))
	columns := make([]*anonymize.Column, 3)
	for i, width := range []int{3, 50, 2 * rows} {
		c := &anonymize.Column{Name: string(rune('a' + i)), Codes: make([]uint32, rows)}
		for v := range width {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		for r := range c.Codes {
			c.Codes[r] = random.Uint32N(uint32(width))
		}
		columns[i] = c
	}
	return columns
}

// The order does not depend on the number of cores, and Arrange without jitter
// is Order where no two records are equal.
func TestOrderIsAFunctionOfTheColumns(t *testing.T) {
	columns := large(40_000)
	first, err := Order(context.Background(), columns)
	if err != nil {
		t.Fatal(err)
	}
	cores := runtime.GOMAXPROCS(1)
	alone, err := Order(context.Background(), columns)
	runtime.GOMAXPROCS(cores)
	if err != nil || !slices.Equal(first, alone) {
		t.Error("the order depends on the number of cores")
	}
	arranged, err := Arrange(context.Background(), columns[2:], 0, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	along := make([]uint32, len(arranged))
	for record, place := range arranged {
		along[place] = columns[2].Codes[record]
	}
	if !slices.IsSorted(along) {
		t.Error("one column is not laid out in its order")
	}
}

// A table of equal records, more than a task has, is laid out as it is.
func TestOrderOfEqualRecords(t *testing.T) {
	c := &anonymize.Column{Name: "a", Codes: make([]uint32, 3*task), Dictionary: []anonymize.Value{anonymize.IntegerValue(1)}}
	position, err := Order(context.Background(), []*anonymize.Column{c})
	if err != nil {
		t.Fatal(err)
	}
	for record, place := range position {
		if int(place) != record {
			t.Fatalf("record %d has place %d", record, place)
		}
	}
}

// Equal records: every one of them is first as often as the others. 5 standard
// errors of a share of 1/4 in 4,000 runs are 0.034.
func TestEqualRecordsComeInRandomOrder(t *testing.T) {
	columns := []*anonymize.Column{{Name: "a", Codes: []uint32{0, 0, 0, 0}, Dictionary: []anonymize.Value{anonymize.IntegerValue(1)}}}
	const runs = 4000
	var first [4]int
	for seed := range uint64(runs) {
		position, err := Arrange(context.Background(), columns, 0, rand.New(rand.NewPCG(seed, 2)))
		if err != nil {
			t.Fatal(err)
		}
		first[slices.Index(position, 0)]++
	}
	for record, n := range first {
		if share := float64(n) / runs; math.Abs(share-0.25) > 0.034 {
			t.Errorf("record %d is first in %.3f of the runs, want about 1/4", record, share)
		}
	}
}

// Jitter moves places, by at most twice itself (a record by j one way, those it
// passes by j the other way), and leaves a permutation.
func TestJitter(t *testing.T) {
	columns := large(5000)
	exact, err := Arrange(context.Background(), columns, 0, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, jitter := range []int{1, 50, 1_000_000} {
		moved, err := Arrange(context.Background(), columns, jitter, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		sum, seen := 0, make([]bool, len(moved))
		for record, place := range moved {
			d := int(max(place, exact[record]) - min(place, exact[record]))
			if d > 2*jitter || seen[place] {
				t.Fatalf("jitter %d moved record %d by %d places, to %d", jitter, record, d, place)
			}
			sum, seen[place] = sum+d, true
		}
		if mean := float64(sum) / float64(len(moved)); mean < 0.2*float64(min(jitter, len(moved))) {
			t.Errorf("jitter %d moves records by %.1f places in the mean", jitter, mean)
		}
	}
}

func TestOrderIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Order(ctx, large(10)); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
