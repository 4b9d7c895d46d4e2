package attack

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
	"github.com/anonsql/anonsql/anonymize/score"
)

// Supervised is an attacker with the best possible outside statistics of how the quasi-identifiers predict the sensitive
// attribute: a multinomial logit fitted to the owner's own records, where each record is judged by a model that did not see it
// (package score: five folds, 12 bins per number). floor is what these statistics reveal without any release; its Baseline is the
// share of the record's value in the table. Whatever an attacker with the release has beyond the floor, the release revealed.
// inside is what the statistics reveal to an attacker who also knows the record's group: the same probabilities over all
// matchings of the group's records and values, or beyond [score.MaxExact] records scaled to the group's counts as in [DeFinetti].
// If group counts have noise, inside is the floor. It has no record in groups that DeFinetti refuses.
//
// Of Options it uses only Sample and Random. Errors: more than [score.MaxValues] values, no quasi-identifier, and those of DeFinetti.
//
// Cost: 2.5 x 150 steps x records x quasi-identifiers x values; about 8 s for 50,000 records with 8 quasi-identifiers and 14 values.
func Supervised(ctx context.Context, r *anonymize.Release, truth Truth, o Options) (floor, inside Result, err error) {
	s, err := newStatistics(ctx, r, truth, o)
	if err != nil {
		return floor, inside, fmt.Errorf("attack with statistics: %w", err)
	}
	var t tally
	judged := truth.judged()
	for place, record := range s.records {
		if !judged[record] {
			continue
		}
		for i, p := range s.model.ScoreOf(uint32(place)) {
			s.likely[i] = float64(p)
		}
		t.scoreRecord(s.values, s.shares, s.likely, truth.Sensitive.Codes[record], s.unique[record])
	}
	if floor = t.result(); r.Model.Hides(truth.Sensitive.Name) {
		return floor, floor, nil
	}
	w, err := worldsOf(r, truth, s.groups)
	if err != nil {
		return floor, inside, nil // the matchings in such groups are unknown: see DeFinetti
	}
	inside, err = s.judgeGroups(ctx, w)
	return floor, inside, err
}

// statistics have a score for every record in a sample of the groups.
type statistics struct {
	model   *score.Model
	groups  []int
	records []uint32  // of the groups; their positions are the model's records
	place   []uint32  // by record
	values  []uint32  // by position in a score: the sensitive code
	at      []uint32  // by sensitive code: its position in a score
	shares  []float64 // by position in a score: share of the table
	likely  []float64 // a buffer for a score
	unique  []bool
}

func newStatistics(ctx context.Context, r *anonymize.Release, truth Truth, o Options) (*statistics, error) {
	start, members, err := byGroup(r, truth)
	if err != nil {
		return nil, err
	}
	s := &statistics{unique: truth.unique(), place: make([]uint32, r.Rows)}
	if s.groups, err = sample(r, o); err != nil {
		return nil, err
	}
	for _, g := range s.groups {
		for _, record := range members[start[g]:start[g+1]] {
			s.place[record] = uint32(len(s.records))
			s.records = append(s.records, record)
		}
	}
	s.number(truth.Sensitive)
	if len(truth.QuasiIdentifiers) == 0 {
		return nil, errors.New("it learns from quasi-identifiers, and the release has none")
	}
	if len(s.values) > score.MaxValues {
		return nil, fmt.Errorf("%s has %d values, and it is for up to %d", truth.Sensitive.Name, len(s.values), score.MaxValues)
	}
	s.model, err = s.fit(ctx, truth, o)
	return s, err
}

// number assigns the occurring values their positions in a score.
func (s *statistics) number(sensitive *anonymize.Column) {
	s.at = make([]uint32, len(sensitive.Dictionary))
	for code, n := range sensitive.Histogram() {
		if n > 0 {
			s.at[code] = uint32(len(s.values))
			s.values, s.shares = append(s.values, uint32(code)), append(s.shares, float64(n)/float64(sensitive.Rows()))
		}
	}
	s.likely = make([]float64, len(s.values))
}

func (s *statistics) fit(ctx context.Context, truth Truth, o Options) (*score.Model, error) {
	of := func(c *anonymize.Column) *anonymize.Column {
		some := *c
		some.Codes = anonymize.Gather(c.Codes, s.records)
		return &some
	}
	var columns []*anonymize.Column
	for _, c := range truth.QuasiIdentifiers {
		columns = append(columns, of(c))
	}
	value := of(truth.Sensitive).Codes
	for i, code := range value {
		value[i] = s.at[code]
	}
	source := o.Random
	if source == nil {
		source = rand.NewPCG(1, 1) // all records: only for the folds
	}
	return score.FitColumns(ctx, columns, value, len(s.values), rand.New(source))
}

// judgeGroups scores the posteriors of all classes.
func (s *statistics) judgeGroups(ctx context.Context, w *worlds) (Result, error) {
	const shards = 16
	found := make([]tally, shards)
	err := parallel.Run(ctx, shards, func(i int) error {
		var m matching
		var small score.Group
		first, end := w.part(i, shards)
		for number := first; number < end; number++ {
			if number%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			c := w.classOf(number)
			m.reset(len(c.members), len(c.values))
			s.posterior(&m, &small, c)
			found[i].look(&m, w, c)
		}
		return nil
	})
	return sumOf(found).result(), err
}

// posterior is exact in small groups; in larger ones and in cells, it scales the scores to the counts.
func (s *statistics) posterior(m *matching, small *score.Group, c class) {
	if c.counts == nil || len(c.members) > score.MaxExact {
		for i, record := range c.members {
			s.pick(m.row(i), s.model.ScoreOf(s.place[record]), c.values)
		}
		m.posterior(c)
		return
	}
	places := anonymize.Gather(s.place, c.members)
	small.Posterior(s.model, places, func(i int, row []float64) {
		for j, v := range c.values {
			m.row(i)[j] = row[s.at[v]]
		}
	})
}

// pick copies the scores of some values.
func (s *statistics) pick(row []float64, likely []float32, values []uint32) {
	for j, v := range values {
		row[j] = max(float64(likely[s.at[v]]), minLikelihood)
	}
}
