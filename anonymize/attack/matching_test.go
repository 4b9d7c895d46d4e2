package attack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// Scaled matrices have rows of 1 and approximately the published columns, and keep the odds ratios of the
// likelihoods. These properties define Sinkhorn's limit.
func TestScale(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var m matching
		counts := make([]uint32, 2+random.IntN(4))
		rows := 0
		for j := range counts {
			counts[j] = 1 + random.Uint32N(3)
			rows += int(counts[j])
		}
		m.reset(rows, len(counts))
		for i := range m.p {
			m.p[i] = .1 + random.Float64()
		}
		before := append([]float64(nil), m.p...)
		m.scale(counts)
		columns := make([]float64, len(counts))
		for i := range rows {
			sum := 0.0
			for j, x := range m.row(i) {
				sum += x
				columns[j] += x
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("row %d sums to %v", i, sum)
			}
		}
		for j, n := range counts {
			if math.Abs(columns[j]-float64(n)) > .02 {
				t.Fatalf("column %d sums to %v, not %d", j, columns[j], n)
			}
		}
		odds := func(p []float64) float64 { return p[0] * p[m.cols+1] / (p[1] * p[m.cols]) }
		if math.Abs(odds(m.p)/odds(before)-1) > 1e-9 {
			t.Fatal("odds ratios have changed")
		}
	}
}

func TestLevels(t *testing.T) {
	var numbers, words []anonymize.Value
	for i := range 100 {
		numbers = append(numbers, anonymize.IntegerValue(int64(i)))
		words = append(words, anonymize.TextValue(fmt.Sprint("w", i%(1+i/10))))
	}
	numbers[0] = anonymize.NullValue
	c := anonymize.NewColumn("n", "", numbers)
	l := newLevels(c, 10, 1024)
	count := make([]int, l.count)
	for _, code := range l.codes {
		count[l.of[code]]++
	}
	for level, n := range count {
		if n != 10 {
			t.Errorf("level %d has %d of 100 records", level, n)
		}
	}
	l = newLevels(anonymize.NewColumn("w", "", words), 2, 4)
	if l.count != 4 {
		t.Errorf("%d levels of 4", l.count)
	}
	used := make(map[uint32]int)
	for _, code := range l.codes {
		used[l.of[code]]++
	}
	if len(used) != 4 || used[0] < used[1] || used[1] < used[2] {
		t.Errorf("%v", used)
	}
	if l := newLevels(c, 100, 1024); l.count != 100 {
		t.Errorf("%d levels of 100 values", l.count)
	}
}
