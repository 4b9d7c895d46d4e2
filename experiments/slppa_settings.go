package experiments

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// settle chooses the sensitive attribute and the parameters. If one value has more than half of the records, Slicing
// has no l-diverse release for l = 2. Then the first other attribute of Table 5 on which Table 7 holds as printed
// swaps roles with the printed sensitive one. Otherwise the nearest feasible parameters replace infeasible ones.
func (p *publisher) settle(ctx context.Context) error {
	p.roles = p.printed
	printed := p.printed.Sensitive[0]
	if share := p.greatestShare(printed); share > 0.5 {
		for _, name := range p.printed.QuasiIdentifiers {
			if p.greatestShare(name) <= 0.05 {
				p.exchange(name)
				break
			}
		}
		if p.roles.Sensitive[0] == printed {
			return fmt.Errorf(
				"experiment slppa: %s has a value of %s percent of the records, so that Slicing has no release, and no other attribute of Table 5 has all values below 5 percent",
				printed,
				evaluation.Number(100*share),
			)
		}
		p.notes = append(
			p.notes,
			fmt.Sprintf(
				"Table 7 (beta = 0.05, l = 20) cannot be met on %s: one value has %s percent of the records, so that beta must be at least %s and l at most 1, and Slicing has no release. "+
					"Sensitive here is %s, the first attribute of Table 5 on which Table 7 holds (greatest share %s percent); %s is a quasi-identifier in its place. What SLPPA and ASN do on %s is a figure of its own.",
				printed,
				evaluation.Number(100*share),
				evaluation.Number(thousandths(share)),
				p.roles.Sensitive[0],
				evaluation.Number(100*p.greatestShare(p.roles.Sensitive[0])),
				printed,
				printed,
			),
		)
	}
	var notes []string
	var err error
	p.setting, notes, err = p.feasible(ctx, divisionArms(), p.roles, append(slices.Clone(p.samples), p.whole)...)
	p.notes = append(p.notes, notes...)
	return err
}

// greatestShare returns the greatest share of a value in any sample.
func (p *publisher) greatestShare(name string) float64 {
	greatest := 0.0
	for _, sample := range p.samples {
		for _, n := range sample.Column(name).Histogram() {
			greatest = max(greatest, float64(n)/float64(sample.Rows))
		}
	}
	return greatest
}

// exchange makes a quasi-identifier sensitive, and the sensitive attribute a quasi-identifier.
func (p *publisher) exchange(name string) {
	p.roles = anonymize.Roles{Sensitive: []string{name}}
	for _, other := range p.printed.QuasiIdentifiers {
		if other != name {
			p.roles.QuasiIdentifiers = append(p.roles.QuasiIdentifiers, other)
		}
	}
	p.roles.QuasiIdentifiers = append(p.roles.QuasiIdentifiers, p.printed.Sensitive...)
}

// feasible replaces parameters by the nearest ones that all tables admit, and describes the changes in notes. It
// drops an arm for which no parameters are feasible, with a note.
func (p *publisher) feasible(ctx context.Context, arms []arm, roles anonymize.Roles, tables ...*anonymize.Microdata) (kept []arm, notes []string, err error) {
	for _, a := range arms {
		relaxed, why, err := p.relax(ctx, a, roles, tables)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil:
			notes = append(notes, fmt.Sprintf("%s is left out: %v.", a.label, err))
			continue
		}
		notes = append(notes, changes(a.label, why, relaxed)...)
		kept = append(kept, relaxed)
	}
	if len(kept) == 0 {
		return nil, notes, errors.New("experiment slppa: " + strings.Join(notes, " "))
	}
	return kept, unrepeated(notes), nil
}

// changes describes the changes of relax, one sentence for each parameter.
func changes(what string, why map[string]string, relaxed arm) []string {
	var notes []string
	for _, name := range slices.Sorted(maps.Keys(why)) {
		notes = append(notes, fmt.Sprintf("%s: %s; %s = %s is used.", what, why[name], name, relaxed.arguments[name]))
	}
	return notes
}

// maxSteps bounds the number of attempts for one table.
const maxSteps = 24

// relax changes the parameters of an arm until all tables have a release. why has the first reason to change each
// parameter.
func (p *publisher) relax(ctx context.Context, a arm, roles anonymize.Roles, tables []*anonymize.Microdata) (arm, map[string]string, error) {
	a.arguments = maps.Clone(a.arguments)
	if check := a.arguments["check"]; check == "global" { // the local check has the same limits, and is faster
		a.arguments["check"] = "local"
		defer func() { a.arguments["check"] = check }()
	}
	why := make(map[string]string)
	for _, table := range tables {
		for try := 0; ; try++ {
			in, err := anonymize.NewInput(table, roles, p.Random("settings"))
			if err != nil {
				return a, nil, err
			}
			_, err = a.method.Run(ctx, in, a.arguments)
			if err == nil {
				break
			}
			name, value, ok := nearer(err, a.arguments)
			if !ok || try == maxSteps || ctx.Err() != nil {
				return a, nil, err
			}
			if why[name] == "" {
				why[name] = err.Error()
			}
			a.arguments[name] = value
		}
	}
	return a, why, nil
}

// nearer proposes another value for the parameter that an error names: the feasible value in the error, or twice the
// current value.
func nearer(err error, arguments anonymize.Arguments) (name, value string, ok bool) {
	if infeasible, ok := errors.AsType[*anonymize.InfeasibleError](err); ok {
		switch {
		case infeasible.Smallest.Den != 0:
			return infeasible.Parameter, evaluation.Plain(thousandths(infeasible.Smallest.Float())), true
		case infeasible.Largest.Den != 0 && infeasible.Largest.Float() >= 2:
			return infeasible.Parameter, strconv.Itoa(int(infeasible.Largest.Float())), true
		}
		return "", "", false
	}
	if parameter, ok := errors.AsType[*anonymize.ParameterError](err); ok && (parameter.Parameter == "gamma" || parameter.Parameter == "alpha") {
		r, err := anonymize.ParseRatio(arguments[parameter.Parameter])
		if err == nil && r.Float() < 1 {
			return parameter.Parameter, evaluation.Plain(min(1, 2*r.Float())), true
		}
	}
	return "", "", false
}

// thousandths rounds a share up: a barely feasible value in readable digits.
func thousandths(x float64) float64 { return math.Min(1, math.Ceil(1000*x-1e-9)/1000) }

func unrepeated(notes []string) []string {
	var list []string
	for _, note := range notes {
		if !slices.Contains(list, note) {
			list = append(list, note)
		}
	}
	return list
}

// armOf finds the arm with a label; ok is false if it was dropped.
func armOf(arms []arm, label string) (arm, bool) {
	i := slices.IndexFunc(arms, func(a arm) bool { return a.label == label })
	if i < 0 {
		return arm{}, false
	}
	return arms[i], true
}
