package experiments

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/cdt"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// CDT is section 4 of Subramanian et al.: utility loss, privacy and time of CDT by
// the number of records, beside random classes and our variants.
func CDT() evaluation.Experiment {
	return evaluation.Experiment{
		Name:    "cdt",
		Paper:   "Subramanian et al.",
		Title:   "Subramanian, Fayaz A, Johnson, Thirumaaran: Clustering Dissimilar Tuples: A Stronger Notion of Privacy (CDT)",
		Figures: cdtFigures,
	}
}

// The labels of the series. The random classes have the sizes of CDT's.
const (
	inPaper    = "in the paper"
	cdtPrinted = "CDT as printed"
	cdtRandom  = "random classes of its sizes"
	cdtMerged  = "CDT (merged to k = 2, ours)"
	cdtBounded = "CDT (bounded, k = n/5, ours)"
)

// printedCDT are the paper's numbers, in percent and seconds, by records.
var printedCDT = map[string]map[int]float64{
	"UL":   {100: 42.51, 200: 46.05, 300: 44.80, 400: 50.20, 500: 51.89, 1000: 62.28},
	"P(Q)": {100: 58.60, 200: 62.04, 300: 67.29, 400: 73.87, 500: 75.27, 1000: 79.84},
	"P(S)": {100: 71.28, 200: 63.73, 300: 64.30, 400: 76.65, 500: 58.81, 1000: 69.41},
	"gain": {100: 52.27, 200: 46.27, 300: 46.37, 400: 52.89, 500: 42.50},
	"time": {100: 3.61, 200: 6.68, 300: 28.33, 400: 67.51, 500: 157.69},
}

// measuresOfCDT are the names of printedCDT.
var measuresOfCDT = []string{"UL", "P(Q)", "P(S)", "gain", "time"}

// A study is the data and the settings of the experiment.
type study struct {
	*evaluation.Run
	columns              []*anonymize.Column
	roles                anonymize.Roles
	domains              map[string]*anonymize.Domain
	sizes                []int
	repetitions          int
	notes                []string
	done                 int
	of                   map[string]*evaluation.Tally // by measure
	homogeneous, classes evaluation.Tally
	least                evaluation.Tally
}

func newStudy(run *evaluation.Run) (*study, error) {
	s := &study{Run: run, sizes: []int{100, 200, 300, 400, 500, 1000}, repetitions: 10, of: map[string]*evaluation.Tally{}}
	if run.Quick {
		s.sizes, s.repetitions = []int{100, 200, 300}, 2
	}
	age, err := run.Attribute("cdt", evaluation.Numeric, "age")
	if err != nil {
		return nil, err
	}
	others, err := run.Attributes("cdt", "sex", "place or native_country or region", "occupation", "education", "fnlwgt or income")
	if err != nil {
		return nil, err
	}
	s.columns = append([]*anonymize.Column{age}, others...)
	list := evaluation.Names(s.columns)
	s.roles = anonymize.Roles{QuasiIdentifiers: list[:3], Sensitive: list[3:]}
	s.domains = map[string]*anonymize.Domain{list[5]: {Scale: anonymize.Nominal}}
	if most := s.sizes[len(s.sizes)-1]; run.Table.Rows < most {
		return nil, fmt.Errorf("experiment cdt needs %d records: the table has %d", most, run.Table.Rows)
	}
	for _, measure := range measuresOfCDT {
		s.of[measure] = &evaluation.Tally{}
		for n, y := range printedCDT[measure] {
			if n <= s.sizes[len(s.sizes)-1] {
				s.of[measure].Add(inPaper, float64(n), y)
			}
		}
	}
	s.notes = append(
		s.notes,
		fmt.Sprintf(
			"Quasi-identifiers %v, sensitive attributes %v, the last as categories; median of %d samples.",
			s.roles.QuasiIdentifiers,
			s.roles.Sensitive,
			s.repetitions,
		),
	)
	return s, nil
}

func cdtFigures(ctx context.Context, run *evaluation.Run) ([]evaluation.Figure, error) {
	s, err := newStudy(run)
	if err != nil {
		return nil, err
	}
	for _, n := range s.sizes {
		for repetition := range s.repetitions {
			if err := s.sample(ctx, n, uint64(repetition)); err != nil {
				return nil, err
			}
		}
	}
	return s.figures(), nil
}

// sample runs all arms on one sample of n records.
func (s *study) sample(ctx context.Context, n int, repetition uint64) error {
	seed := 400 + 10_000*repetition + uint64(n)
	in, err := anonymize.NewInput(evaluation.Drawn(s.columns, n, rand.New(rand.NewPCG(s.Seed, seed))), s.roles, nil)
	if err != nil {
		return err
	}
	in.Domains = s.domains
	var sizes []uint32
	for _, a := range s.arms(in) {
		in.Random = rand.NewPCG(s.Seed, seed+1_000_000) // independent of the sample's
		started := time.Now()
		var r *anonymize.Release
		if a.label == cdtRandom {
			r, err = cdt.RandomClasses(ctx, in, sizes)
		} else {
			r, err = a.method.Run(ctx, in, a.arguments)
		}
		if err != nil {
			return fmt.Errorf("%s, %d records: %w", a.label, n, err)
		}
		seconds := time.Since(started).Seconds()
		if a.label == cdtPrinted {
			sizes = r.GroupSizes
		}
		if err := s.measure(ctx, in, a.label, r, seconds); err != nil {
			return err
		}
	}
	s.done++
	s.ReportProgress("cdt", s.done, len(s.sizes)*s.repetitions)
	return nil
}

// arms returns the methods for a table. With k = 1 and l = 1 nothing is merged, so the classes are the paper's.
func (s *study) arms(in *anonymize.Input) []arm {
	m := cdt.Method()
	l := fmt.Sprint(s.diversity(in))
	return []arm{
		{cdtPrinted, m, anonymize.Arguments{"variant": "paper", "k": "1", "l": "1"}},
		{cdtRandom, m, nil},
		{cdtMerged, m, anonymize.Arguments{"variant": "paper", "k": "2", "l": l}},
		{cdtBounded, m, anonymize.Arguments{"variant": "bounded", "k": fmt.Sprint(in.Rows / 5), "l": l}},
	}
}

// diversity returns 2, or 1 if one value has more than half of the records.
func (s *study) diversity(in *anonymize.Input) int {
	for _, c := range in.Sensitive {
		for _, n := range c.Histogram() {
			if 2*n > in.Rows {
				return 1
			}
		}
	}
	return 2
}

const percent = 100

func (s *study) measure(ctx context.Context, in *anonymize.Input, label string, r *anonymize.Release, seconds float64) error {
	m, err := cdt.Measure(ctx, r, func(column string) bool { return column == in.QuasiIdentifiers[0].Name })
	if err != nil {
		return err
	}
	before, err := cdt.MeasureTable(ctx, in)
	if err != nil {
		return err
	}
	x := float64(in.Rows)
	s.of["UL"].Add(label, x, percent*m.UL)
	s.of["P(Q)"].Add(label, x, percent*m.PQ)
	s.of["P(S)"].Add(label, x, percent*m.PS)
	s.of["gain"].Add(label, x, percent*(m.PD-before.PD))
	if label != cdtRandom {
		s.of["time"].Add(label, x, seconds)
	}
	share, least := homogeneous(r)
	s.homogeneous.Add(label, x, percent*share)
	s.classes.Add(label, x, float64(r.Groups()))
	s.least.Add(label, x, float64(least))
	return nil
}

// homogeneous returns the share of records in classes where all records have the same value of some sensitive
// attribute, including classes of one record; and the size of the smallest class.
func homogeneous(r *anonymize.Release) (share float64, least int) {
	attacked, least := 0, r.Rows
	for g, size := range r.GroupSizes {
		least = min(least, int(size))
		if oneValue(r, g) {
			attacked += int(size)
		}
	}
	return float64(attacked) / float64(r.Rows), least
}

func oneValue(r *anonymize.Release, g int) bool {
	for _, f := range r.Fragments {
		if f.Role != anonymize.Sensitive {
			continue
		}
		for _, c := range f.Columns {
			codes := c.Codes[f.GroupStart[g]:f.GroupStart[g+1]]
			if !slices.ContainsFunc(codes, func(code uint32) bool { return code != codes[0] }) {
				return true
			}
		}
	}
	return false
}
