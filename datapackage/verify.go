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

// verify recomputes the guarantees and compares them with the stated ones.
func (p *Package) verify() error {
	recomputed, err := privacy.Verify(p.promised())
	if err == nil {
		err = privacy.FirstBroken(recomputed)
	}
	if err != nil {
		return errBadPackage("%v", err)
	}
	for _, g := range recomputed {
		if at := slices.IndexFunc(p.Guarantees, func(said anonymize.Guarantee) bool { return said.Name == g.Name }); at >= 0 {
			if said := p.Guarantees[at].Achieved; !(math.Abs(said-g.Achieved) <= 1e-9*max(1, math.Abs(g.Achieved))) {
				return errBadPackage("it says that %s is %g, recomputed from its fragments it is %g", g.Name, said, g.Achieved)
			}
		}
	}
	for _, g := range p.Guarantees {
		if g.WorstGroup >= p.Release.Groups() {
			return errBadPackage("guarantee %s is worst in group %d of %d", g.Name, g.WorstGroup+1, p.Release.Groups())
		}
	}
	return nil
}
