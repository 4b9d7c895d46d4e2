package cdt

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// cluster is CDT as printed, Section 3.2, and the merges that make it keep its
// promises.
func cluster(
	ctx context.Context,
	in *anonymize.Input,
	quasi []*generalization.Attribute,
	p parameters,
	random *rand.Rand,
) (*bucketization.Partition, []anonymize.Fact, error) {
	classes, facts, err := clusters(ctx, in, quasi, p, random)
	if err != nil {
		return nil, nil, err
	}
	in.Report("merges", 0, 1)
	m, err := newMerger(ctx, in, quasi, p.bounds, classes)
	if err != nil {
		return nil, nil, err
	}
	before := m.describe()
	merges, err := m.run(ctx)
	facts = append(facts, anonymize.Fact{Name: "merged classes", Value: fmt.Sprintf("%d merges; before, %s", merges, before)})
	return m.partition(), facts, err
}

// clusters are the classes as printed: S of the sensitive tuples, Q of the
// quasi-identifiers inside each of S.
func clusters(
	ctx context.Context,
	in *anonymize.Input,
	quasi []*generalization.Attribute,
	p parameters,
	random *rand.Rand,
) ([][]uint32, []anonymize.Fact, error) {
	sensitive := make([]*generalization.Attribute, len(in.Sensitive))
	for i, c := range in.Sensitive {
		var err error
		if sensitive[i], err = generalization.NewAttribute(c, in.Domain(c)); err != nil {
			return nil, nil, err
		}
	}
	first, err := newStage(ctx, in.Sensitive, sensitive, p.k1, p.kmax, random)
	if err != nil {
		return nil, nil, err
	}
	first.similarity = true
	first.report = func(done, total int) { in.Report("dissimilar tuples", done, total) }
	found, err := first.divide(ctx, anonymize.Indices(in.Rows))
	if err != nil {
		return nil, nil, err
	}
	facts := first.facts(found)
	second, err := newStage(ctx, in.QuasiIdentifiers, quasi, p.k2, p.kmax, random)
	if err != nil {
		return nil, nil, err
	}
	var classes [][]uint32
	for i, class := range found.classes {
		in.Report("similar tuples", i, len(found.classes))
		inside, err := second.divide(ctx, class)
		if err != nil {
			return nil, nil, err
		}
		classes = append(classes, inside.classes...)
	}
	return classes, append(facts, anonymize.Fact{Name: "clusters of similar quasi-identifiers",
		Value: fmt.Sprintf("%d in these %d classes", len(classes), len(found.classes))}), nil
}

// A stage clusters records by some of their attributes.
type stage struct {
	attributes []*generalization.Attribute
	tuples     *bucketization.Projection
	similarity bool
	k, kmax    int // k = 0: 2 to kmax, by the silhouette
	random     *rand.Rand
	report     func(done, total int)
}

func newStage(ctx context.Context, columns []*anonymize.Column, attributes []*generalization.Attribute, k, kmax int, random *rand.Rand) (*stage, error) {
	tuples, err := bucketization.NewProjection(ctx, columns)
	return &stage{attributes: attributes, tuples: tuples, k: k, kmax: kmax, random: random, report: func(int, int) {}}, err
}

// A division is what a stage made of some records.
type division struct {
	*clustering
	space   *space
	exact   bool
	classes [][]uint32 // of records, ascending
}

// divide clusters records: weights and ranges are those of these records.
func (s *stage) divide(ctx context.Context, records []uint32) (*division, error) {
	p := compress(records, s.tuples.ID, len(s.tuples.Frequency))
	d := measure{newSpace(s.attributes, p), s.similarity}
	if len(p.record) == 1 || s.k == 1 {
		return &division{clustering: &clustering{k: 1}, space: d.space, exact: true, classes: [][]uint32{records}}, nil
	}
	f, err := newFinder(ctx, d, p, s.random, maxExactRecords)
	if err != nil {
		return nil, err
	}
	best, err := s.choose(ctx, f, len(records))
	if err != nil {
		return nil, err
	}
	return &division{clustering: best, space: d.space, exact: f.drawn == nil, classes: f.classes(best, records, p)}, nil
}

// choose takes k as given, or the one of the greatest average silhouette width,
// the smallest of several; 1 where there are not two tuples to tell apart, or one
// is so frequent that samples have no other.
func (s *stage) choose(ctx context.Context, f *finder, records int) (*clustering, error) {
	if s.k > 0 {
		return f.find(ctx, min(s.k, f.greatestK()), false)
	}
	last := min(s.kmax, f.greatestK(), records-1)
	var best *clustering
	for k := 2; k <= last; k++ {
		s.report(k-2, last-1)
		c, err := f.find(ctx, k, true)
		if err != nil {
			return nil, err
		}
		if best == nil || c.width > best.width {
			best = c
		}
	}
	switch {
	case best == nil:
		return f.find(ctx, 1, false)
	case f.drawn == nil:
		return best, nil
	}
	return f.find(ctx, best.k, false)
}

// classes lists the records of every cluster that has some: a tuple's first
// record has the tuple's first position, the others have that of its copies.
func (f *finder) classes(c *clustering, records []uint32, p *points) [][]uint32 {
	copies := make([]int, len(p.record))
	for position, tuple := range f.whole.tuple {
		copies[tuple] = position // the copies come last, if there are any
	}
	classes := make([][]uint32, c.k)
	for i, record := range records {
		position := int(p.of[i])
		if record != p.record[p.of[i]] {
			position = copies[position]
		}
		place := c.place[position]
		classes[place] = append(classes[place], record)
	}
	return nonEmpty(classes)
}

func nonEmpty(classes [][]uint32) [][]uint32 {
	some := classes[:0]
	for _, class := range classes {
		if len(class) > 0 {
			some = append(some, class)
		}
	}
	return some
}

// facts tells what the first stage decided.
func (s *stage) facts(d *division) []anonymize.Fact {
	weights := make([]string, len(s.attributes))
	for i, a := range s.attributes {
		weights[i] = fmt.Sprintf("%s %.4f", a.Column.Name, d.space.weights[i])
	}
	how := "all distances measured"
	if !d.exact {
		how = fmt.Sprintf("medoids of %d samples of %d records", draws, sampleSize)
	}
	return []anonymize.Fact{
		{Name: "weights of the sensitive attributes", Value: strings.Join(weights, ", ")},
		{Name: "classes of dissimilar sensitive tuples", Value: fmt.Sprintf("%d, average silhouette width %.4f, %s", len(d.classes), d.width, how)},
	}
}
