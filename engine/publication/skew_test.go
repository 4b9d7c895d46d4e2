package publication

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A skewed table has one sensitive value with a share of the records; the others have equally many.
type skewed struct {
	name          string
	records       float64
	share, values float64
	tasks         int // of a stage: workers times tasks per worker
}

// Rows go to tasks by a hash of (value, bucket), as in assign's windows and joins. So a value of 30 percent of the records does not overload one
// task, and no task sorts more than about perBucket rows at once. The simulation takes a random task for a hash (go test -v -run Skew
// ./engine/publication).
func TestSkew(t *testing.T) {
	for _, c := range []struct {
		skewed
		sorted  float64 // rows that are sorted as one, at most
		busiest float64 // the rows of the busiest task, in means, at most
		without float64 // the same without buckets, at least
	}{
		{skewed{"1e9 records, 14 values", 1e9, 0.30, 14, 100}, 2 * perBucket, 1.5, 25},
		{skewed{"1e9 records, 1e6 values", 1e9, 0.30, 1e6, 100}, 2 * perBucket, 1.3, 25},
		{skewed{"1e10 records, 14 values", 1e10, 0.30, 14, 1000}, 2 * perBucket, 1.7, 250},
		{skewed{"1e10 records, 1e6 values", 1e10, 0.30, 1e6, 1000}, 2 * perBucket, 1.3, 250},
	} {
		t.Run(c.name, func(t *testing.T) {
			heavy, other := int64(c.records*c.share), int64(c.records*(1-c.share)/(c.values-1))
			sorted, busiest, offsets := c.divide(float64(partsOf(heavy, perBucket)), float64(partsOf(other, perBucket)))
			_, without, _ := c.divide(1, 1)
			t.Logf("%.0f offsets: at most %.0f rows are sorted as one; the busiest of %d tasks has %.2f of the mean, without buckets %.0f", offsets, sorted, c.tasks, busiest, without)
			if most := c.values + 2*c.records/perBucket; offsets > most {
				t.Errorf("%.0f offsets, must be at most %.0f", offsets, most)
			}
			if sorted > c.sorted || busiest > c.busiest || without < c.without {
				t.Errorf("%.0f rows sorted as one, the busiest task %.2f of the mean, without buckets %.2f", sorted, busiest, without)
			}
		})
	}
}

// divide distributes rows to tasks. It returns the rows of the largest part, the busiest task's load relative to the mean, and the number of parts.
func (s skewed) divide(frequent, parts float64) (largest, busiest, all float64) {
	random := rand.New(rand.NewPCG(1, 2))
	rows := make([]float64, s.tasks)
	give := func(parts, each float64) {
		largest = max(largest, each)
		if parts > 1e6 { // too many to be given one by one: a task's number of them is about normal
			for i := range rows {
				mean := parts / float64(s.tasks)
				rows[i] += each * (mean + random.NormFloat64()*math.Sqrt(mean))
			}
			return
		}
		for range int(parts) {
			rows[random.IntN(s.tasks)] += each
		}
	}
	give(frequent, s.records*s.share/frequent)
	give((s.values-1)*parts, s.records*(1-s.share)/(s.values-1)/parts)
	for _, n := range rows {
		busiest = max(busiest, n/(s.records/float64(s.tasks)))
	}
	return largest, busiest, frequent + (s.values-1)*parts
}
