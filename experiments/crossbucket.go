package experiments

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anatomy"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/crossbucket"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/mondrian"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// CrossBucket is section 4 of Li et al.: disclosure, discernibility and bounds of
// sums by l and by k, beside Mondrian and Anatomy.
func CrossBucket() evaluation.Experiment {
	return evaluation.Experiment{
		Name:    "crossbucket",
		Paper:   "Li et al. 2018",
		Title:   "Li, Liu, Han, Zhang: Cross-Bucket Generalization for Information and Privacy Preservation, 2018",
		Figures: crossBucketFigures,
	}
}

// The arms of the experiment. Algorithm 3 restarts at the root for every lot, which takes O(n^2 / l). One tree makes
// lots of similar quality. The search upwards is ours.
const (
	cbgPrinted  = "CBG (Algorithm 3)"
	cbgTree     = "CBG (one tree)"
	cbgUpwards  = "CBG (bottom up, ours)"
	mondrianArm = "Mondrian"
	anatomyArm  = "Anatomy"
	oneOverL    = "1/l"
)

// An arm is a method with the arguments that an experiment does not vary.
type arm struct {
	label     string
	method    anonymize.Method
	arguments anonymize.Arguments
}

func crossBucketArms() []arm {
	return []arm{
		{cbgPrinted, crossbucket.Method(), anonymize.Arguments{"search": "paper"}},
		{cbgTree, crossbucket.Method(), anonymize.Arguments{"search": "kd"}},
		{cbgUpwards, crossbucket.Method(), anonymize.Arguments{"search": "bottomup"}},
		{mondrianArm, mondrian.Method(), anonymize.Arguments{"mode": "strict"}},
		{anatomyArm, anatomy.Method(), anonymize.Arguments{}},
	}
}

// argumentsWith returns the arm's arguments, and those of more that its method has.
func (a arm) argumentsWith(more anonymize.Arguments) anonymize.Arguments {
	all := maps.Clone(a.arguments)
	for _, p := range a.method.Parameters {
		if value, ok := more[p.Name]; ok {
			all[p.Name] = value
		}
	}
	return all
}

// A census has samples of the experiment's table: 22,517 records with quasi-identifiers and a numeric sensitive
// attribute.
type census struct {
	*evaluation.Run
	samples   []*anonymize.Microdata
	roles     anonymize.Roles
	frequency int // the greatest frequency of a sensitive value in any sample
	l, ks, ls []int
	notes     []string
	done, all int
}

// printedK is the k of Figs. 5 to 7.
const printedK = 3

func newCensus(run *evaluation.Run) (*census, error) {
	c := &census{Run: run}
	sensitive, err := run.Attribute("crossbucket", evaluation.Numeric, "salary", "income", "age")
	if err != nil {
		return nil, err
	}
	lists := []string{"age", "sex", "relationship or workclass", "marital_status", "race or region", "education", "hours_per_week", "occupation"}
	if sensitive.Name != "salary" {
		c.notes = append(
			c.notes,
			fmt.Sprintf(
				"The paper's census extract has a salary. Here the sums and the disclosure are those of %s, which is numeric and has %d values.",
				sensitive.Name,
				sensitive.Distinct(),
			),
		)
	}
	if sensitive == run.Table.Column("age") {
		lists[0] = "workclass"
	}
	columns, err := run.Attributes("crossbucket", lists...)
	if err != nil {
		return nil, err
	}
	c.roles = anonymize.Roles{QuasiIdentifiers: evaluation.Names(columns), Sensitive: []string{sensitive.Name}}
	size, repetitions := 22_517, 3
	if run.Quick {
		size, repetitions = 2_000, 1
	}
	for i := range repetitions {
		c.samples = append(c.samples, evaluation.Drawn(append(columns, sensitive), size, rand.New(rand.NewPCG(run.Seed, uint64(200+i)))))
	}
	c.notes = append(
		c.notes,
		fmt.Sprintf(
			"Samples of %s records: %d (the paper: one of 22,517); quasi-identifiers %v.",
			evaluation.Number(float64(c.samples[0].Rows)),
			repetitions,
			c.roles.QuasiIdentifiers,
		),
	)
	c.feasible()
	return c, nil
}

// feasible keeps the l and k that all samples admit: H max(k, l) <= n.
func (c *census) feasible() {
	largest := 1 << 30
	for _, s := range c.samples {
		most := slices.Max(s.Columns[len(s.Columns)-1].Histogram())
		c.frequency = max(c.frequency, most)
		largest = min(largest, s.Rows/most)
	}
	c.l, c.ls, c.ks = []int{4, 6, 8, 10, 12, 14}, []int{4, 8, 14}, []int{5, 10, 15, 20}
	if c.Quick {
		c.l, c.ls, c.ks = []int{4, 8, 14}, []int{4, 14}, []int{5, 20}
	}
	before := fmt.Sprint(c.l, c.ls, c.ks)
	for _, list := range []*[]int{&c.l, &c.ls, &c.ks} {
		wanted := len(*list)
		*list = slices.DeleteFunc(*list, func(x int) bool { return x > largest })
		if len(*list) < wanted && !slices.Contains(*list, largest) {
			*list = append(*list, largest)
		}
	}
	if fmt.Sprint(c.l, c.ls, c.ks) != before {
		c.notes = append(
			c.notes,
			fmt.Sprintf("%s has a value that %d of %d records have, so l and k are at most %d: greater ones cannot be met, that one is used in their place.",
				c.roles.Sensitive[0], c.frequency, c.samples[0].Rows, largest),
		)
	}
}

// An exposure has the measurements of a release.
type exposure struct {
	p       *attack.Probabilities
	of      *utility.Evaluation
	cdm     float64
	penalty float64
}

// expose runs an arm on a sample and measures its release.
func (c *census) expose(ctx context.Context, a arm, sample, k, l int) (*exposure, error) {
	table := c.samples[sample]
	in, err := anonymize.NewInput(table, c.roles, rand.NewPCG(c.Seed, uint64(1000*sample+l)))
	if err != nil {
		return nil, err
	}
	r, err := a.method.Run(ctx, in, a.argumentsWith(anonymize.Arguments{"k": strconv.Itoa(k), "l": strconv.Itoa(l)}))
	if err != nil {
		return nil, fmt.Errorf("%s, k = %d, l = %d: %w", a.label, k, l, err)
	}
	e := &exposure{}
	if e.p, err = attack.RecordProbabilities(ctx, r, attack.Truth{QuasiIdentifiers: in.QuasiIdentifiers, Sensitive: in.Sensitive[0]}); err != nil {
		return nil, err
	}
	queries := 1000
	if c.Quick {
		queries = 100
	}
	w := utility.Workload{Queries: queries, Low: 4, High: 4, Of: c.roles.Sensitive[0], Seed: c.Seed + uint64(sample)}
	if e.of, err = utility.Evaluate(ctx, estimate.Prepare(r), table, w, nil, nil); err != nil {
		return nil, err
	}
	e.cdm, e.penalty = factOf(r, "discernibility (C_DM)"), factOf(r, "normalized certainty penalty")
	c.done++
	c.ReportProgress("crossbucket", c.done, c.all)
	return e, nil
}

// factOf returns a number that a method reports; 0 if it reports none.
func factOf(r *anonymize.Release, name string) float64 {
	for _, f := range r.Facts {
		if f.Name == name {
			x, _ := strconv.ParseFloat(f.Value, 64)
			return x
		}
	}
	return 0
}

// curvePoints is the number of steps up to 1/l in the curve of p(t,s).
const curvePoints = 20

func crossBucketFigures(ctx context.Context, run *evaluation.Run) ([]evaluation.Figure, error) {
	c, err := newCensus(run)
	if err != nil {
		return nil, err
	}
	arms, repetitions := crossBucketArms(), len(c.samples)
	c.all = len(c.l)*len(arms)*repetitions + (len(c.ls)+1)*len(c.ks)
	b, err := c.byDiversity(ctx, arms)
	if err != nil {
		return nil, err
	}
	figures := []evaluation.Figure{
		c.meanFigure(b),
		c.greatestFigure(b),
		c.curveFigure(b),
		c.discernibilityFigure(b),
		c.sumFigure(b, true),
		c.sumFigure(b, false),
	}
	k, err := c.bySize(ctx, arms)
	if err != nil {
		return figures, err
	}
	return append(figures, c.meanBySize(k), c.discernibilityBySize(k), c.sumBySize(k)), nil
}

// tallies has the measures of all arms by l, or of all l by k.
type tallies struct {
	mean, greatest, cdm, meanError, medianError, matches, penalty evaluation.Tally
	curve                                                         evaluation.Tally
	middle                                                        int // the l of the curve
}

func (t *tallies) add(label string, x float64, e *exposure) {
	t.mean.Add(label, x, e.p.Mean)
	t.greatest.Add(label, x, e.p.Max)
	t.matches.Add(label, x, e.p.Matches)
	t.meanError.Add(label, x, e.of.Bounds.Mean)
	t.medianError.Add(label, x, e.of.Bounds.Median)
	if e.cdm > 0 {
		t.cdm.Add(label, x, e.cdm)
		t.penalty.Add(label, x, e.penalty)
	}
}

// byDiversity measures all arms at k = 3, on the same samples.
func (c *census) byDiversity(ctx context.Context, arms []arm) (*tallies, error) {
	t := &tallies{middle: c.l[len(c.l)/2]}
	for _, l := range c.l {
		for _, a := range arms {
			for sample := range c.samples {
				e, err := c.expose(ctx, a, sample, printedK, l)
				if err != nil {
					return nil, err
				}
				t.add(a.label, float64(l), e)
				if l == t.middle {
					t.addCurve(a.label, e.p.Of, l)
				}
			}
		}
		t.mean.Add(oneOverL, float64(l), 1/float64(l))
		t.greatest.Add(oneOverL, float64(l), 1/float64(l))
	}
	return t, nil
}

// addCurve adds, for x up to the bound, the share of records with a probability of at least x.
func (t *tallies) addCurve(label string, p []float64, l int) {
	sorted := slices.Clone(p)
	slices.Sort(sorted)
	for i := range curvePoints + 1 {
		x := float64(i) / float64(curvePoints*l)
		less, _ := slices.BinarySearch(sorted, x-1e-12)
		t.curve.Add(label, x, float64(len(sorted)-less)/float64(len(sorted)))
	}
}

// bySize measures one tree by k for some l, and the search upwards for one l, on the first sample.
func (c *census) bySize(ctx context.Context, arms []arm) (*tallies, error) {
	t := &tallies{middle: c.ls[len(c.ls)/2]}
	for _, k := range c.ks {
		for _, l := range c.ls {
			e, err := c.expose(ctx, arms[1], 0, k, l)
			if err != nil {
				return nil, err
			}
			t.add(lineOf(l), float64(k), e)
		}
		e, err := c.expose(ctx, arms[2], 0, k, t.middle)
		if err != nil {
			return nil, err
		}
		t.add(upwardsLine(t.middle), float64(k), e)
	}
	return t, nil
}

func lineOf(l int) string      { return fmt.Sprintf("l = %d", l) }
func upwardsLine(l int) string { return lineOf(l) + " (bottom up, ours)" }
