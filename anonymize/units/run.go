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
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A Result is a release of units.
type Result struct {
	Release *anonymize.Release
	// Records are the rows of the input that are published, ascending; nil for all.
	Records []uint32
}

// Published is the input with the records that are published alone, and with their values.
func (r *Result) Published(in *anonymize.Input) *anonymize.Input {
	if r.Records == nil {
		return in
	}
	of := *in
	of.Rows, of.Units = len(r.Records), bucketization.Gather(in.Units, r.Records)
	some := func(columns []*anonymize.Column) (some []*anonymize.Column) {
		for _, c := range columns {
			some = append(some, columnOf(c, r.Records))
		}
		return some
	}
	of.QuasiIdentifiers, of.Sensitive = some(in.QuasiIdentifiers), some(in.Sensitive)
	return &of
}

// columnOf is a column of some rows, with the values that these have alone.
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

// Run applies a method to the units of in, which has [anonymize.Input.Units]; without these to its records. mayLeaveOut is the
// greatest share of the records that may be left out. in.Assigned is told the groups of the records that are published.
//
// Errors are the method's, *anonymize.DataError where the method cannot publish attributes that vary in a unit, and
// *anonymize.InfeasibleError. Where strata of units would have other relations, all have those of the stratum of most units.
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
		if run.chooseLayout() { // what was left out need not be, in that one
			run.divided, run.left, run.trimmed = nil, left, trimmed
			continue
		}
		rows := run.rows()
		if len(rows) == run.in.Rows {
			return run.publish(ctx, kept)
		}
		// A release has no values of records that it leaves out, neither in dictionaries nor inside cells: groups are made again of the others.
		run.in, run.divided = (&Result{Records: rows}).Published(run.in), nil
		if kept != nil {
			rows = bucketization.Gather(kept, rows)
		}
		kept = rows
	}
}

// A run is one application of a method to units.
type run struct {
	method   anonymize.Method
	settings anonymize.Settings
	whole    int              // records of the table
	in       *anonymize.Input // those that are not left out so far
	random   *rand.Rand

	divided []*division     // of the strata that could be divided
	trimmed map[uint32]bool // units that lost records
	left    int             // records that are left out
}

// A division is a stratum with its groups.
type division struct {
	*stratum
	groups  [][]uint32 // places in units
	release *anonymize.Release
	merged  int // groups that were merged into others
}

// whole are the methods that publish more than a group's records and values: what varies in a unit has no place there.
var whole = map[string]struct{ quasi, sensitive string }{
	"fulldomain":     {quasi: "generalizes a column to one level in the whole table"},
	"cross_bucket":   {quasi: "divides units into classes across its groups", sensitive: "hides values in classes across its groups"},
	"nonhomogeneous": {sensitive: "gives every unit a set of sensitive values"},
}

// refuseVarying refuses what varies in a unit where the method has no place for it, and several sensitive attributes of which one
// varies: they are published as one, and the release would not tell how many units have a value of one of them.
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

// inUnits says of units what the method said of the rows that it saw; nil where that is about something else.
func (s *stratum) inUnits(err error, sensitive []*anonymize.Column) error {
	var infeasible *anonymize.InfeasibleError
	if !errors.As(err, &infeasible) {
		return nil
	}
	return s.feasible(s.limitsOf(sensitive, []anonymize.Promise{{Guarantee: infeasible.Parameter, Bound: infeasible.Given}}))
}

// divide divides every stratum into groups, those of most records first.
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

// largest is the release of the stratum of most units.
func (r *run) largest() *anonymize.Release {
	return slices.MaxFunc(r.divided, func(a, b *division) int { return len(a.units) - len(b.units) }).release
}

// chooseLayout reports whether strata have other relations than the largest. Then it says that all shall have those: they are published
// together, and what the method promises of its own relations need not hold in others.
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

// rows are those of the divided units, ascending.
func (r *run) rows() (rows []uint32) {
	for _, d := range r.divided {
		for _, u := range d.units {
			rows = append(rows, u...)
		}
	}
	slices.Sort(rows)
	return rows
}

// isInfeasible reports whether fewer units, or other ones, might do.
func isInfeasible(err error) bool {
	return anonymize.HasNoGroups(err) || errors.As(err, new(*anonymize.DataError))
}

// divideStratum gives the method one row a unit, and merges groups that do not keep its promises.
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
