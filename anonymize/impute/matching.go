package impute

import "math/rand/v2"

// maxExact is the greatest number of slots for which a matching is drawn in one step, from all
// matchings. A row of weights has room for one more.
const (
	maxExact = 7
	stride   = maxExact + 1
)

// A matcher draws matchings of a few slots with as many tuples. A matching's probability is
// proportional to the product of the weights of its pairs.
type matcher struct {
	size int
	// weight[s][t] is the positive weight of slot s with tuple t.
	weight [maxExact][stride]float64
	// ways[set] is the sum over all matchings of the first |set| slots with the tuples of the
	// set.
	ways [1 << maxExact]float64
	// drawn[s] is the tuple of slot s.
	drawn [maxExact]uint8
}

// A matchingStep is a step of the recursion: a set of tuples, its elements, and the set without each.
type matchingStep struct {
	set           uint8
	tuple, before [maxExact]uint8
}

// matchingSteps[k-1] are the sets of k tuples, ascending, so those within the first n tuples
// come first. matchingCounts[n][k-1] is the number of these.
var matchingSteps, matchingCounts = func() (steps [maxExact][]matchingStep, count [maxExact + 1][maxExact]int) {
	for set := 1; set < 1<<maxExact; set++ {
		s, k := matchingStep{set: uint8(set)}, 0
		for t := range maxExact {
			if set>>t&1 == 1 {
				s.tuple[k], s.before[k] = uint8(t), uint8(set&^(1<<t))
				k++
			}
		}
		steps[k-1] = append(steps[k-1], s)
		for n := 1; n <= maxExact; n++ {
			if set < 1<<n {
				count[n][k-1]++
			}
		}
	}
	return steps, count
}()

// draw draws a matching. It computes ways by dynamic programming over sets of tuples (the
// recursion for permanents of Ryser, 1963, chapter 2, by rows), then draws backwards from the
// last slot. Cost: size * 2^(size-1) products.
func (m *matcher) draw(random *rand.Rand) {
	m.add()
	// Unless the total is close to 0 or to infinity, nothing relevant was lost.
	if all := m.ways[1<<m.size-1]; !(all > 1e-250 && all < 1e250) {
		for s := range m.size {
			level(m.weight[s][:m.size])
		}
		m.add()
	}
	left := uint8(1<<m.size - 1)
	bits, half := uint64(0), false // two numbers from each 64 bits of the source
	for s := m.size - 1; s > 0; s-- {
		if half = !half; half {
			bits = random.Uint64()
		} else {
			bits <<= 32
		}
		weight := &m.weight[s]
		at := float64(float64(bits>>32)*(1.0/(1<<32))) * m.ways[left&(1<<maxExact-1)]
		chosen := uint8(0)
		for t := range uint8(m.size) {
			if left>>t&1 == 0 {
				continue
			}
			chosen = t
			at -= float64(m.ways[left&^(1<<t)&(1<<maxExact-1)] * weight[t])
			if at < 0 {
				break
			}
		}
		m.drawn[s] = chosen
		left &^= 1 << chosen
	}
	chosen := uint8(0)
	for left > 1 {
		left >>= 1
		chosen++
	}
	m.drawn[0] = chosen
}

// add computes ways by size of set; it unrolls the small sets, which are the most.
func (m *matcher) add() {
	const mask = 1<<maxExact - 1
	count := &matchingCounts[m.size]
	for t := range m.size {
		m.ways[1<<t] = m.weight[0][t]
	}
	for k := 1; k < m.size; k++ {
		weight := &m.weight[k]
		of := func(s *matchingStep, i int) float64 {
			return float64(m.ways[s.before[i]&mask] * weight[s.tuple[i]%stride])
		}
		sets := matchingSteps[k][:count[k]]
		switch k + 1 {
		case 2:
			for i := range sets {
				s := &sets[i]
				m.ways[s.set&mask] = of(s, 0) + of(s, 1)
			}
		case 3:
			for i := range sets {
				s := &sets[i]
				m.ways[s.set&mask] = of(s, 0) + of(s, 1) + of(s, 2)
			}
		case 4:
			for i := range sets {
				s := &sets[i]
				m.ways[s.set&mask] = (of(s, 0) + of(s, 1)) + (of(s, 2) + of(s, 3))
			}
		default:
			for i := range sets {
				s := &sets[i]
				sum := (of(s, 0) + of(s, 1)) + (of(s, 2) + of(s, 3))
				for i := 4; i <= k; i++ {
					sum += of(s, i)
				}
				m.ways[s.set&mask] = sum
			}
		}
	}
}

// level divides weights by the largest.
func level(weight []float64) {
	most := 0.0
	for _, x := range weight {
		most = max(most, x)
	}
	scale := 1 / most
	for k, x := range weight {
		weight[k] = max(float64(x*scale), minOdds)
	}
}
