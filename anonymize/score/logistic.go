package score

import (
	"context"
	"math"
)

const (
	descents = 150
	momentum = 0.85
	penalty  = 1.0 // on half the squared weights
)

// A logistic is a multinomial logistic regression of the sensitive value: weights by feature and value.
type logistic struct {
	*features
	values int
	weight []float64
}

// fitLogistic minimizes the log loss of the records with a penalty on the squared weights, in a
// fixed number of gradient steps with momentum from zero. Each weight has its own step, from a
// bound of the Hessian's diagonal: a quarter of the records with the feature, times the
// features per record; 0.6 of that suffices in practice. O(steps x records x columns x values).
func fitLogistic(ctx context.Context, f *features, value []uint32, values int, records []uint32) (*logistic, error) {
	l := &logistic{features: f, values: values, weight: make([]float64, (f.total+1)*values)}
	gradient, velocity := make([]float64, len(l.weight)), make([]float64, len(l.weight))
	bound := l.bounds(records)
	p := make([]float64, values)
	for range descents {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for i, w := range l.weight {
			gradient[i] = penalty * w
		}
		for _, record := range records {
			l.predict(record, p)
			p[value[record]]--
			l.add(gradient, record, p)
		}
		for i := range l.weight {
			velocity[i] = momentum*velocity[i] - gradient[i]/bound[i/values]
			l.weight[i] += velocity[i]
		}
	}
	return l, nil
}

// bounds returns bounds of the Hessian's diagonal, by feature.
func (l *logistic) bounds(records []uint32) []float64 {
	bound := make([]float64, l.total+1)
	for _, record := range records {
		for _, feature := range l.featuresOf(record) {
			bound[feature]++
		}
		bound[l.total]++
	}
	for i := range bound {
		bound[i] = 0.25*0.6*float64(l.columns)*bound[i] + penalty
	}
	return bound
}

// add adds p to the rows of a record's features.
func (l *logistic) add(to []float64, record uint32, p []float64) {
	for _, feature := range l.featuresOf(record) {
		row := to[int(feature)*l.values:][:len(p)]
		for v, x := range p {
			row[v] += x
		}
	}
	row := to[l.total*l.values:][:len(p)]
	for v, x := range p {
		row[v] += x
	}
}

// predict sets p to the probabilities of the values.
func (l *logistic) predict(record uint32, p []float64) {
	copy(p, l.weight[l.total*l.values:])
	for _, feature := range l.featuresOf(record) {
		row := l.weight[int(feature)*l.values:][:len(p)]
		for v, w := range row {
			p[v] += w
		}
	}
	greatest, sum := p[0], 0.0
	for _, x := range p {
		greatest = max(greatest, x)
	}
	for v, x := range p {
		p[v] = math.Exp(x - greatest)
		sum += p[v]
	}
	for v := range p {
		p[v] /= sum
	}
}
