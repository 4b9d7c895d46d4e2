package score

import "math/bits"

// MaxExact is the size of the largest group with an exact posterior: 1024 subsets.
const MaxExact = 10

// minScore is the least probability of a value relative to the row's greatest in the group: no value is excluded.
const minScore = 1e-6

// A matcher computes posteriors within groups. It is scratch space for one goroutine.
type matcher struct {
	weight            [MaxExact][MaxExact]float64
	posterior         [MaxExact][MaxExact]float64 // by record and slot: R
	forward, backward [1 << MaxExact]float64
}

// A Group has the posteriors of a group of at most [MaxExact] records. It is scratch space for one goroutine.
type Group struct{ matcher }

// Posterior visits the records with the probability of every value, by its position in a score. It weights all
// matchings of the records with their set of values by the product of scores. The row is a buffer.
func (g *Group) Posterior(m *Model, records []uint32, visit func(i int, row []float64)) {
	g.judge(m, records)
	n := len(records)
	scale, row := 1/g.forward[1<<n-1], make([]float64, m.values)
	for i := range n {
		clear(row)
		for j, other := range records {
			row[m.value[other]] += g.posterior[i][j] * scale
		}
		visit(i, row)
	}
}

// A verdict is what a reader with the model learns about a group.
type verdict struct {
	// mean is the expected posterior of a record's own value: the sum of R^2 over records and values, per record. 1/m is perfect.
	mean float64
	// greatest is the greatest posterior of any value of any record.
	greatest float64
}

// judge computes R for a group from its records and its values in the given order. The
// assignment of values to records does not matter: permuting the values only permutes slots.
//
// The probability of a matching s is proportional to the product of P(v_s(i)|q_i), and R_ij is that of
// all matchings with s(i) = j. If the first k records fill the subset S of k slots, forward[S] is the
// sum over their matchings; backward[S] is that of the other records with the other slots. O(2^m m).
func (t *matcher) judge(m *Model, records []uint32) verdict {
	n := len(records)
	t.weigh(m, records)
	full := 1<<n - 1
	t.forward[0], t.backward[full] = 1, 1
	for s := 1; s <= full; s++ {
		row, sum := &t.weight[bits.OnesCount(uint(s))-1], 0.0
		for left := uint(s); left > 0; left &= left - 1 {
			j := bits.TrailingZeros(left)
			sum += t.forward[s&^(1<<j)] * row[j]
		}
		t.forward[s] = sum
	}
	for i := range n {
		clear(t.posterior[i][:n])
	}
	for s := full - 1; s >= 0; s-- {
		i, sum := bits.OnesCount(uint(s)), 0.0
		row, posterior, ahead := &t.weight[i], &t.posterior[i], t.forward[s]
		for left := uint(full &^ s); left > 0; left &= left - 1 {
			j := bits.TrailingZeros(left)
			x := row[j] * t.backward[s|1<<j]
			sum += x
			posterior[j] += ahead * x
		}
		t.backward[s] = sum
	}
	return t.sum(m, records, 1/t.forward[full])
}

// weigh sets the weights, each row divided by its maximum.
func (t *matcher) weigh(m *Model, records []uint32) {
	for i, record := range records {
		score, greatest := m.ScoreOf(record), float32(0)
		for _, other := range records {
			greatest = max(greatest, score[m.value[other]])
		}
		if greatest == 0 {
			greatest = 1
		}
		for j, other := range records {
			t.weight[i][j] = max(minScore, float64(score[m.value[other]]/greatest))
		}
	}
}

// sum adds up the slots of each value, and the squares.
func (t *matcher) sum(m *Model, records []uint32, scale float64) (v verdict) {
	n := len(records)
	for j := range n {
		for earlier := range j { // the first slot of a value gets its probability
			if m.value[records[earlier]] == m.value[records[j]] {
				for i := range n {
					t.posterior[i][earlier] += t.posterior[i][j]
					t.posterior[i][j] = 0
				}
				break
			}
		}
	}
	for i := range n {
		for _, x := range t.posterior[i][:n] {
			v.mean += x * scale * x * scale
			v.greatest = max(v.greatest, x*scale)
		}
	}
	v.mean /= float64(n)
	return v
}
