package slicing

import (
	"context"
	"math"
)

// distances are between attributes, in units of 10^-12, so that sums and ties are exact.
type distances [][]int64

const unit = 1e12

// newDistances turns phi^2 into d = 1 - phi^2, Section 4.1.
func newDistances(phi [][]float64) distances {
	d := make(distances, len(phi))
	for i := range phi {
		d[i] = make([]int64, len(phi))
		for j := range phi[i] {
			if i != j {
				d[i][j] = int64(math.Round((1 - phi[i][j]) * unit))
			}
		}
	}
	return d
}

// maxDistance exceeds every distance, and sums of it do not overflow.
const maxDistance = int64(1) << 50

// cluster divides the attributes into k clusters around medoids, by PAM
// (Kaufman and Rousseeuw, Finding Groups in Data, 1990): BUILD, then SWAP until
// no exchange of a medoid lowers the sum of distances. Ties go to the lowest
// attribute. Clusters are in the order of their first attribute.
//
// Cost: O(k m) sums for BUILD, O(k m^2) additions for each exchange.
func cluster(ctx context.Context, d distances, k int) ([][]int, error) {
	p := &pam{d: d, isMedoid: make([]bool, len(d))}
	for range k {
		p.build()
	}
	for p.swap() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return p.clusters(), nil
}

// pam has a set of medoids and every attribute's distances from them.
type pam struct {
	d        distances
	medoids  []int
	isMedoid []bool
	// nearest is a place in medoids, first and second are the distances to the nearest two,
	// maxDistance for none.
	nearest       []int
	first, second []int64
}

// build adds the medoid that lowers the sum of distances most.
func (p *pam) build() {
	if p.first == nil {
		p.nearest, p.second = make([]int, len(p.d)), make([]int64, len(p.d))
		p.first = make([]int64, len(p.d))
		for j := range p.first {
			p.first[j] = maxDistance
		}
	}
	best, least := -1, int64(math.MaxInt64)
	for i := range p.d {
		if p.isMedoid[i] {
			continue
		}
		sum := int64(0)
		for j, near := range p.first {
			sum += min(near, p.d[i][j])
		}
		if sum < least {
			best, least = i, sum
		}
	}
	p.medoids = append(p.medoids, best)
	p.isMedoid[best] = true
	p.measure()
}

// measure finds the nearest two medoids of every attribute, the lower one on a tie; a medoid is
// its own nearest.
func (p *pam) measure() {
	for j := range p.d {
		best := 0
		p.second[j] = maxDistance
		for place, i := range p.medoids[1:] {
			loser := p.d[i][j]
			if p.closer(j, i, p.medoids[best]) {
				best, loser = place+1, p.d[p.medoids[best]][j]
			}
			p.second[j] = min(p.second[j], loser)
		}
		p.nearest[j], p.first[j] = best, p.d[p.medoids[best]][j]
	}
}

// closer reports whether attribute j belongs to medoid a rather than to b.
func (p *pam) closer(j, a, b int) bool {
	if p.d[a][j] != p.d[b][j] {
		return p.d[a][j] < p.d[b][j]
	}
	return a == j || b != j && a < b
}

// swap makes the exchange that lowers the sum of distances most, and reports whether there was
// one.
func (p *pam) swap() bool {
	least := int64(0)
	for _, near := range p.first {
		least += near
	}
	out, in := -1, -1
	for place := range p.medoids {
		for h := range p.d {
			if p.isMedoid[h] {
				continue
			}
			if sum := p.distanceAfter(place, h); sum < least {
				out, in, least = place, h, sum
			}
		}
	}
	if out < 0 {
		return false
	}
	p.isMedoid[p.medoids[out]], p.isMedoid[in] = false, true
	p.medoids[out] = in
	p.measure()
	return true
}

// distanceAfter returns the sum of distances with attribute h as the medoid at place.
func (p *pam) distanceAfter(place, h int) (sum int64) {
	for j, near := range p.first {
		if p.nearest[j] == place {
			near = p.second[j]
		}
		sum += min(near, p.d[h][j])
	}
	return sum
}

func (p *pam) clusters() [][]int {
	number := make([]int, len(p.medoids)) // of a medoid's cluster, from 1
	var clusters [][]int
	for j, place := range p.nearest {
		if number[place] == 0 {
			clusters = append(clusters, nil)
			number[place] = len(clusters)
		}
		clusters[number[place]-1] = append(clusters[number[place]-1], j)
	}
	return clusters
}
