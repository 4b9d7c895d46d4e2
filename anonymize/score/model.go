package score

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

const (
	folds = 5
	// maxFitted is the greatest number of records to which a fold's model is fitted: its coefficients are a few hundred.
	maxFitted = 50_000
	// MaxValues is the greatest number of values of a score.
	MaxValues = 256
)

// A Model has the score of every record.
type Model struct {
	rows, values int
	value        []uint32  // by record: the position of its value in a score
	score        []float32 // by record and value: P(v|q)
}

// Fit scores the records. Values are those of the buckets, in their order. A *anonymize.DataError reports too many values.
func Fit(ctx context.Context, in *anonymize.Input, b *bucketization.Buckets, random *rand.Rand) (*Model, error) {
	switch {
	case len(b.List) > MaxValues && len(in.NotSensitive) > 0:
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("homogeneous=score takes up to %d values of %s, and each value that is no secret counts as many of them, so that it is "+
			"frequent in no group: leave not_sensitive out, or say homogeneous=true", MaxValues, in.Sensitive[0].Name)}
	case len(b.List) > MaxValues:
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("%s has %d values, a score takes up to %d: make them coarser, or say homogeneous=true",
			in.Sensitive[0].Name, len(b.List), MaxValues)}
	}
	place := make([]uint32, len(b.Count))
	for i, v := range b.List {
		place[v] = uint32(i)
	}
	return FitColumns(ctx, in.QuasiIdentifiers, anonymize.Gather(place, b.Value), len(b.List), random)
}

// FitColumns scores the records by some columns, at least one. value has each record's value, a
// number below values, which is at most MaxValues.
func FitColumns(ctx context.Context, quasiIdentifiers []*anonymize.Column, value []uint32, values int, random *rand.Rand) (*Model, error) {
	m := &Model{rows: len(value), values: values, value: value, score: make([]float32, len(value)*values)}
	records := anonymize.Indices(m.rows)
	bucketization.Shuffle(records, random)
	f := newFeatures(quasiIdentifiers)
	return m, parallel.Run(ctx, folds, func(fold int) error { return m.scoreFold(ctx, f, records, fold) })
}

// scoreFold scores a fifth of the records by a model of the others.
func (m *Model) scoreFold(ctx context.Context, f *features, records []uint32, fold int) error {
	first, end := fold*m.rows/folds, (fold+1)*m.rows/folds
	others := append(append(make([]uint32, 0, m.rows), records[end:]...), records[:first]...)
	fitted, err := fitLogistic(ctx, f, m.value, m.values, others[:min(len(others), maxFitted)])
	if err != nil {
		return err
	}
	p := make([]float64, m.values)
	for _, record := range records[first:end] {
		fitted.predict(record, p)
		for v, x := range p {
			m.score[int(record)*m.values+v] = float32(x)
		}
	}
	return nil
}

// ScoreOf returns the score of a record, P(v|q) by value.
func (m *Model) ScoreOf(record uint32) []float32 { return m.score[int(record)*m.values:][:m.values] }

// meanOfOwn returns the mean probability of a record's own value for a reader who has the model and knows no group.
func (m *Model) meanOfOwn() (mean float64) {
	for record, v := range m.value {
		mean += float64(m.ScoreOf(uint32(record))[v])
	}
	return mean / float64(m.rows)
}

// massAbove returns the part of the scores above a share, which groups cannot hide if no value exceeds that share.
func (m *Model) massAbove(share float64) (mass float64) {
	for _, p := range m.score {
		mass += max(0, float64(p)-share)
	}
	return mass / float64(m.rows)
}

const (
	// doubtful is the mass above 1/l that causes a warning; negligible is the mass at which an l is recommended.
	doubtful, negligible = 0.05, 0.02
)

// Facts says how far groups can hide the scores if no value exceeds a share.
func (m *Model) Facts(share float64) []anonymize.Fact {
	mass := m.massAbove(share)
	facts := []anonymize.Fact{{Name: "score", Value: fmt.Sprintf(
		"mean probability of a record's own value %.3f for an attacker who has the model and no group; %.1f %% of the scores lie above %.3g", m.meanOfOwn(), 100*mass, share)}}
	if mass <= doubtful {
		return facts
	}
	remedy := "no l from 2 is without"
	for l := int(1 / share); l >= 2; l-- {
		if m.massAbove(1/float64(l)) <= negligible {
			remedy = fmt.Sprintf("largest l without: %d", l)
			break
		}
	}
	return append(facts, anonymize.Fact{Name: "warning", Value: fmt.Sprintf(
		"the bound %.3g cannot be kept against who knows how quasi-identifiers and the sensitive value go together; %s", share, remedy)})
}
