package completion

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/engine/estimates"
	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/testsize"
)

// alike makes relations of groups that all have the same tuples, of one fragment each.
func alike(t *testing.T, c *enginetest.Cluster, schema string, groups int, tuples ...[]int) {
	t.Helper()
	for f, list := range tuples {
		counts := make(map[int]int)
		for _, x := range list {
			counts[x]++
		}
		var values []string
		for x, n := range counts {
			values = append(values, fmt.Sprintf("(%d, BIGINT '%d')", x, n))
		}
		run(t, c, fmt.Sprintf("CREATE TABLE %s.f%d AS SELECT gid, x, count FROM UNNEST(sequence(1, %d)) AS g(gid) CROSS JOIN (VALUES %s) AS v(x, count)",
			schema, f, groups, strings.Join(values, ", ")))
	}
}

// randomTheta is a symmetric matrix.
func randomTheta(random *rand.Rand, categories int, deviation float64) []float32 {
	theta := make([]float32, categories*categories)
	for u := range categories {
		for v := range u {
			theta[u*categories+v] = float32(math.Round(1000*deviation*random.NormFloat64()) / 1000)
			theta[v*categories+u] = theta[u*categories+v]
		}
	}
	return theta
}

// arrangements visits all different orders of some values.
func arrangements(values []int, visit func([]int)) {
	order := slices.Clone(values)
	var next func(k int)
	next = func(k int) {
		if k == len(order) {
			visit(order)
			return
		}
		for i := k; i < len(order); i++ {
			if slices.Contains(order[k:i], order[i]) {
				continue
			}
			order[k], order[i] = order[i], order[k]
			next(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	next(0)
}

// expected is how many records a group has of every combination of values, by all its matchings.
func expected(theta []float32, categories int, first []int, tuples ...[]int) map[string]float64 {
	total, sums := 0.0, make(map[string]float64)
	matching := make([][]int, len(tuples))
	var next func(f int)
	next = func(f int) {
		if f < len(tuples) {
			arrangements(tuples[f], func(order []int) {
				if matching[f] = slices.Clone(order); f > 0 || slices.Equal(order, tuples[f]) {
					next(f + 1)
				}
			})
			return
		}
		energy, rows := 0.0, make([]string, len(tuples[0]))
		for i := range tuples[0] {
			for f := range tuples {
				x := matching[f][i]
				rows[i] += fmt.Sprintf("%d ", x)
				for g := range f {
					energy += float64(theta[(first[f]+x)*categories+first[g]+matching[g][i]])
				}
			}
		}
		total += math.Exp(energy)
		for _, row := range rows {
			sums[strings.TrimSpace(row)] += math.Exp(energy)
		}
	}
	next(0)
	for row := range sums {
		sums[row] /= total
	}
	return sums
}

// TestDeviation164_DrawsInAnEngine compares what many groups with the same tuples get with the enumeration of all matchings of one. The standard error of a
// frequency of 4,000 groups is at most .008 times the root of how many records of a group have it, so that .035 is four of two; what the chain leaves is below .01.
func TestDeviation164_DrawsInAnEngine(t *testing.T) {
	c := enginetest.Need(t)
	const groups = 4000
	for _, tuples := range testsize.Some(1, [][][]int{{{0, 1, 2, 3, 3}, {0, 1, 2, 3, 4}}, {{0, 1, 2, 0}, {0, 1, 2, 2}, {0, 1, 2, 3}}, {{0, 0, 0, 0, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 1, 1, 1, 1}},
		{{0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2}}}) {
		t.Run(fmt.Sprintf("%dfragments%drecords", len(tuples), len(tuples[0])), func(t *testing.T) {
			name := schema(t, c)
			alike(t, c, name, groups, tuples...)
			values, first, categories := []int(nil), []int(nil), 0
			for _, list := range tuples {
				values, first = append(values, slices.Max(list)+1), append(first, categories)
				categories += slices.Max(list) + 1
			}
			theta := randomTheta(rand.New(rand.NewPCG(1, uint64(len(tuples)))), categories, 1.2)
			r := requestOf(c, name, len(tuples[0]), values, [][]float32{theta, theta})
			if err := Draw(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			want := expected(theta, categories, first, tuples...)
			for draw := 1; draw <= 2; draw++ {
				var list []string
				for f := range tuples {
					list = append(list, estimates.CompletedColumn(f, 0, draw))
				}
				columns := strings.Join(list, ", ")
				met := 0.0
				for _, row := range rows(t, c, fmt.Sprintf("SELECT %s, count(*) FROM %s GROUP BY %s", columns, r.Result, columns)) {
					at := strings.LastIndexByte(row, ' ')
					var n float64
					fmt.Sscan(row[at+1:], &n)
					met += n
					if off := n/groups - want[row[:at]]; math.Abs(off) > 0.035 {
						t.Errorf("draw %d has %s in %.3f records of a group, the model %.3f", draw, row[:at], n/groups, want[row[:at]])
					}
				}
				if met != groups*float64(len(tuples[0])) {
					t.Errorf("draw %d has %v records", draw, met)
				}
			}
		})
	}
}

// A tuple may have more records in a group than Trino's sequences have numbers.
func TestTuplesOfManyRecords(t *testing.T) {
	c := enginetest.Need(t)
	name := schema(t, c)
	alike(t, c, name, 1, slices.Repeat([]int{0, 1}, 12_000), slices.Repeat([]int{0, 1, 2}, 8_000))
	theta := make([]float32, 25)
	r := requestOf(c, name, 24_000, []int{2, 3}, [][]float32{theta})
	if err := Draw(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for f, want := range []string{"0 12000, 1 12000", "0 8000, 1 8000, 2 8000"} {
		column := estimates.CompletedColumn(f, 0, 1)
		got := strings.Join(rows(t, c, fmt.Sprintf("SELECT %s, count(*) FROM %s GROUP BY 1 ORDER BY 1", column, r.Result)), ", ")
		if got != want {
			t.Errorf("fragment %d has %s, want %s", f, got, want)
		}
	}
}
