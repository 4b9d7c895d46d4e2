package crossbucket

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// Method returns cross-bucket generalization as a method of the list.
func Method() anonymize.Method {
	return anonymize.Method{
		Name:       "cross_bucket",
		Title:      "Cross-bucket generalization: equivalence groups of k records, buckets across them for l-diversity",
		Source:     "Li, Liu, Han, Zhang, Cross-Bucket Generalization for Information and Privacy Preservation, IEEE TKDE 30(3), 2018",
		Parameters: anonymize.Declare(paramK, paramL, paramSearch, anonymize.Threshold, anonymize.Sets),
		Share:      bucketization.OneIn(paramL),
		Algorithm:  run,
	}
}

// run is Algorithm 1 with one of three searches for the lots.
func run(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error) {
	p, err := readParameters(in, settings)
	if err != nil {
		return nil, err
	}
	attributes, err := generalization.AttributesOf(in, p.search == paper)
	if err != nil {
		return nil, err
	}
	random := rand.New(in.Random)
	l, err := divide(ctx, in, attributes, p, random)
	if err != nil {
		return nil, err
	}
	classes, buckets := l.partitions(random)
	buckets, kept, err := l.keep(ctx, in, buckets, random)
	if err != nil {
		return nil, err
	}
	in.Report("fragments", 0, 1)
	r, generalized, err := generalization.Publish(ctx, "cross_bucket", in, attributes, classes, buckets, random)
	if err != nil {
		return nil, err
	}
	r.Promises = p.promises()
	r.Facts = slices.Concat(l.facts(buckets), generalization.Facts(generalized, classes), kept)
	return r, nil
}

// divide makes the lots of all records.
func divide(ctx context.Context, in *anonymize.Input, attributes []*generalization.Attribute, p parameters, random *rand.Rand) (*lots, error) {
	t := newTable(attributes, p.buckets(in), p)
	var err error
	if p.search == paper {
		err = t.restarting(ctx, in, random)
		return &t.lots, err
	}
	if err = t.arrange(ctx, in, random); err != nil {
		return nil, err
	}
	rest := t.order
	if p.search == bottomUp {
		if rest, err = t.bottomUp(ctx, in); err != nil {
			return nil, err
		}
	}
	return &t.lots, t.selectAll(ctx, in, rest)
}

// A table is the searches' view of the records.
type table struct {
	parameters
	attributes []*generalization.Attribute
	space      *space
	// rank has the sensitive value of every record as its place among all
	// values, the most frequent first.
	rank  []uint32
	count []uint32 // records by rank
	// order lists all records so that neighbours in it are near in space, cut into leaves: leaf
	// i is order[leaf[i]:leaf[i+1]].
	order []uint32
	leaf  []uint32
	lots  lots
}

func newTable(attributes []*generalization.Attribute, b *bucketization.Buckets, p parameters) *table {
	t := &table{parameters: p, attributes: attributes, space: newSpace(attributes), lots: newLots(p)}
	of := make([]uint32, len(b.Count))
	for rank, v := range b.List {
		of[v] = uint32(rank)
		t.count = append(t.count, b.Count[v])
	}
	t.rank = anonymize.Gather(of, b.Value)
	return t
}

// facts describe what the search did.
func (l *lots) facts(buckets *bucketization.Partition) []anonymize.Fact {
	least, most := len(buckets.Records(0)), 0
	for b := range buckets.Groups() {
		least, most = min(least, len(buckets.Records(b))), max(most, len(buckets.Records(b)))
	}
	low, high := l.sizes[0], uint32(0)
	for _, size := range l.sizes {
		low, high = min(low, size), max(high, size)
	}
	facts := []anonymize.Fact{
		{Name: "lots", Value: fmt.Sprintf("%d of %d to %d records with different sensitive values", len(l.sizes), low, high)},
		{Name: "buckets", Value: fmt.Sprintf("%d of %d to %d records", buckets.Groups(), least, most)},
	}
	if least == 1 {
		facts = append(
			facts,
			anonymize.Fact{
				Name:  "warning",
				Value: "there are buckets of one record: they show its sensitive value beside its cells, and only its equivalence group hides whose it is",
			},
		)
	}
	return facts
}
