package slppa

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/locality"
)

// parameters are the arguments of one run, checked.
type parameters struct {
	// 1 means not asked.
	alpha, beta, gamma, delta anonymize.Ratio
	tables                    int
	paperOrder                bool
	seedDivision              bool
	phi                       association.Options
	locality                  locality.Options
	// With several sensitive attributes: as one, or each.
	combined, each bool
}

const (
	balanced, paper = "balanced", "paper"
	average, seed   = "average", "seed"
	raw, corrected  = "raw", "corrected"
	auto            = "auto"
)

func declared() []anonymize.Parameter {
	return append([]anonymize.Parameter{
		{Name: "alpha", Form: anonymize.Share(false), Default: "1", Positional: true,
			Doc: "greatest share of a group that one sub-tuple of a QI table may have, above 0 and at most 1"},
		{Name: "beta", Form: anonymize.Share(false), Positional: true,
			Doc: "greatest share of a group that one sensitive value may have, above 0 and at most 1"},
		{Name: "gamma", Form: anonymize.Share(false), Default: "1", Positional: true,
			Doc: "greatest product of these shares over all tables of a group, above 0 and at most 1"},
		{Name: "delta", Form: anonymize.Share(true), Default: "1", Positional: true,
			Doc: "greatest difference between a sensitive value's share of a group and of the table, 0 to 1"},
		{Name: "tables", Form: anonymize.WholeForm(1, 1<<30, auto), Default: auto, Positional: true,
			Doc: "number of QI tables, 1 to the number of quasi-identifiers; auto is 2, or 1 for a single quasi-identifier"},
		{Name: "order", Default: balanced, Choices: []string{balanced, paper},
			Doc: "group division: the balanced deal, or Algorithm 1 as printed"},
		{Name: "division", Default: average, Choices: []string{average, seed},
			Doc: "a quasi-identifier joins the table of greatest phi^2 with all its members, or with its first one"},
		{Name: "bins", Form: anonymize.WholeForm(0, 1<<16), Default: fmt.Sprint(association.DefaultBins),
			Doc: "for phi^2, numeric attributes of more values are cut into at most so many bins; 0 is never"},
		{Name: "phi", Default: raw, Choices: []string{raw, corrected},
			Doc: "phi^2 as printed, or less the bias of many values"},
		bucketization.SensitiveMode(),
	}, locality.Parameters()...)
}

// readParameters checks the arguments against the declaration and the table.
func readParameters(m anonymize.Method, in *anonymize.Input, given anonymize.Arguments) (p parameters, err error) {
	arguments, err := m.Resolve(given)
	if err != nil {
		return p, err
	}
	thresholds := []struct {
		name        string
		zeroAllowed bool
		to          *anonymize.Ratio
	}{{"alpha", false, &p.alpha}, {"beta", false, &p.beta}, {"gamma", false, &p.gamma}, {"delta", true, &p.delta}}
	for _, t := range thresholds {
		if *t.to, err = arguments.Ratio(t.name, t.zeroAllowed); err != nil {
			return p, err
		}
	}
	if p.tables, err = readTables(arguments, len(in.QuasiIdentifiers)); err != nil {
		return p, err
	}
	if p.phi.Bins, err = arguments.Integer("bins", 0, 1<<16); err != nil {
		return p, err
	}
	if p.phi.Bins == 1 {
		return p, &anonymize.ParameterError{Parameter: "bins", Value: "1", Rule: "must be 0 (never) or at least 2"}
	}
	p.paperOrder = arguments["order"] == paper
	p.seedDivision = arguments["division"] == seed
	p.phi.Corrected = arguments["phi"] == corrected
	p.combined, p.each = bucketization.IsCombined(in, arguments), bucketization.IsEach(in, arguments)
	if p.locality, err = locality.ReadOptions(arguments); err != nil {
		return p, err
	}
	if p.locality.Homogeneous && p.paperOrder {
		return p, &anonymize.ParameterError{Parameter: "order", Value: paper,
			Rule: "must be " + balanced + " with homogeneous=true, which takes records along an order of its own"}
	}
	if p.each && p.paperOrder {
		return p, &anonymize.ParameterError{Parameter: "order", Value: paper,
			Rule: "must be " + balanced + " with sa_mode=each: Algorithm 1 knows buckets of one sensitive attribute"}
	}
	return p, nil
}

func readTables(arguments anonymize.Arguments, quasiIdentifiers int) (int, error) {
	if arguments["tables"] == auto {
		return min(2, quasiIdentifiers), nil
	}
	tables, err := arguments.Integer("tables", 1, 1<<30)
	if err == nil && tables > quasiIdentifiers {
		err = &anonymize.ParameterError{Parameter: "tables", Value: fmt.Sprint(tables),
			Rule: fmt.Sprintf("must be at most %d, the number of quasi-identifiers", quasiIdentifiers)}
	}
	return tables, err
}

// promises are the bounds as given. One of 1 says nothing and holds always; it
// stands so that every report has the same four lines.
func (p *parameters) promises() []anonymize.Promise {
	return []anonymize.Promise{
		{Guarantee: "alpha", Bound: p.alpha},
		{Guarantee: "beta", Bound: p.beta},
		{Guarantee: "gamma", Bound: p.gamma},
		{Guarantee: "delta", Bound: p.delta},
	}
}

var ratioOne = anonymize.Ratio{Num: 1, Den: 1}
