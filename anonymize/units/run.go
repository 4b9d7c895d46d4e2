package units

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Result is a release of units.
type Result struct {
	Release *anonymize.Release
	// Records are the published rows of the input, ascending; nil for all.
	Records []uint32
}

// Published returns the input with only the published records and their values.
func (r *Result) Published(in *anonymize.Input) *anonymize.Input {
	if r.Records == nil {
		return in
	}
	of := *in
	if of.Rows = len(r.Records); of.Units != nil {
		of.Units = anonymize.Gather(of.Units, r.Records)
	}
	some := func(columns []*anonymize.Column) (some []*anonymize.Column) {
		for _, c := range columns {
			some = append(some, columnOf(c, r.Records))
		}
		return some
	}
	of.QuasiIdentifiers, of.Sensitive = some(in.QuasiIdentifiers), some(in.Sensitive)
	return &of
}

// columnOf returns a column of some rows, with only their values in its dictionary.
func columnOf(c *anonymize.Column, rows []uint32) *anonymize.Column {
	of := &anonymize.Column{Name: c.Name, Type: c.Type, Codes: make([]uint32, len(rows))}
	used, to := make([]bool, len(c.Dictionary)), make([]uint32, len(c.Dictionary))
	for _, row := range rows {
		used[c.Codes[row]] = true
	}
	for code, v := range c.Dictionary {
		if used[code] {
			to[code] = uint32(len(of.Dictionary))
			of.Dictionary = append(of.Dictionary, v)
		}
	}
	for i, row := range rows {
		of.Codes[i] = to[c.Codes[row]]
	}
	return of
}

// Run applies a method to the units of in ([anonymize.Input.Units]); without units, to its records. mayLeaveOut is the
// greatest share of the records that may be left out. in.Assigned receives the groups of the published records.
//
// Errors are the method's, *anonymize.DataError if the method cannot publish attributes that vary within units, and
// *anonymize.InfeasibleError. If strata of units would have different relations, all get those of the largest stratum.
func Run(ctx context.Context, m anonymize.Method, in *anonymize.Input, arguments anonymize.Arguments, mayLeaveOut anonymize.Ratio) (*Result, error) {
	if in.Units == nil {
		r, err := m.Run(ctx, in, arguments)
		return &Result{Release: r}, err
	}
	settings, err := m.Resolve(arguments)
	if err != nil {
		return nil, err
	}
	run := &run{method: m, settings: settings, whole: in.Rows, in: in, random: rand.New(in.Random), trimmed: make(map[uint32]bool)}
	var kept []uint32 // rows of the table; nil for all
	for {
		strata := strata(run.in)
		if err := run.refuseVarying(strata); err != nil {
			return nil, err
		}
		left, trimmed := run.left, maps.Clone(run.trimmed)
		if err := run.divide(ctx, strata, mayLeaveOut); err != nil {
			return nil, err
		}
		if run.chooseLayout() { // with that layout, records left out before may fit
			run.divided, run.left, run.trimmed = nil, left, trimmed
			continue
		}
		rows := run.rows()
		if len(rows) == run.in.Rows {
			return run.publish(ctx, kept)
		}
		// A release must not have values of records that it leaves out, neither in dictionaries nor within cells: form the groups again without them.
		run.in, run.divided = (&Result{Records: rows}).Published(run.in), nil
		if kept != nil {
			rows = anonymize.Gather(kept, rows)
		}
		kept = rows
	}
}

// A run is one application of a method to units.
type run struct {
	method   anonymize.Method
	settings anonymize.Settings
	whole    int              // records of the table
	in       *anonymize.Input // those not left out so far
	random   *rand.Rand

	divided []*division     // the strata that could be divided
	trimmed map[uint32]bool // units that lost records
	left    int             // number of records left out
}

// A division is a stratum with its groups.
type division struct {
	*stratum
	groups  [][]uint32 // places in units
	release *anonymize.Release
	merged  int // number of groups merged into others
}

// whole lists the methods that publish more than a group's records and values, and so cannot publish what varies within units.
var whole = map[string]struct{ quasi, sensitive string }{
	"fulldomain":     {quasi: "generalizes a column to one level for all units with equally many records"},
	"cross_bucket":   {quasi: "divides units into classes across its groups", sensitive: "hides values in classes across its groups"},
	"nonhomogeneous": {sensitive: "gives every unit a set of sensitive values"},
}

// refuseVarying refuses attributes that vary within units if the method cannot publish them. It also refuses several sensitive
// attributes if one varies: they are published as one, and the release would not say how many units have a value of one of them.
func (r *run) refuseVarying(strata []*stratum) error {
	varies := func(c *anonymize.Column) bool {
		return slices.ContainsFunc(strata, func(s *stratum) bool { return !s.isConstant(c) })
	}
	refuse := func(c *anonymize.Column, why string) error {
		if why == "" || !varies(c) {
			return nil
		}
		return &anonymize.DataError{Reason: fmt.Sprintf("%s %s, and %s varies in a unit: say another method, or columns with one value a unit",
			r.method.Name, why, c.Name)}
	}
	for _, c := range r.in.QuasiIdentifiers {
		if err := refuse(c, whole[r.method.Name].quasi); err != nil {
			return err
		}
	}
	for _, c := range r.in.Sensitive {
		if err := refuse(c, whole[r.method.Name].sensitive); err != nil {
			return err
		}
		if len(r.in.Sensitive) > 1 && varies(c) {
			return &anonymize.DataError{Reason: fmt.Sprintf("%s varies in a unit and is one of several sensitive attributes: "+
				"say one of them (sa=%s), or columns with one value a unit", c.Name, c.Name)}
		}
	}
	return nil
}

// inUnits translates what the method says about rows into a statement about units; nil if the error is about something else.
func (s *stratum) inUnits(err error, sensitive []*anonymize.Column) error {
	var infeasible *anonymize.InfeasibleError
	if !errors.As(err, &infeasible) {
		return nil
	}
	return s.feasible(s.limitsOf(sensitive, []anonymize.Promise{{Guarantee: infeasible.Parameter, Bound: infeasible.Given}}))
}

// divide divides every stratum into groups, those with the most records per unit first.
func (r *run) divide(ctx context.Context, strata []*stratum, mayLeaveOut anonymize.Ratio) error {
	var refused error
	for i, s := range strata {
		d, err := r.divideStratum(ctx, s)
		if err == nil {
			r.divided = append(r.divided, d)
			continue
		}
		if !isInfeasible(err) || len(strata) == 1 {
			return err
		}
		refused = err
		below := 0
		if i+1 < len(strata) {
			below = strata[i+1].records
			s.trim(strata[i+1], r.random)
		}
		for _, u := range s.units {
			r.trimmed[r.in.Units[u[0]]] = true
		}
		r.left += len(s.units) * (s.records - below)
	}
	if len(r.divided) == 0 {
		return refused
	}
	if !mayLeaveOut.Admits(r.left, r.whole) {
		return &anonymize.DataError{Reason: fmt.Sprintf("%d of %d records would be left out, more than left_out = %s allows: only units of equally many records "+
			"are in one group, and there are too few of some numbers (%v). A weaker promise needs fewer, left_out=%s allows it",
			r.left, r.whole, mayLeaveOut.Text(), refused, anonymize.NewRatio(uint64(r.left), uint64(r.whole)).RoundUp())}
	}
	return nil
}

// largest returns the release of the largest stratum.
func (r *run) largest() *anonymize.Release {
	return slices.MaxFunc(r.divided, func(a, b *division) int { return len(a.units) - len(b.units) }).release
}

// chooseLayout reports whether strata have other relations than the largest. If so, it fixes those for all: the
// strata are published together, and a method's promises about its own relations need not hold in others.
func (r *run) chooseLayout() bool {
	layout := r.largest().Layout()
	same := func(d *division) bool { return slices.EqualFunc(d.release.Layout(), layout, slices.Equal[[]string]) }
	if r.in.Layout != nil || !slices.ContainsFunc(r.divided, func(d *division) bool { return !same(d) }) {
		return false
	}
	in := *r.in
	in.Layout, r.in = layout, &in
	return true
}

// rows returns the rows of the divided units, ascending.
func (r *run) rows() (rows []uint32) {
	for _, d := range r.divided {
		for _, u := range d.units {
			rows = append(rows, u...)
		}
	}
	slices.Sort(rows)
	return rows
}

// isInfeasible reports whether fewer or other units might work.
func isInfeasible(err error) bool {
	return anonymize.HasNoGroups(err) || errors.As(err, new(*anonymize.DataError))
}

// divideStratum gives the method one row per unit, and merges groups that break its promises.
func (r *run) divideStratum(ctx context.Context, s *stratum) (*division, error) {
	d := &division{stratum: s}
	in := s.input(r.in)
	in.Assigned = func(gidOf []uint32) {
		d.groups = make([][]uint32, 1+slices.Max(gidOf))
		for u, g := range gidOf {
			d.groups[g] = append(d.groups[g], uint32(u))
		}
	}
	var err error
	if d.release, err = r.method.Anonymize(ctx, in, r.settings); err != nil {
		return nil, cmp.Or(s.inUnits(err, r.in.Sensitive), err)
	}
	promises := slices.Concat(d.release.Promises, r.in.Asked)
	limits := s.limitsOf(r.in.Sensitive, promises)
	if err := s.feasible(limits); err != nil {
		return nil, err
	}
	d.groups, d.merged = s.merge(d.groups, limits, r.random)
	return d, nil
}
