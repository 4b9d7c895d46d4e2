package report

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A comparison puts releases of one table side by side: how risky, how true.
type comparison struct {
	Lines []comparedLine
	Plots []scatter
	// Workload is what all were measured on, "" when there is none; then Missing
	// has the statements that measure the rest.
	Workload string
	Missing  []string
	// Attacked says that every release was attacked, and so has a strongest one.
	Attacked bool
}

// A comparedLine is one release of the comparison. Number is that of its point.
type comparedLine struct {
	Number           int
	Name, Method     string
	Settings         []parameter
	Status           string
	Greatest, Mean   Figure
	Attack           *Figure
	AttackName       string
	Median, MeanErr  *Figure
	By               string // the estimator that erred so, where the release has two
	Covered          *Figure
	Best             bool // no other is at least as good in both and better in one
	greatest, likely float64
	err              float64
}

// A scatter is a risk-utility plot.
type scatter struct {
	Points       []point
	Line         string // through the best, in a square of 1000 units
	X, Y         []tick
	Title        string
	Across, Upon string
}

// A point has its number beside it, at a distance in pixels.
type point struct {
	Number       int
	X, Y         string
	Best         bool
	Right, Below int
	Anchor       string
}

// compare reads the risk of every release off its fragments, and the error off the
// workload that all of them were measured on.
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
	c.Workload = fmt.Sprintf("%d random %s queries on %s, seed %d", common.queries, clean(common.aggregate), quasiIdentifiers(common.low, common.high), common.seed)
	c.Plots = []scatter{c.plot("mean probability", func(l *comparedLine) float64 { return l.likely })}
	c.Plots = append(c.Plots, c.plot("greatest probability", func(l *comparedLine) float64 { return l.greatest }))
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

// strongestAttack is the greatest measured mean probability.
func strongestAttack(guarantees []anonymize.Guarantee) (probability float64, name string, ok bool) {
	for _, g := range guarantees {
		if slices.Contains([]string{"definetti", "learned", "rank", "matching"}, g.Name) && (!ok || g.Achieved > probability) {
			probability, name, ok = g.Achieved, g.Name, true
		}
	}
	return probability, name, ok
}

// commonWorkload is the first workload of the first release that every release was
// measured on, the widest band first.
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

// plot draws a risk against the median error, and marks the releases that none
// other beats.
func (c *comparison) plot(across string, risk func(*comparedLine) float64) scatter {
	s := scatter{Across: across, Upon: "median relative error"}
	farthest, highest := 0.0, 0.0
	for i := range c.Lines {
		farthest, highest = max(farthest, risk(&c.Lines[i])), max(highest, c.Lines[i].err)
	}
	right, stepAcross := niceTop(1.05 * farthest)
	top, stepUp := niceTop(1.1 * highest)
	s.X, s.Y = ticksAcross(right, stepAcross, percent), ticksDown(top, stepUp, percent)
	if len(s.X) > 6 {
		s.X = everySecond(s.X)
	}
	var taken labels
	for i := range c.Lines {
		taken = append(taken, [2]float64{narrowPlot * risk(&c.Lines[i]) / right, plotHeight * (1 - c.Lines[i].err/top)})
	}
	var best []*comparedLine
	var said []string
	for i := range c.Lines {
		l := &c.Lines[i]
		beaten := slices.ContainsFunc(c.Lines, func(o comparedLine) bool {
			return risk(&o) <= risk(l) && o.err <= l.err && (risk(&o) < risk(l) || o.err < l.err)
		})
		if !beaten {
			l.Best = true
			best = append(best, l)
		}
		x, y := risk(l)/right, plotHeight*(1-l.err/top)
		p := point{Number: l.Number, X: at(risk(l), right), Y: decimal(y), Best: !beaten}
		p.Right, p.Below, p.Anchor = taken.place(x*narrowPlot, y)
		s.Points = append(s.Points, p)
		said = append(said, fmt.Sprintf("%s: %s and %s", l.Name, percent(risk(l)), percent(l.err)))
	}
	slices.SortFunc(best, func(a, b *comparedLine) int {
		if risk(a) < risk(b) {
			return -1
		}
		return 1
	})
	var corners []string
	for _, l := range best {
		corners = append(corners, decimal(1000*risk(l)/right)+","+decimal(1000*(1-l.err/top)))
	}
	s.Line = strings.Join(corners, " ")
	s.Title = "Risk across, " + across + ", and error upwards, " + s.Upon + ". " + strings.Join(said, "; ") + "."
	return s
}

// narrowPlot is the width of a plot where it is narrowest, in pixels: labels that
// do not meet there meet nowhere.
const narrowPlot = 250

// labels are the places that are taken, by points and by numbers, in pixels of the
// narrowest plot.
type labels [][2]float64

// An offset is where a number may stand.
type offset struct {
	right, below int
	anchor       string
}

// middle is the middle of the number: digits are 7 pixels wide and 8 high.
func (o offset) middle(x, y float64) [2]float64 {
	return [2]float64{x + 1.4*float64(o.right), y + float64(o.below) - 4}
}

// place finds room for the number of a point: beside, above or below it, and
// where there is none, to the right.
func (l *labels) place(x, y float64) (right, below int, anchor string) {
	candidates := []offset{{9, 4, "start"}, {-9, 4, "end"}, {0, -9, "middle"}, {0, 18, "middle"}, {9, -8, "start"}, {9, 16, "start"}, {-9, -8, "end"}, {-9, 16, "end"}}
	chosen := candidates[0]
	for _, c := range candidates {
		at := c.middle(x, y)
		if at[0] < narrowPlot && !slices.ContainsFunc(*l, func(o [2]float64) bool { return abs(o[0]-at[0]) < 10 && abs(o[1]-at[1]) < 10 }) {
			chosen = c
			break
		}
	}
	*l = append(*l, chosen.middle(x, y))
	return chosen.right, chosen.below, chosen.anchor
}

func abs(x float64) float64 { return max(x, -x) }
