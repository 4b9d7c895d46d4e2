package crossbucket

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// parameters are the checked arguments of one run.
type parameters struct {
	k, l int
	// m is max(k, l): the least number of records of a lot.
	m int
	// g is the least multiple of k that is at least m: Algorithm 1's
	// diversity_num.
	g      int
	search string
}

const bottomUp, kd, paper = "bottomup", "kd", "paper"

// maxRestarts is the greatest number of records for search=paper, which scans all remaining
// records for every lot.
const maxRestarts = 100_000

var (
	paramK = anonymize.Int("k", 1, bucketization.MaxRows, "least number of records with the same generalized quasi-identifiers, at least 1").Positional()
	paramL = anonymize.Int("l", 1, bucketization.MaxRows, "a record's sensitive value has a probability of at most 1/l, l at least 1").Positional()

	paramSearch = anonymize.Choice("search", []string{bottomUp, kd, paper},
		"how lots are found: bottomup, from near records upwards; kd, from the whole table downwards in one tree; paper, as printed, with a new search "+
			"for every lot")
)

// readParameters checks the settings against the table.
func readParameters(in *anonymize.Input, s anonymize.Settings) (p parameters, err error) {
	p.k, p.l, p.search = paramK.Read(s), paramL.Read(s), paramSearch.Read(s)
	p.m = max(p.k, p.l)
	p.g = (p.m + p.k - 1) / p.k * p.k
	if err := bucketization.CheckInput("cross_bucket", in); err != nil {
		return p, err
	}
	if p.search == paper && in.Rows > maxRestarts {
		return p, &anonymize.ParameterError{Parameter: "search", Value: paper,
			Rule: fmt.Sprintf("must be %s or %s for more than %d records: it passes over the table once for every lot", bottomUp, kd, maxRestarts)}
	}
	return p, p.feasible(bucketization.NewBuckets(in.Sensitive[0], nil))
}

// feasible is the exact condition for lots of at least max(k, l) records with
// different sensitive values: H max(k, l) <= n. Necessary, for the H records of
// the most frequent value are in lots of their own; sufficient, see [sensitiveSet].
func (p parameters) feasible(b *bucketization.Buckets) error {
	value, most := b.MostFrequent()
	if int(most)*p.m <= b.Rows() {
		return nil
	}
	name, given, largest := "l", p.l, b.Rows()/int(most)
	if p.k > p.l {
		name, given = "k", p.k
	}
	return &anonymize.InfeasibleError{Parameter: name, Given: anonymize.NewRatio(uint64(given), 1),
		Largest: anonymize.NewRatio(uint64(largest), 1),
		Obstacle: fmt.Sprintf("%s is %d of %d records, and a lot has max(k, l) records of different values",
			b.Describe(value), most, b.Rows())}
}

// buckets returns the records by value. Values that count as one are merged if lots of max(k, l) records with distinct ones are feasible.
func (p parameters) buckets(in *anonymize.Input) *bucketization.Buckets {
	if b := bucketization.BucketsOf(in, in.Sensitive[0]); p.feasible(b) == nil {
		return b
	}
	return bucketization.NewBuckets(in.Sensitive[0], nil)
}

// promises: k, and that nobody's sensitive value is likelier than 1/l
// (Definition 10).
func (p parameters) promises() []anonymize.Promise {
	return []anonymize.Promise{
		{Guarantee: "k", Bound: anonymize.NewRatio(uint64(p.k), 1)},
		{Guarantee: "breach", Bound: anonymize.NewRatio(1, uint64(p.l))},
	}
}
