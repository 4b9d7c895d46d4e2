package experiments

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/clustering"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// DRASL is section 6 of Yan et al.: synonymous linkage, information loss and time
// of a static release and of three kinds of updates, beside OKA, IKA and DPP.
func DRASL() evaluation.Experiment {
	return evaluation.Experiment{
		Name:    "drasl",
		Paper:   "Yan et al. 2021",
		Title:   "Yan, Herman, Mahmood, Li, Dong, Xu: Privacy Preserving Dynamic Data Release Against Synonymous Linkage Based on Micro Aggregation, 2021",
		Figures: draslFigures,
	}
}

// The methods, by their labels.
const (
	draslArm     = "DRASL"
	dppArm       = "DPP"
	okaArm       = "OKA"
	ikaArm       = "IKA"
	draslOurs    = "DRASL (improved, ours)"
	indexed      = " (indexed, ours)"
	draslSealed  = "DRASL (sealed, ours)"
	dppSealed    = "DPP (sealed, ours)"
	updateSize   = 8 // K of all updates, and of the times by records
	updateStep   = 100
	firstRecords = 1000
)

// rivals are the methods that the paper compares DRASL with.
var rivals = []string{dppArm, okaArm, ikaArm}

// A grouping divides the records of a task.
type grouping struct {
	label string
	// exact means that it examines all records for the best one, as the paper does.
	exact  bool
	divide func(context.Context, *clustering.Task) (*bucketization.Partition, error)
}

// printedWeights are the weights of Section 6.1, which sets gamma to alpha.
var printedWeights = clustering.Weights{Alpha: 0.6, Beta: 0.4, Gamma: 0.6}

func growWith(w clustering.Weights) func(context.Context, *clustering.Task) (*bucketization.Partition, error) {
	return func(ctx context.Context, t *clustering.Task) (*bucketization.Partition, error) {
		return clustering.Grow(ctx, t, w)
	}
}

// groupings returns the paper's four methods, and ours.
func groupings() []grouping {
	return []grouping{
		{draslArm, true, growWith(printedWeights)},
		{dppArm, true, growWith(clustering.Weights{Alpha: 0.6, Beta: 0.4})},
		{okaArm, true, clustering.OnePass},
		{ikaArm, true, clustering.FarthestFirst},
		{draslOurs, false, func(ctx context.Context, t *clustering.Task) (*bucketization.Partition, error) {
			groups, _, err := clustering.GrowImproved(ctx, t, printedWeights)
			return groups, err
		}},
	}
}

// run makes groups of at least k records and measures them.
func (g grouping) run(ctx context.Context, in *anonymize.Input, k int, exact bool, random *rand.Rand) (m clustering.Measures, seconds float64, err error) {
	started := time.Now()
	task, err := clustering.NewTask(in, k, false, exact, random)
	if err != nil {
		return m, 0, err
	}
	groups, err := g.divide(ctx, task)
	if err != nil {
		return m, 0, err
	}
	seconds = time.Since(started).Seconds()
	return clustering.Measure(task.Space, task.Catalogue, task.Value, groups), seconds, nil
}

// linkage has the measures of Section 6, by group and also by record.
type linkage struct {
	totalPr, meanPr, averageIL, meanIL, groups, seconds evaluation.Tally
}

func (l *linkage) add(label string, x float64, m clustering.Measures, seconds float64) {
	l.totalPr.Add(label, x, m.TotalPr)
	l.meanPr.Add(label, x, m.MeanPr)
	l.averageIL.Add(label, x, m.AverageIL)
	l.meanIL.Add(label, x, m.MeanIL)
	l.groups.Add(label, x, float64(m.Groups))
	l.seconds.Add(label, x, seconds)
}

// A ward is the data and the settings of the experiment.
type ward struct {
	*evaluation.Run
	*patients
	records, repetitions int
	ks, steps            []int
	done, all            int
}

func newWard(run *evaluation.Run) (*ward, error) {
	w := &ward{Run: run, records: firstRecords, repetitions: 5, steps: []int{1, 2, 3, 4, 5}}
	for k := 2; k <= 20; k += 2 {
		w.ks = append(w.ks, k)
	}
	if run.Quick {
		w.records, w.repetitions, w.ks, w.steps = 300, 1, []int{2, 8, 16}, []int{1, 2}
	}
	var err error
	if w.patients, err = newPatients(run); err != nil {
		return nil, err
	}
	if need := w.records + updateStep*len(w.steps); len(w.distinct) < need {
		return nil, fmt.Errorf("experiment drasl needs %d records with different quasi-identifiers: the table has %d", need, len(w.distinct))
	}
	return w, nil
}

// step reports a finished piece of work.
func (w *ward) step() {
	w.done++
	w.ReportProgress("drasl", w.done, w.all)
}

func draslFigures(ctx context.Context, run *evaluation.Run) ([]evaluation.Figure, error) {
	w, err := newWard(run)
	if err != nil {
		return nil, err
	}
	sizes := w.sizes()
	w.all = w.repetitions*(len(w.ks)*len(groupings())+len(kinds)*6*len(w.steps)) + len(sizes)*4 + 4*w.disclosureSteps()
	byK, err := w.static(ctx)
	if err != nil {
		return nil, err
	}
	bySize, err := w.bySize(ctx, sizes)
	if err != nil {
		return nil, err
	}
	figures := w.staticFigures(byK, bySize)
	for _, kind := range kinds {
		of, err := w.updates(ctx, kind)
		if err != nil {
			return figures, err
		}
		figures = append(figures, w.updateFigures(kind, of)...)
	}
	disclosed, err := w.disclosure(ctx)
	if err != nil {
		return figures, err
	}
	return append(figures, *disclosed), nil
}

// static measures Section 6's static release by K, on the same tables for all methods.
func (w *ward) static(ctx context.Context) (*linkage, error) {
	of := &linkage{}
	if err := w.warmUp(ctx); err != nil {
		return nil, err
	}
	for repetition := range w.repetitions {
		in, err := w.input(w.records, uint64(repetition))
		if err != nil {
			return nil, err
		}
		for _, k := range w.ks {
			for _, g := range groupings() {
				m, seconds, err := g.run(ctx, in, min(k, in.Rows), g.exact, rand.New(rand.NewPCG(w.Seed, uint64(repetition))))
				if err != nil {
					return nil, err
				}
				of.add(g.label, float64(k), m, seconds)
				w.step()
			}
		}
	}
	return of, nil
}

// warmUp runs everything once, so that no measurement pays for the first run.
func (w *ward) warmUp(ctx context.Context) error {
	in, err := w.input(w.records, 0)
	if err != nil {
		return err
	}
	for _, g := range groupings() {
		if _, _, err := g.run(ctx, in, updateSize, g.exact, rand.New(rand.NewPCG(w.Seed, 0))); err != nil {
			return err
		}
	}
	return nil
}

// sizes returns the numbers of records for [ward.bySize].
func (w *ward) sizes() []int {
	if w.Quick {
		return []int{150, 300, 600}
	}
	return []int{1000, 2000, 5000, 10_000, 20_000}
}

// maxExact is the greatest number of records for the exact methods.
const maxExact = 5000

// bySize measures the time by the number of records at K = 8: as printed, and with the index that all four methods
// share here.
func (w *ward) bySize(ctx context.Context, sizes []int) (*linkage, error) {
	of := &linkage{}
	for _, n := range sizes {
		repetitions := w.repetitions
		if n > 2000 {
			repetitions = min(repetitions, 3)
		}
		in, err := w.input(n, 50)
		if err != nil {
			return nil, err
		}
		for _, g := range groupings()[:4] {
			for repetition := range repetitions {
				for _, exact := range []bool{true, false} {
					label := g.label
					if !exact {
						label += indexed
					}
					if exact && n > maxExact {
						continue
					}
					m, seconds, err := g.run(ctx, in, updateSize, exact, rand.New(rand.NewPCG(w.Seed, uint64(repetition))))
					if err != nil {
						return nil, err
					}
					of.add(label, float64(in.Rows), m, seconds)
				}
			}
			w.step()
		}
	}
	return of, nil
}
