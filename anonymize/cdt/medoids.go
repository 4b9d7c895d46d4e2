package cdt

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"

	"github.com/anonsql/anonsql/anonymize/parallel"
)

// A pam clusters a sample around medoids (Section 3.1.6): BUILD and SWAP of Kaufman and
// Rousseeuw, Finding Groups in Data, 1990. As in FastPAM1, one pass over the sample finds the
// best exchange for all medoids (Schubert and Rousseeuw, Faster k-Medoids Clustering, SISAP
// 2019): the same exchanges as PAM's, in O(n^2) each instead of O(k n^2). Ties go to the
// smallest candidate, then to the smallest medoid.
type pam struct {
	*sample
	d          measure
	n          int
	matrix     []uint32 // row by row: distances between positions; nil: measured when needed
	candidates []int    // positions that may be medoids, ascending
	built      []int    // medoids of BUILD, in order; BUILD for k gives the first k
	least      []uint32 // by position: distance to built

	// The clustering at hand.
	medoids       []int
	place         []uint32 // by position: its nearest medoid, an index into medoids
	first, second []uint32 // distances to the nearest two; maxDistance if there is none
	isMedoid      []bool
	sum           int64 // of weight times first: the objective
}

// maxDistance exceeds every distance.
const maxDistance = unit << 1

// newPam prepares a sample whose distances are measured when needed.
func newPam(d measure, s *sample) *pam {
	n := len(s.tuple)
	return &pam{sample: s, d: d, n: n, place: make([]uint32, n), first: make([]uint32, n), second: make([]uint32, n), isMedoid: make([]bool, n)}
}

// newMeasuredPam measures all distances. O(n^2).
func newMeasuredPam(ctx context.Context, d measure, s *sample) (*pam, error) {
	p := newPam(d, s)
	matrix := make([]uint32, p.n*p.n)
	err := parallel.Run(ctx, p.n, func(i int) error {
		p.measure(i, 0, matrix[i*p.n:(i+1)*p.n])
		if i%256 == 0 {
			return ctx.Err()
		}
		return nil
	})
	p.matrix, p.least = matrix, make([]uint32, p.n)
	for i := range p.least {
		p.least[i] = maxDistance
	}
	for c := range s.medoids {
		p.candidates = append(p.candidates, c)
	}
	return p, err
}

// measure sets row to the distances from position i to position first and the following ones.
func (p *pam) measure(i, first int, row []uint32) {
	for j := range row {
		if row[j] = 0; i != first+j {
			row[j] = p.d.tupleDistance(int(p.tuple[i]), int(p.tuple[first+j]))
		}
	}
}

// row returns the distances from position i to all, in buffer if they must be measured.
func (p *pam) row(i int, buffer []uint32) []uint32 {
	if p.matrix != nil {
		return p.matrix[i*p.n : (i+1)*p.n]
	}
	p.measure(i, 0, buffer)
	return buffer
}

// build extends built to k medoids: each is the one that lowers the sum of distances most.
func (p *pam) build(k int) {
	for len(p.built) < k {
		found := p.bestCandidate(p.built, func(_ int, row []uint32) (int64, int) {
			sum := int64(0)
			for j, d := range row {
				sum += p.weight[j] * int64(min(d, p.least[j]))
			}
			return sum, 0
		})
		p.built = append(p.built, found.candidate)
		for j, d := range p.row(found.candidate, nil) {
			p.least[j] = min(p.least[j], d)
		}
	}
}

// A finding is a candidate with its figure and its counterpart.
type finding struct {
	figure          int64
	candidate, with int
}

// bestCandidate returns the candidate with the least figure that is not taken, the first of
// several; -1 if there is none. It is short, so only cluster checks the context.
func (p *pam) bestCandidate(taken []int, figure func(candidate int, row []uint32) (int64, int)) finding {
	clear(p.isMedoid)
	for _, m := range taken {
		p.isMedoid[m] = true
	}
	n := len(p.candidates)
	parts := make([]finding, max(1, min(runtime.GOMAXPROCS(0), n*p.n>>14)))
	_ = parallel.Run(context.Background(), len(parts), func(i int) error {
		var buffer []uint32
		if p.matrix == nil {
			buffer = make([]uint32, p.n)
		}
		best := finding{math.MaxInt64, -1, 0}
		for _, c := range p.candidates[i*n/len(parts) : (i+1)*n/len(parts)] {
			if p.isMedoid[c] {
				continue
			}
			if f, with := figure(c, p.row(c, buffer)); f < best.figure {
				best = finding{f, c, with}
			}
		}
		parts[i] = best
		return nil
	})
	return slices.MinFunc(parts, func(x, y finding) int { return cmp.Compare(x.figure, y.figure) })
}

// cluster finds k medoids: BUILD, then exchanges until none lowers the sum. k must be at most
// the number of candidates.
func (p *pam) cluster(ctx context.Context, k int) error {
	p.build(k)
	return p.improve(ctx, p.built[:k])
}

// improve exchanges medoids until no exchange lowers the sum.
func (p *pam) improve(ctx context.Context, medoids []int) error {
	p.medoids = append(p.medoids[:0], medoids...)
	for more := true; more; more = p.swap() {
		p.assign()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// stretch is the number of positions of a parallel task.
const stretch = 1 << 12

// assign finds the nearest two medoids of every position; ties go to the smaller one. A medoid
// is nearest to itself.
func (p *pam) assign() {
	sums := make([]int64, (p.n+stretch-1)/stretch)
	_ = parallel.Run(context.Background(), len(sums), func(part int) error {
		first := part * stretch
		buffer := make([]uint32, min(stretch, p.n-first))
		for j := range buffer {
			p.place[first+j], p.first[first+j], p.second[first+j] = 0, maxDistance, maxDistance
		}
		for place, m := range p.medoids {
			row := buffer
			if p.matrix != nil {
				row = p.row(m, nil)[first : first+len(buffer)]
			} else {
				p.measure(m, first, row)
			}
			p.offer(place, first, row)
		}
		for j := range buffer {
			sums[part] += p.weight[first+j] * int64(p.first[first+j])
		}
		return nil
	})
	p.sum = 0
	for _, sum := range sums {
		p.sum += sum
	}
}

// offer considers one medoid for the positions from first on.
func (p *pam) offer(place, first int, row []uint32) {
	m := p.medoids[place]
	for i, d := range row {
		j := first + i
		other := p.medoids[p.place[j]]
		if d < p.first[j] || d == p.first[j] && j != other && m < other || j == m {
			p.place[j], p.first[j], p.second[j] = uint32(place), d, p.first[j]
		} else {
			p.second[j] = min(p.second[j], d)
		}
	}
}

// swap makes the exchange that lowers the sum most, and reports whether there was one. The
// caller must then assign.
func (p *pam) swap() bool {
	removal := make([]int64, len(p.medoids)) // what the sum gains without the medoid
	for j, place := range p.place {
		removal[place] += p.weight[j] * int64(p.second[j]-p.first[j])
	}
	found := p.bestCandidate(p.medoids, func(_ int, row []uint32) (int64, int) { return p.exchange(row, removal) })
	if found.candidate < 0 || found.figure >= 0 {
		return false
	}
	p.medoids[found.with] = found.candidate
	return true
}

// exchange returns the change of the sum if the candidate with these distances replaces the
// best medoid for it, and that medoid's index.
func (p *pam) exchange(row []uint32, removal []int64) (change int64, place int) {
	var array [32]int64
	delta := append(array[:0], removal...)
	shared := int64(0)
	for j, d := range row {
		first, second := p.first[j], p.second[j]
		switch {
		case d < first:
			shared += p.weight[j] * (int64(d) - int64(first))
			delta[p.place[j]] += p.weight[j] * (int64(first) - int64(second))
		case d < second:
			delta[p.place[j]] += p.weight[j] * (int64(d) - int64(second))
		}
	}
	for i, x := range delta {
		if x < delta[place] || x == delta[place] && p.medoids[i] < p.medoids[place] {
			place = i
		}
	}
	return delta[place] + shared, place
}
