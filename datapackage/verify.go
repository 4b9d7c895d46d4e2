package datapackage

import (
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// check compares the release with its description and recomputes what it can.
func (p *Package) check() error {
	attributes := 0
	for _, f := range p.Release.Fragments {
		attributes += len(f.Columns)
	}
	if len(p.Columns) != attributes {
		return errBadPackage("columns lists %d attributes, the fragments have %d", len(p.Columns), attributes)
	}
	for i, name := range p.Columns {
		if _, _, ok := p.Release.Locate(name); !ok || slices.Contains(p.Columns[:i], name) {
			return errBadPackage("columns lists %q, which is in no fragment or occurs twice", name)
		}
	}
	roles := slices.Concat(p.QuasiIdentifiers, p.Sensitive)
	for i, name := range roles {
		if !slices.Contains(p.Columns, name) {
			return errBadPackage("%q has a role and is in no fragment", name)
		}
		if slices.Contains(roles[:i], name) {
			return errBadPackage("%q has two roles", name)
		}
	}
	for _, f := range p.Release.Fragments {
		for i, c := range f.Columns {
			isSensitive := f.Role == anonymize.Sensitive || f.Role == anonymize.Mixed && i == len(f.Columns)-1
			if !slices.Contains(roles, c.Name) || slices.Contains(p.Sensitive, c.Name) != isSensitive {
				return errBadPackage("%q is in the fragment %s of role %s, and quasiIdentifiers and sensitive do not say so", c.Name, f.Name, f.Role)
			}
		}
	}
	for i, name := range p.Unit {
		if name == "" || slices.Contains(p.Columns, name) || slices.Contains(p.Unit[:i], name) {
			return errBadPackage("%q names units, and is published, occurs twice, or is no name", name)
		}
	}
	if p.Weight != "" && !p.isWeight() || !(min(p.WeightDeviation, p.WeightShared) >= 0 && max(p.WeightDeviation, p.WeightShared) <= 1) {
		return errBadPackage("weight is %q with the deviations %g and %g, which is no quasi-identifier of positive numbers, or no shares", p.Weight, p.WeightDeviation, p.WeightShared)
	}
	return p.verify()
}

// isWeight reports whether the named column has weights.
func (p *Package) isWeight() bool {
	fragment, column, ok := p.Release.Locate(p.Weight)
	return ok && slices.Contains(p.QuasiIdentifiers, p.Weight) &&
		!slices.ContainsFunc(p.Release.Fragments[fragment].Columns[column].Dictionary, func(v anonymize.Value) bool {
			weight, isNumber := v.Number()
			return !isNumber || !(weight > 0)
		})
}

// verify recomputes the guarantees, compares the stated ones with them, and keeps the recomputed ones: readers of the release see no others.
func (p *Package) verify() error {
	recomputed, err := privacy.Keeps(p.promised())
	if err != nil {
		return errBadPackage("%v", err)
	}
	for i, said := range p.Guarantees {
		isSame := func(g anonymize.Guarantee) bool { return g.Name == said.Name }
		at := slices.IndexFunc(recomputed, isSame)
		switch {
		case at < 0:
			return errBadPackage("it states %.80q, which its fragments and its model do not determine: ask its sender for what CALL export_release wrote", said.Name)
		case slices.ContainsFunc(p.Guarantees[:i], isSame):
			return errBadPackage("it states %s twice", said.Name)
		case said.WorstGroup >= p.Release.Groups():
			return errBadPackage("guarantee %s is worst in group %d of %d", said.Name, said.WorstGroup+1, p.Release.Groups())
		}
		if is := recomputed[at].Achieved; !(math.Abs(said.Achieved-is) <= 1e-9*max(1, math.Abs(is))) {
			return errBadPackage("it says that %s is %g, recomputed from its fragments it is %g", said.Name, said.Achieved, is)
		}
	}
	p.Guarantees = recomputed
	return nil
}
