package slppa

import (
	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/locality"
)

// parameters are the checked arguments of one run.
type parameters struct {
	// 1 demands nothing.
	alpha, beta, gamma, delta anonymize.Ratio
	tables                    int
	paperOrder                bool
	seedDivision              bool
	phi                       association.Options
	locality                  locality.Options
	// For several sensitive attributes: combined, or each separately.
	combined, each bool
}

const (
	balanced, paper = "balanced", "paper"
	average, seed   = "average", "seed"
)

var (
	paramAlpha = anonymize.PositiveShare("alpha",
		"greatest share of a group that one sub-tuple of a QI table may have, above 0 and at most 1").Default("1").Positional()
	paramBeta = anonymize.PositiveShare("beta",
		"greatest share of a group that one sensitive value may have, above 0 and at most 1").Positional()
	paramGamma = anonymize.PositiveShare("gamma",
		"greatest product, over all tables of a group, of the greatest share in each table, above 0 and at most 1").Default("1").Positional()
	paramDelta = anonymize.Share("delta",
		"greatest difference between a sensitive value's share of a group and its share of the table, 0 to 1").Default("1").Positional()
	paramTables = bucketization.Tables("number of QI tables")
	paramOrder  = anonymize.Choice("order", []string{balanced, paper}, "how records are divided into groups: balanced deals the records of each "+
		"sensitive value evenly; paper is Algorithm 1 as printed")

	paramDivision = anonymize.Choice("division", []string{average, seed},
		"a quasi-identifier joins the table with the greatest phi^2: average, over all its members; seed, with its first member")
)

// readParameters checks the settings against the table.
func readParameters(in *anonymize.Input, s anonymize.Settings) (p parameters, err error) {
	p = parameters{
		alpha:        paramAlpha.Read(s),
		beta:         paramBeta.Read(s),
		gamma:        paramGamma.Read(s),
		delta:        paramDelta.Read(s),
		paperOrder:   paramOrder.Read(s) == paper,
		seedDivision: paramDivision.Read(s) == seed,
		phi:          association.OptionsOf(s),
		combined:     bucketization.IsCombined(in, s),
		each:         bucketization.IsEach(in, s),
	}
	if p.tables, err = bucketization.TablesOf(paramTables, in, s); err != nil {
		return p, err
	}
	if p.locality, err = locality.OptionsOf(s); err != nil {
		return p, err
	}
	if p.locality.Homogeneous && p.paperOrder {
		return p, &anonymize.ParameterError{Parameter: "order", Value: paper,
			Rule: "must be " + balanced + " with homogeneous=true or score, which takes records along an order of its own"}
	}
	if p.each && p.paperOrder {
		return p, &anonymize.ParameterError{Parameter: "order", Value: paper,
			Rule: "must be " + balanced + " with sa_mode=each: Algorithm 1 knows buckets of one sensitive attribute"}
	}
	if p.each {
		return p, p.locality.RefuseScore(locality.OfOneAttribute)
	}
	return p, p.locality.RefuseUnions(in, p.repaired()...)
}

// repaired returns the bounds for which groups are repaired.
func (p *parameters) repaired() (names []string) {
	if p.alpha != ratioOne {
		names = append(names, "alpha")
	}
	if p.gamma != ratioOne {
		names = append(names, "gamma")
	}
	return names
}

// promises returns the given bounds. A bound of 1 always holds; it is included so that all
// reports have the same four lines.
func (p *parameters) promises() []anonymize.Promise {
	return []anonymize.Promise{
		{Guarantee: "alpha", Bound: p.alpha},
		{Guarantee: "beta", Bound: p.beta},
		{Guarantee: "gamma", Bound: p.gamma},
		{Guarantee: "delta", Bound: p.delta},
	}
}

var ratioOne = anonymize.Ratio{Num: 1, Den: 1}
