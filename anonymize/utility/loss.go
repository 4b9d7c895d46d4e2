package utility

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// A LossReport says what a release has lost of the connection between the
// quasi-identifiers and the sensitive attributes, by the measures of Zhu et
// al. 2015, "Anonymization on Refining Partition: Same Privacy, More Utility",
// Sections 3 and 5. All figures are totals or means over the whole table,
// none is about a group or a record.
type LossReport struct {
	// Attributes has one entry per sensitive attribute, in the input's order.
	Attributes []AttributeLoss
	// Entropy is the non-uniform entropy of generalized quasi-identifiers; nil where it
	// is not measured, see [EntropyLoss].
	Entropy *EntropyLoss `json:",omitempty"`
	// Divergence is the Kullback-Leibler divergence of the table from the release, in
	// bits (Kifer and Gehrke 2006), 0 or more; nil where it is not measured: above
	// 50,000 records, and where a record cannot be in the release as it is published.
	Divergence *float64 `json:",omitempty"`
	// Curve says of a generalized release for which share of the records the own
	// value has at least a probability for who counts what matches: Fig. 5 of
	// Li et al. 2018. Whoever measures that (package attack) may add it.
	Curve []ProbabilityShare `json:",omitempty"`
	// Shown says that the report is of [LossShown]: what is not in the release is
	// not in it either, and Correlation.Before is 0.
	Shown bool `json:"-"`
}

// A ProbabilityShare is a point of such a curve.
type ProbabilityShare struct {
	Probability, Share float64
}

// An AttributeLoss is about one sensitive attribute.
type AttributeLoss struct {
	Attribute string
	// GLP is the correspondence loss, see [Loss]; nil without the link.
	GLP *float64 `json:",omitempty"`
	// Probability is nil when the sensitive cells are not points and there is
	// no link, and where records belong to units: a person has a value in some record more surely than a record has it.
	Probability *Probability `json:",omitempty"`
	// Correlations has one entry per quasi-identifier, in the input's order,
	// but for those left out, see [Correlation].
	Correlations []Correlation
}

// Probability is how likely a release makes the actual sensitive values of the
// records.
type Probability struct {
	// Mean over all records of the probability of the record's own value:
	// Property 1, sum of (c_i/n)^2 in a group with c_i records of value i.
	Mean float64
	// Greatest of these probabilities: 1/l or less in an l-diverse release.
	Greatest float64
	// L is the greatest l for which no probability is above 1/l.
	L int
	// Error is the reconstruction error RE of Section 4.3, the sum over the
	// records of the probability of all values but their own.
	Error float64
	// Bound is the least RE of any release with this L: n (1 - 1/l), Property 8.
	Bound float64
	// ofRecords says that the fragments alone do not tell these figures.
	ofRecords bool
}

// A Correlation is phi^2 (Zhu et al. 2015, Section 4.1; Yao et al. 2021, Eq. 10) between a
// quasi-identifier and a sensitive attribute, as printed: nothing discretized,
// nothing corrected. Pairs with more than maxJointCells combinations of values
// are left out: there phi^2 is near 1 whatever the data.
type Correlation struct {
	Attribute string  // the quasi-identifier
	Before    float64 // in the raw table
	// After is phi^2 of the joint distribution that the release lets one
	// expect, in which the fragments of a group are independent.
	After float64
}

// Loss measures a release of in. gidOf has the gid of every record, as
// [anonymize.Input].Assigned tells it; a gid beyond the groups says that the
// record is not in the release. Without it, nil, what needs the link is left
// out.
//
// GLP, Definition 3, is the mean over the records t of
//
//	NLP(t) = sum over s in S - S_t of Pr(t*[SA] = s)
//
// with S the sensitive values and S_t those of the raw records with the
// quasi-identifiers of t. Pr is the distribution of the sensitive cells that the
// release gives for t: those of its group, and when the fragment has
// quasi-identifiers too (slicing), those beside values that t has. Where nobody
// can tell the group of a record ([SpansGroups]) there is no such distribution,
// and GLP and the probabilities are left out.
//
// Counterfeits are no records of in: they are part of the distributions that the
// groups give for the records, and of nothing else.
//
// Cost: O(rows) per column, and sums over groups of (values of the
// quasi-identifier in it) x (sensitive values in it); attributes side by side
// on all cores. The result depends on nothing but the arguments.
func Loss(ctx context.Context, r *anonymize.Release, in *anonymize.Input, gidOf []uint32) (*LossReport, error) {
	if gidOf != nil && len(gidOf) != in.Rows {
		return nil, fmt.Errorf("the table has %d records, %d of them are assigned to groups", in.Rows, len(gidOf))
	}
	report := &LossReport{Attributes: make([]AttributeLoss, len(in.Sensitive))}
	l := &lossOf{release: r, in: in, gidOf: gidOf, spans: SpansGroups(r)}
	var tasks []func(context.Context) error
	for i, sensitive := range in.Sensitive {
		report.Attributes[i].Attribute = sensitive.Name
		of, err := l.attribute(sensitive, &report.Attributes[i])
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, of...)
	}
	tasks = append(tasks, func(context.Context) error {
		report.Entropy = l.entropy()
		return nil
	}, func(ctx context.Context) (err error) {
		report.Divergence, err = l.divergence(ctx)
		return err
	})
	err := parallel.Run(ctx, len(tasks), func(i int) error { return tasks[i](ctx) })
	if err != nil {
		return nil, err
	}
	return report, nil
}

// lossOf is what the tasks share.
type lossOf struct {
	release *anonymize.Release
	in      *anonymize.Input
	gidOf   []uint32
	spans   bool // nobody knows the records' groups: GLP and probabilities are left out
}

// attribute makes the tasks of one sensitive attribute: its records, then its
// quasi-identifiers.
func (l *lossOf) attribute(sensitive *anonymize.Column, to *AttributeLoss) ([]func(context.Context) error, error) {
	at, err := l.locate(sensitive.Name)
	if err != nil {
		return nil, err
	}
	var tasks []func(context.Context) error
	if !l.spans {
		tasks = append(tasks, func(ctx context.Context) error { return l.records(ctx, sensitive, at, to) })
	}
	for _, quasi := range l.in.QuasiIdentifiers {
		from, err := l.locate(quasi.Name)
		if err != nil {
			return nil, err
		}
		if len(from.column.Dictionary)*len(at.column.Dictionary) > maxJointCells {
			continue
		}
		i := len(to.Correlations)
		to.Correlations = append(to.Correlations, Correlation{Attribute: quasi.Name})
		tasks = append(tasks, func(ctx context.Context) (err error) {
			to.Correlations[i].Before = association.PhiSquared(quasi, sensitive, association.Options{})
			to.Correlations[i].After, err = expectedPhiSquared(ctx, l.release, from, at)
			return err
		})
	}
	return tasks, nil
}

// A published column is one attribute of a release.
type published struct {
	fragment *anonymize.Fragment
	column   *anonymize.FragmentColumn
}

func (l *lossOf) locate(name string) (published, error) {
	f, c, ok := l.release.Locate(name)
	if !ok {
		return published{}, fmt.Errorf("column %s is not in the release", name)
	}
	fragment := l.release.Fragments[f]
	return published{fragment, fragment.Columns[c]}, nil
}

// records fills in what is about records and their sensitive values.
func (l *lossOf) records(ctx context.Context, sensitive *anonymize.Column, at published, to *AttributeLoss) error {
	c, err := newCohorts(ctx, at, l.in.QuasiIdentifiers, l.gidOf)
	if err != nil {
		return err
	}
	if at.column.IsPoint() && l.release.Units == nil {
		to.Probability = c.probability().withoutCounterfeits(l.release)
	}
	if l.gidOf == nil {
		return nil
	}
	classes, err := bucketization.NewProjection(ctx, l.in.QuasiIdentifiers)
	if err != nil {
		return err
	}
	glp, probability, err := c.compare(ctx, recoded(sensitive, at.column.Dictionary), len(at.column.Dictionary), classes)
	if err != nil {
		return err
	}
	to.GLP = &glp
	if to.Probability == nil && l.release.Units == nil {
		to.Probability = probability
	}
	return nil
}

// Encode returns the report as it is stored with a release, for accounts that may
// read the raw table. What is measured on raw records is rounded to three digits,
// what the fragments tell anyway keeps nine; the curve is as whoever added it rounded it.
func (l *LossReport) Encode() (json.RawMessage, error) {
	rounded := LossReport{Attributes: make([]AttributeLoss, len(l.Attributes)), Curve: l.Curve}
	if l.Entropy != nil {
		rounded.Entropy = &EntropyLoss{Bits: forAll(l.Entropy.Bits), Share: forAll(l.Entropy.Share)}
	}
	if l.Divergence != nil {
		divergence := forAll(*l.Divergence)
		rounded.Divergence = &divergence
	}
	for i, a := range l.Attributes {
		if a.GLP != nil {
			glp := forAll(*a.GLP)
			a.GLP = &glp
		}
		if a.Probability != nil {
			a.Probability = a.Probability.rounded()
		}
		correlations := make([]Correlation, len(a.Correlations))
		for j, c := range a.Correlations {
			correlations[j] = Correlation{c.Attribute, forAll(c.Before), forAll(c.After)}
		}
		a.Correlations = correlations
		rounded.Attributes[i] = a
	}
	return json.Marshal(&rounded)
}

func (p *Probability) rounded() *Probability {
	round := nineDigits
	if p.ofRecords {
		round = forAll
	}
	q := *p
	q.Mean, q.Greatest, q.Error, q.Bound = round(p.Mean), round(p.Greatest), round(p.Error), round(p.Bound)
	return &q
}

// LeaveOutRecords takes the probabilities of records out, which earlier versions stored of releases with units, too.
func (l *LossReport) LeaveOutRecords() {
	for i := range l.Attributes {
		l.Attributes[i].Probability = nil
	}
}

// DecodeLoss reads a stored report; nothing stored is nil.
func DecodeLoss(stored json.RawMessage) (*LossReport, error) {
	if len(stored) == 0 || string(stored) == "null" {
		return nil, nil
	}
	l := new(LossReport)
	if err := json.Unmarshal(stored, l); err != nil {
		return nil, fmt.Errorf("stored loss of utility: %w", err)
	}
	return l, nil
}

// forAll is a figure over all records as it is shown: three digits.
func forAll(x float64) float64 {
	if x < 1e-9 { // what rounding leaves of 0
		return 0
	}
	return threeDigits(x, math.Round)
}

// nineDigits drops what adding up in another order would change.
func nineDigits(x float64) float64 {
	return threeDigits(x, func(scaled float64) float64 { return math.Round(1e6*scaled) / 1e6 })
}
