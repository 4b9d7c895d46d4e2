package cdt

import (
	"context"

	"github.com/anonsql/anonsql/anonymize/parallel"
)

// silhouette is the average silhouette width SW of the current clustering, Eq. (8): the mean
// over all records. Cohesion and separation are means over the other records of the own and of
// the nearest other cluster. A record alone in its cluster has width 0 (Rousseeuw 1987).
// O(n^2).
func (p *pam) silhouette(ctx context.Context) (float64, error) {
	if p.matrix == nil {
		return p.medoidSilhouette(), nil
	}
	size := make([]int64, len(p.medoids))
	for j, place := range p.place {
		size[place] += p.weight[j]
	}
	width := make([]float64, p.n)
	err := parallel.Run(ctx, p.n, func(i int) error {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var array [32]int64
		sums := append(array[:0], make([]int64, len(size))...)
		for j, d := range p.row(i, nil) {
			sums[p.place[j]] += p.weight[j] * int64(d)
		}
		width[i] = widthOf(sums, size, int(p.place[i]), (p.weight[i]-1)*int64(p.d.copies()))
		return nil
	})
	return mean(width, p.weight), err
}

// medoidSilhouette represents each cluster by its medoid: cohesion and separation are the
// distances to the nearest two medoids. O(n).
func (p *pam) medoidSilhouette() float64 {
	width := make([]float64, p.n)
	for j := range width {
		width[j] = ratio(float64(p.first[j]), float64(p.second[j]))
	}
	return mean(width, p.weight)
}

// widthOf returns s of Eq. (8) from the sums of distances to the records of every cluster; more
// is added to the own one.
func widthOf(sums, size []int64, own int, more int64) float64 {
	if size[own] == 1 {
		return 0
	}
	cohesion, separation := float64(sums[own]+more)/float64(size[own]-1), -1.0
	for c, sum := range sums {
		if s := float64(sum) / float64(size[c]); c != own && (separation < 0 || s < separation) {
			separation = s
		}
	}
	return ratio(cohesion, separation)
}

// ratio returns (s - c) / max(s, c), 0 if there is no separation.
func ratio(cohesion, separation float64) float64 {
	if most := max(cohesion, separation); most > 0 && separation >= 0 {
		return (separation - cohesion) / most
	}
	return 0
}

// mean weighs.
func mean(x []float64, weight []int64) float64 {
	sum, n := 0.0, int64(0)
	for i, w := range weight {
		sum += float64(w) * x[i]
		n += w
	}
	return sum / float64(n)
}
