package impute

import "math"

// shrunk finds a prior variance for every pair of attributes of different fragments by
// empirical Bayes, from models that were fitted to differently weighted groups.
//
// Center theta in both directions; matchings depend only on the result. Then signal is the mean
// square of the models' mean, noise is their variance around it, both weighted by the
// categories' frequencies. Independent numbers of variance t have the weighted mean square t (1
// - sum p^2) (1 - sum q^2), so both are divided by these factors. The prior variance is
// max(signal - noise, noise / 4). It is never 0, since a pair below its noise need not be
// unrelated.
func shrunk(l *slots, models []*model) *prior {
	n := len(l.attributes)
	p := &prior{attributes: n, penalty: l.weakPrior().penalty, deviation: make([]float32, n*n)}
	frequency, records := l.frequencies(nil)
	share := make([]float64, len(frequency))
	for x, f := range frequency {
		share[x] = float64(f) / float64(records)
	}
	for i := range l.attributes {
		for j := range i {
			a, b := &l.attributes[i], &l.attributes[j]
			if a.fragment == b.fragment {
				continue
			}
			variance, ok := priorVariance(l.schema, a, b, share, models)
			if !ok {
				continue
			}
			penalty := float32(max(1, 0.5/variance))
			p.penalty[i*n+j], p.penalty[j*n+i] = penalty, penalty
			p.deviation[i*n+j] = float32(math.Sqrt(variance))
		}
	}
	return p
}

// priorVariance returns the prior variance of one pair; ok is false if an attribute has only one category.
func priorVariance(s *schema, a, b *attribute, share []float64, models []*model) (variance float64, ok bool) {
	p, q := share[a.first:a.end], share[b.first:b.end]
	spread := float64(diversity(p) * diversity(q))
	if spread <= 0 {
		return 0, false
	}
	centred := make([][]float64, len(models))
	for d, m := range models {
		centred[d] = doublyCentred(m.theta, s.categories, a, b, p, q)
	}
	signal, noise, count := 0.0, 0.0, float64(len(models))
	for i := range p {
		for j := range q {
			at, mean, around := i*len(q)+j, 0.0, 0.0
			for _, theta := range centred {
				mean += theta[at]
			}
			mean /= count
			for _, theta := range centred {
				around += square(theta[at] - mean)
			}
			weight := float64(p[i] * q[j])
			signal += float64(weight * square(mean))
			noise += float64(weight * around)
		}
	}
	signal, noise = signal/spread, noise/(count-1)/spread
	variance = max(signal-noise, noise/4)
	return variance, variance > 0
}

// diversity returns 1 - sum p^2 (Simpson 1949).
func diversity(p []float64) float64 {
	d := 1.0
	for _, x := range p {
		d -= square(x)
	}
	return d
}

// doublyCentred returns the theta of a pair minus its means along both attributes, weighted by
// their shares, by rows of a.
func doublyCentred(theta []float32, categories int, a, b *attribute, p, q []float64) []float64 {
	x := make([]float64, len(p)*len(q))
	for i := range p {
		row, mean := x[i*len(q):][:len(q)], 0.0
		for j := range q {
			row[j] = float64(theta[(a.first+i)*categories+b.first+j])
			mean += float64(q[j] * row[j])
		}
		for j := range row {
			row[j] -= mean
		}
	}
	for j := range q {
		mean := 0.0
		for i := range p {
			mean += float64(p[i] * x[i*len(q)+j])
		}
		for i := range p {
			x[i*len(q)+j] -= mean
		}
	}
	return x
}
