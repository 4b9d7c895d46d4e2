package frontier

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Errors are the relative errors of one kind of question.
type Errors struct {
	Cells        int
	Mean, Median float64
	// Covered is the share of 95 % intervals with the actual value, -1 without intervals.
	Covered float64
}

// An Attack is the success of an attacker by ANON_PRIVACY: the mean probability of the actual value, and the shares
// of records where it is above 1/2, and above 9/10. -1 is unknown.
type Attack struct{ Mean, AboveHalf, Above90 float64 }

var unmeasured = Attack{-1, -1, -1}

// A Point has the measurements of a release, or of another tool's table.
type Point struct {
	Name    string
	Errors  map[string]Errors
	Attacks map[string]Attack
	Seconds float64 // of the publication
}

// judge asks all questions and computes the errors by kind.
func judge(ctx context.Context, list []*question, ask asker) (map[string]Errors, error) {
	relative, covered, intervals := make(map[string][]float64), make(map[string]int), make(map[string]int)
	for _, q := range list {
		answers, err := ask(ctx, q)
		if err != nil {
			return nil, err
		}
		for key, actual := range q.actual {
			a := answers[key] // absent: surely 0
			for range max(1, q.times[key]) {
				relative[q.kind] = append(relative[q.kind], math.Abs(a.estimate-actual)/math.Abs(actual))
				if !math.IsNaN(a.low) {
					intervals[q.kind]++
					if slack := 1e-9 * math.Abs(actual); a.low-slack <= actual && actual <= a.high+slack {
						covered[q.kind]++
					}
				}
			}
		}
	}
	all := make(map[string]Errors)
	for kind, errors := range relative {
		all[kind] = summary(errors, covered[kind], intervals[kind])
	}
	return all, nil
}

func summary(errors []float64, covered, intervals int) Errors {
	slices.Sort(errors)
	e := Errors{Cells: len(errors), Median: errors[len(errors)/2], Covered: -1}
	for _, x := range errors {
		e.Mean += x / float64(len(errors))
	}
	if intervals > 0 {
		e.Covered = float64(covered) / float64(intervals)
	}
	return e
}

// Header is the header for [Point.Line].
const Header = "| release | pairs | three-way | two keys | averages | `learned` | > 1/2 | > 9/10 | floor | `rank` | seconds |\n" +
	"|---|---|---|---|---|---|---|---|---|---|---|"

// Line formats the point as a line of a table: mean / median error (coverage).
func (p *Point) Line() string {
	cells := []string{p.Name}
	for _, kind := range Kinds {
		e, asked := p.Errors[kind]
		switch {
		case !asked:
			cells = append(cells, "-")
		case e.Covered < 0:
			cells = append(cells, fmt.Sprintf("%.3f / %.3f", e.Mean, e.Median))
		default:
			cells = append(cells, fmt.Sprintf("%.3f / %.3f (%.2f)", e.Mean, e.Median, e.Covered))
		}
	}
	learned, floor, rank := p.attack("learned"), p.attack("floor"), p.attack("rank")
	cells = append(cells, share(learned.Mean), share(learned.AboveHalf), share(learned.Above90), share(floor.Mean)+" / "+share(floor.Above90),
		share(rank.Mean)+" / "+share(rank.Above90), fmt.Sprintf("%.0f", p.Seconds))
	return "| " + strings.Join(cells, " | ") + " |"
}

func (p *Point) attack(name string) Attack {
	if a, measured := p.Attacks[name]; measured {
		return a
	}
	return unmeasured
}

func share(x float64) string {
	if x < 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", x)
}
