package report

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/anonsql/anonsql/anonymize"
)

// A comparison compares the risks and errors of one table's releases.
type comparison struct {
	Lines []comparedLine
	Plots []*Plot
	// Workload is the common workload, "" for none; then Missing has the statements that
	// measure the others.
	Workload string
	Missing  []string
	// Attacked says that every release was attacked, and so has a strongest attack.
	Attacked bool
}

// A comparedLine is one release of the comparison. Number is its point's.
type comparedLine struct {
	Number           int
	Name, Method     string
	Settings         []parameter
	Status           string
	Greatest, Mean   Figure
	Attack           *Figure
	AttackName       string
	Median, MeanErr  *Figure
	By               string // the estimator of this error, if the release has two
	Covered          *Figure
	Best             bool // not dominated by another release
	greatest, likely float64
	err              float64
}

// compare computes every release's risk from its fragments, and takes its error from the common
// workload.
func compare(ctx context.Context, subjects []Subject) (*comparison, error) {
	c := &comparison{Attacked: true}
	common, found := commonWorkload(subjects)
	for i := range subjects {
		s := &subjects[i]
		line, err := lineOf(ctx, s, i+1)
		if err != nil {
			return nil, err
		}
		if line.Attack == nil {
			c.Attacked = false
		}
		at := slices.IndexFunc(s.Workloads, func(e Evaluation) bool { return found && e.workload() == common })
		if at >= 0 {
			e := s.Workloads[at]
			median, mean := share(e.Median), share(e.Mean)
			line.err, line.Median, line.MeanErr = e.Median, &median, &mean
			if s.Tables > 0 {
				line.By = estimatorText(e.Estimator)
			}
			if e.Coverage != nil {
				covered := share(*e.Coverage)
				line.Covered = &covered
			}
		} else {
			c.Missing = append(c.Missing, EvaluateStatement(s))
		}
		c.Lines = append(c.Lines, line)
	}
	if !found {
		return c, nil
	}
	c.Workload = fmt.Sprintf(
		"%d random %s queries on %s, seed %d",
		common.queries,
		clean(common.aggregate),
		quasiIdentifiers(common.low, common.high),
		common.seed,
	)
	c.Plots = []*Plot{c.plot("compared-0", "mean probability", func(l *comparedLine) float64 { return l.likely }),
		c.plot("compared-1", "greatest probability", func(l *comparedLine) float64 { return l.greatest })}
	return c, nil
}

func lineOf(ctx context.Context, s *Subject, number int) (comparedLine, error) {
	line := comparedLine{Number: number, Name: clean(s.Name), Method: shortName(s.Method), Status: s.Status}
	for _, p := range s.Method.Parameters {
		if value, ok := s.Parameters[p.Name]; ok && value != p.Default {
			line.Settings = append(line.Settings, parameter{Name: p.Name, Value: value})
		}
	}
	risks, err := RiskOf(ctx, s.Release, s.Sensitive)
	if err != nil {
		return line, err
	}
	own := 0.0
	for _, r := range risks {
		if r.Attribute != "" {
			line.greatest, own = max(line.greatest, r.Greatest), max(own, r.Mean)
		}
	}
	line.Greatest, line.Mean = share(line.greatest), share(own)
	line.likely = own
	if attacked, name, ok := strongestAttack(s.Guarantees); ok {
		f := share(attacked)
		line.Attack, line.AttackName = &f, clean(name)
		line.likely = max(own, attacked)
	}
	return line, nil
}

// strongestAttack returns the greatest measured mean probability.
func strongestAttack(guarantees []anonymize.Guarantee) (probability float64, name string, ok bool) {
	for _, g := range guarantees {
		if slices.Contains([]string{"definetti", "learned", "supervised", "rank", "matching"}, g.Name) && (!ok || g.Achieved > probability) {
			probability, name, ok = g.Achieved, g.Name, true
		}
	}
	return probability, name, ok
}

// commonWorkload returns the first workload of the first release, widest band first, on which
// every release was measured.
func commonWorkload(subjects []Subject) (common workload, ok bool) {
	candidates := slices.Clone(subjects[0].Workloads)
	sort.SliceStable(candidates, func(i, j int) bool {
		a, b := candidates[i], candidates[j]
		if count := a.Aggregate == "COUNT(*)"; count != (b.Aggregate == "COUNT(*)") {
			return count
		}
		return a.High-a.Low > b.High-b.Low
	})
	for _, candidate := range candidates {
		in := func(e Evaluation) bool { return e.workload() == candidate.workload() }
		if !slices.ContainsFunc(subjects, func(s Subject) bool { return !slices.ContainsFunc(s.Workloads, in) }) {
			return candidate.workload(), true
		}
	}
	return workload{}, false
}

// plot draws a risk against the median error and marks the releases that no other dominates.
func (c *comparison) plot(name, across string, risk func(*comparedLine) float64) *Plot {
	var choices []Choice
	for i := range c.Lines {
		l := &c.Lines[i]
		choices = append(choices, Choice{Number: l.Number, Name: l.Name, Risk: risk(l), Error: l.err})
	}
	p := NewPlot(name, "Median error, by "+across, choices)
	p.Title = "Risk across, " + across + ", and error upwards, median relative error. " + p.Title
	for i := range p.Points {
		c.Lines[i].Best = c.Lines[i].Best || p.Points[i].Best
	}
	return p
}
