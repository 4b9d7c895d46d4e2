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

// A LossReport says how much of the association between quasi-identifiers and sensitive
// attributes a release has lost, by the measures of Zhu et al. 2015, "Anonymization on Refining
// Partition: Same Privacy, More Utility", Sections 3 and 5. All figures are totals or means
// over the whole table; none concerns a single group or record.
type LossReport struct {
	// Attributes has one entry per sensitive attribute, in the input's order.
	Attributes []AttributeLoss
	// Entropy is the non-uniform entropy of generalized quasi-identifiers; nil if not measured,
	// see [EntropyLoss].
	Entropy *EntropyLoss `json:",omitempty"`
	// Divergence is the Kullback-Leibler divergence of the table from the release, in bits
	// (Kifer and Gehrke 2006), at least 0. It is nil if not measured: above 50,000 records, and
	// if a record is impossible in the release.
	Divergence *float64 `json:",omitempty"`
	// Curve says, for a generalized release, what share of the records has at least a given
	// probability of their own value for an attacker who counts the matches: Fig. 5 of Li et
	// al. 2018. Callers that measure it (package attack) may add it.
	Curve []ProbabilityShare `json:",omitempty"`
	// Shown says that the report comes from [LossShown]: it has only what the release itself
	// reveals, and Correlation.Before is 0.
	Shown bool `json:"-"`
}

// A ProbabilityShare is a point of LossReport.Curve.
type ProbabilityShare struct {
	Probability, Share float64
}

// An AttributeLoss is about one sensitive attribute.
type AttributeLoss struct {
	Attribute string
	// GLP is the correspondence loss, see [Loss]; nil without the link.
	GLP *float64 `json:",omitempty"`
	// Probability is nil if the sensitive cells are not points and there is no link, or if records belong to
	// units: it is likelier that a person has a value in some record than that a given record has it.
	Probability *Probability `json:",omitempty"`
	// Correlations has one entry per quasi-identifier, in the input's order, except those
	// omitted by [Correlation].
	Correlations []Correlation
}

// Probability is how probable a release makes the actual sensitive values of the records.
type Probability struct {
	// Mean over all records of the probability of the record's own value: Property 1, the sum
	// of (c_i/n)^2 in a group of n with c_i records of value i.
	Mean float64
	// Greatest of these probabilities: at most 1/l in an l-diverse release.
	Greatest float64
	// L is the greatest l such that no probability exceeds 1/l.
	L int
	// Error is the reconstruction error RE of Section 4.3: the sum over the records of the
	// probability of all values except their own.
	Error float64
	// Bound is the least RE of any release with this L: n (1 - 1/l), Property 8.
	Bound float64
	// ofRecords says that the fragments alone do not determine these figures.
	ofRecords bool
}

// A Correlation is phi^2 (Zhu et al. 2015, Section 4.1; Yao et al. 2021, Eq. 10) between a
// quasi-identifier and a sensitive attribute, exactly as printed, without discretization or
// correction. Pairs with more than maxJointCells combinations of values are omitted: their
// phi^2 is near 1 whatever the data.
type Correlation struct {
	Attribute string  // the quasi-identifier
	Before    float64 // in the raw table
	// After is phi^2 of the expected joint distribution under the release, in which the
	// fragments of a group are independent.
	After float64
}

// Loss measures a release of in. gidOf has the gid of every record, as passed to
// [anonymize.Input].Assigned; a gid beyond the groups means that the record is not in the
// release. If gidOf is nil, Loss omits what needs the link.
//
// GLP, Definition 3, is the mean over the records t of
//
//	NLP(t) = sum over s in S - S_t of Pr(t*[SA] = s)
//
// with S the sensitive values and S_t those of the raw records with t's quasi-identifiers. Pr
// is the distribution of sensitive cells that the release gives for t: those of its group, and
// if the fragment also has quasi-identifiers (slicing), those published with t's values. If
// nobody can tell a record's group ([SpansGroups]), this distribution does not exist, and GLP
// and the probabilities are omitted.
//
// Counterfeits are not records of in: they only affect the distributions that the groups give
// for the records.
//
// Cost: O(rows) per column, and sums over groups of (values of the quasi-identifier in it) x
// (sensitive values in it), with attributes in parallel. The result depends only on the
// arguments.
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
	spans   bool // nobody knows the records' groups: GLP and probabilities are omitted
}

// attribute returns the tasks of one sensitive attribute: its records, then its
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

// A published is a column of a release with its fragment.
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

// records sets the figures about records and their sensitive values.
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

// Encode returns the report in its stored form, for accounts that may read the raw table.
// Measurements of raw records are rounded to three digits; what the fragments reveal anyway
// keeps nine. The curve stays as its provider rounded it.
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

// LeaveOutRecords removes the probabilities of records, which earlier versions stored also for releases with units.
func (l *LossReport) LeaveOutRecords() {
	for i := range l.Attributes {
		l.Attributes[i].Probability = nil
	}
}

// DecodeLoss parses a stored report; it returns nil if nothing is stored.
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

// forAll rounds a figure over all records to the three digits that are shown.
func forAll(x float64) float64 {
	if x < 1e-9 { // 0 except for rounding
		return 0
	}
	return threeDigits(x, math.Round)
}

// nineDigits drops digits that depend on the order of additions.
func nineDigits(x float64) float64 {
	return threeDigits(x, func(scaled float64) float64 { return math.Round(1e6*scaled) / 1e6 })
}
