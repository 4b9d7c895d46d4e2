package slicing

import (
	"context"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A sensitive has what the sensitive attribute's column group shows of every record: its class,
// the quasi-identifiers published beside the sensitive value, and the pair of class and value.
// If the sensitive attribute is alone, there is one class. A bucket is l-diverse if in each of
// its classes no pair has more than one in l of the records.
type sensitive struct {
	buckets *bucketization.Buckets
	linked  *bucketization.Projection // the classes; nil when there is one
	// class and pair have an entry per record; class is nil when there is one.
	class, pair    []uint32
	classes, pairs int
	valueOf        []uint32 // the sensitive value of every pair
}

// countValues returns the records by sensitive value.
func countValues(in *anonymize.Input) (*bucketization.Buckets, error) {
	if err := bucketization.CheckInput("slicing", in); err != nil {
		return nil, err
	}
	return bucketization.BucketsOf(in, in.Sensitive[0]), nil
}

// newSensitive numbers classes and pairs of the sensitive attribute's column group and checks
// that l is feasible: the class of a union of buckets is the union of their classes, and its
// shares are means, so some release is l-diverse if and only if the whole table, as one bucket,
// is.
func newSensitive(ctx context.Context, b *bucketization.Buckets, group []*anonymize.Column, l int) (*sensitive, error) {
	s := &sensitive{buckets: b, pair: b.Value, pairs: len(b.Count), classes: 1}
	if len(group) == 1 {
		s.valueOf = anonymize.Indices(s.pairs)
		return s, nil
	}
	var err error
	if s.linked, err = bucketization.NewProjection(ctx, group[:len(group)-1]); err != nil {
		return nil, err
	}
	s.class, s.classes = s.linked.ID, len(s.linked.Frequency)
	pairs, err := bucketization.NewProjection(ctx, []*anonymize.Column{
		numbered(s.class, s.classes), numbered(b.Value, len(b.Count))})
	if err != nil {
		return nil, err
	}
	s.pair, s.pairs = pairs.ID, len(pairs.Frequency)
	s.valueOf = anonymize.Gather(b.Value, pairs.Sample)
	return s, s.checkClasses(pairs, l)
}

// numbered returns a column of which only the codes matter.
func numbered(codes []uint32, width int) *anonymize.Column {
	return &anonymize.Column{Codes: codes, Dictionary: make([]anonymize.Value, width)}
}

// checkClasses finds the class that permits the smallest l.
func (s *sensitive) checkClasses(pairs *bucketization.Projection, l int) error {
	largest, worst := s.buckets.Rows()+1, -1 // above what any pair allows
	for pair, n := range pairs.Frequency {
		if n == 0 {
			continue
		}
		if most := int(s.linked.Frequency[s.class[pairs.Sample[pair]]] / n); most < largest {
			largest, worst = most, pair
		}
	}
	if largest >= l {
		return nil
	}
	class := s.class[pairs.Sample[worst]]
	return &anonymize.InfeasibleError{Parameter: "l", Given: anonymize.NewRatio(uint64(l), 1),
		Largest: anonymize.NewRatio(uint64(largest), 1),
		Obstacle: fmt.Sprintf("sa_column=grouped publishes %s beside the sensitive attribute, and %s is %d of the %d records with %s",
			names(s.linked.Columns), s.buckets.Describe(s.valueOf[worst]), pairs.Frequency[worst],
			s.linked.Frequency[class], s.linked.Describe(int(class)))}
}

// classOf returns the class of a record.
func (s *sensitive) classOf(record uint32) uint32 {
	if s.class == nil {
		return 0
	}
	return s.class[record]
}
