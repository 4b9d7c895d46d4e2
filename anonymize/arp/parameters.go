package arp

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/initialpartition"
	"github.com/anonsql/anonsql/anonymize/locality"
)

// parameters are the arguments of one run, checked.
type parameters struct {
	request initialpartition.Request
	over    string
	retain  anonymize.Ratio // p
	alike   locality.Options
}

const (
	anatomy, slicing      = "anatomy", "slicing"
	ranges, randomization = "generalization", "randomization"
)

var (
	paramOver = anonymize.Choice("over", []string{anatomy, slicing, ranges, randomization},
		"how a group is published: anatomy, its quasi-identifiers together; slicing, each quasi-identifier unlinked from the others; generalization, "+
			"as ranges and sets; randomization, each record beside a randomized sensitive value")
	paramP = anonymize.Share("p",
		"for over=randomization: probability that a record keeps its sensitive value, at least 0 and below 1/(l+1); otherwise it gets one of the "+
			"group's values at random").Default("0")
)

// readParameters checks the settings against the table.
func readParameters(in *anonymize.Input, s anonymize.Settings) (p parameters, err error) {
	p.over, p.retain = paramOver.Read(s), paramP.Read(s)
	if p.retain.Num > 0 && p.over != randomization {
		return p, &anonymize.ParameterError{Parameter: "p", Value: p.retain.String(),
			Rule: "is for over=randomization; over=" + p.over + " has no retention probability"}
	}
	if p.alike, err = locality.OptionsOf(s); err != nil {
		return p, err
	}
	if p.over == randomization && in.ClosenessOf(in.Sensitive[0]) != nil {
		return p, &anonymize.ParameterError{Parameter: "over", Value: randomization,
			Rule: "must be " + anatomy + ", " + slicing + " or " + ranges + " with threshold or sa_sets: the values of a record's cell cannot be made to differ more"}
	}
	if p.over == randomization {
		err = p.alike.RefuseBound("with over=" + randomization + ": every record has probabilities of its own")
	} else {
		err = p.alike.RefuseUnions(in)
	}
	if err != nil {
		return p, err
	}
	if p.request, err = initialpartition.Read("arp", in, s); err != nil {
		return p, err
	}
	limit := anonymize.NewRatio(1, uint64(p.request.L)+1)
	if p.retain.Cmp(limit) >= 0 {
		return p, &anonymize.ParameterError{Parameter: "p", Value: p.retain.String(),
			Rule: fmt.Sprintf("must be below 1/(l+1) = %s: else groups of no size keep the probability of a value at 1/%d", limit, p.request.L)}
	}
	return p, nil
}

// groupSize returns the number of different values that a sub-block needs: l, or more if values
// are retained. The error is a *anonymize.InfeasibleError.
func (p *parameters) groupSize(b *bucketization.Buckets) (int, error) {
	if err := b.CheckDiversity(p.request.L); err != nil {
		return 0, err
	}
	value, H := b.MostFrequent()
	most := b.Rows() / int(H)
	size, ok := leastValues(p.request.L, p.retain, most)
	if !ok {
		return 0, &anonymize.InfeasibleError{Parameter: "p", Given: p.retain,
			Obstacle: fmt.Sprintf(
				"with it groups need more than %d different values to keep 1/%d, and %s is %d of %d records, so that they can have at most %d",
				most,
				p.request.L,
				b.Describe(value),
				H,
				b.Rows(),
				most,
			)}
	}
	return size, nil
}

// facts describe how groups are published.
func (p *parameters) facts(size int) []anonymize.Fact {
	if p.over != randomization {
		return nil
	}
	return []anonymize.Fact{
		{Name: "values of a group", Value: fmt.Sprintf("at least %d, so that retention with p = %s keeps 1/%d", size, p.retain, p.request.L)},
	}
}
