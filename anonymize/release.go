package anonymize

import (
	"errors"
	"fmt"
)

// A Release is what is published: groups of records, described by fragments
// that are not linked to each other inside a group. It is immutable.
//
// It defines a probability model: among all microdata tables that agree with
// it, inside each group every matching of the fragments' tuples is equally
// likely, and each cell is drawn from its distribution. Everything that
// package estimate answers is a statement about that model.
type Release struct {
	Method string
	// Rows is the number of records published.
	Rows int
	// GroupSizes has the number of records of every gid. Gids are 0-based
	// here and numbered at random by the method.
	GroupSizes []uint32
	// Units has the number of units of every gid: of the persons, or households, whose records the group has. Nil where
	// every record is a unit. All records of a unit are in one group, and all units of a group have equally many records
	// (docs/units.md).
	Units     []uint32
	Fragments []*Fragment
	// Model is what is published beside the groups; nil: nothing.
	Model *Model
	// Forged is the number of counterfeits among the Rows, which a release has
	// that follows its table. It is published; which records they are is not, so
	// in the model every choice of that many records is equally likely.
	Forged int
	// Promises are the guarantees that the method was asked to meet.
	Promises []Promise
	// Facts are what the method wants to tell the owner about its run, in
	// the order in which they should be shown.
	Facts []Fact
}

// Groups returns the number of groups.
func (r *Release) Groups() int { return len(r.GroupSizes) }

// PerUnit is the release that counts units where r counts records: a group has as many rows as it has units, and a tuple as
// many as there are units that have it. Where a unit has several tuples of a fragment, these are more than the group's rows,
// and [Release.Check] fails. A release whose units are records is itself.
func (r *Release) PerUnit() *Release {
	if r.Units == nil {
		return r
	}
	view := *r
	view.GroupSizes, view.Rows, view.Fragments = r.Units, 0, nil
	for _, units := range r.Units {
		view.Rows += int(units)
	}
	for _, f := range r.Fragments {
		counted := *f
		counted.Count = f.Units
		view.Fragments = append(view.Fragments, &counted)
	}
	return &view
}

// Locate returns the fragment and the column of that fragment that publish the
// named attribute.
func (r *Release) Locate(name string) (fragment, column int, ok bool) {
	for i, f := range r.Fragments {
		if c := f.Column(name); c >= 0 {
			return i, c, true
		}
	}
	return 0, 0, false
}

// Layout has the names of the columns of every fragment but that of sensitive attributes.
func (r *Release) Layout() (layout [][]string) {
	for _, f := range r.Fragments {
		if f.Role == Sensitive {
			continue
		}
		var names []string
		for _, c := range f.Columns {
			names = append(names, c.Name)
		}
		layout = append(layout, names)
	}
	return layout
}

// A Promise is a bound that a release is to meet, by the name of its guarantee
// ("alpha", "beta", ...). Package privacy knows the names.
type Promise struct {
	Guarantee string
	Bound     Ratio
	// Threshold, for l_threshold: how far apart values are at most that count as one, with Relative as a part of the value (see [Width]).
	// For recursive it is the l of (c, l)-diversity, the bound
	// being c; zero takes the l that is promised beside it.
	Threshold Ratio
	Relative  bool
	// Separator, for l_sets: what stands between the codes of a cell.
	Separator string
	// Hierarchy, for t_hierarchical: the distances of the values.
	Hierarchy *Hierarchy
	// NotSensitive, for l and beta: values, as texts, that are no secret and that the promise is not about.
	NotSensitive []string
}

// A Guarantee is one line of the verifier's report.
type Guarantee struct {
	Name string
	// Required is the promised bound; nil when the figure is only reported.
	Required *Ratio
	// Achieved is the worst value over all groups, exact when it is a
	// ratio of counts that fits, else the nearest float.
	Achieved float64
	// Threshold, Relative, Separator, Hierarchy and NotSensitive are the promise's, nil without one.
	Threshold    *Ratio     `json:",omitempty"`
	Relative     bool       `json:",omitempty"`
	Separator    string     `json:",omitempty"`
	Hierarchy    *Hierarchy `json:",omitempty"`
	NotSensitive []string   `json:",omitempty"`
	// WorstGroup is the gid with that value, -1 when it is a figure of the
	// whole release.
	WorstGroup int
	Holds      bool
	// Detail says what the figure is about: the value, the fragment.
	Detail string
	// Attack is how an attacker's figure came about; nil for others, and in what older versions of the program have stored.
	Attack *AttackFigure `json:",omitempty"`
}

// An AttackFigure is how an attack on one sensitive attribute went: shares of the records that it is about.
type AttackFigure struct {
	Attribute string
	// Records is how many these are.
	Records int
	// Baseline is the mean probability of a record's own value before anything is learned.
	Baseline float64
	// Own90 is the share of records whose own value has a probability above 0.9. Above90 is that of records with any such value, and
	// Above90Right how often that one is the own.
	Own90, Above90, Above90Right float64
}

// Promise returns what was promised of the guarantee; false when it is only reported.
func (g *Guarantee) Promise() (p Promise, ok bool) {
	if g.Required == nil {
		return p, false
	}
	p = Promise{Guarantee: g.Name, Bound: *g.Required, Hierarchy: g.Hierarchy, NotSensitive: g.NotSensitive, Relative: g.Relative, Separator: g.Separator}
	if g.Threshold != nil {
		p.Threshold = *g.Threshold
	}
	return p, true
}

// A Fact is a named figure that a method reports beside its release.
type Fact struct {
	Name  string
	Value string
}

// Check verifies that r is well-formed: every fragment has all groups, counts
// are positive, codes are inside their dictionaries, tuples are stored in
// strictly ascending order inside a group, and the counts of each fragment add
// up to the size of every group. It says nothing about privacy. One pass.
func (r *Release) Check() error {
	total := 0
	for _, size := range r.GroupSizes {
		total += int(size)
	}
	if total != r.Rows {
		return fmt.Errorf("the groups have %d records, the release %d", total, r.Rows)
	}
	if r.Forged < 0 || r.Forged > r.Rows {
		return fmt.Errorf("%d of %d records are forged", r.Forged, r.Rows)
	}
	if err := r.checkUnits(); err != nil {
		return err
	}
	for _, f := range r.Fragments {
		err := f.check(r.GroupSizes)
		if err == nil {
			err = f.checkUnits(r)
		}
		if err != nil {
			return fmt.Errorf("fragment %s: %w", f.Name, err)
		}
	}
	if r.Model != nil {
		return r.Model.check(r)
	}
	return nil
}

// checkUnits verifies that all units of a group may have equally many records.
func (r *Release) checkUnits() error {
	if r.Units == nil {
		return nil
	}
	if len(r.Units) != r.Groups() {
		return fmt.Errorf("there are numbers of units of %d groups, of %d", len(r.Units), r.Groups())
	}
	for g, units := range r.Units {
		if size := r.GroupSizes[g]; units == 0 || size%units != 0 {
			return fmt.Errorf("group %d has %d records of %d units, which cannot have equally many", g, size, units)
		}
	}
	return nil
}

// checkUnits verifies that every tuple is of as many units as its records allow: no more than it has records and the group
// has units, and enough to hold the records. The tuples of a group are together of all its units.
func (f *Fragment) checkUnits(r *Release) error {
	if (f.Units == nil) != (r.Units == nil) {
		return errors.New("it has no numbers of units, or the release has none")
	}
	if r.Units == nil {
		return nil
	}
	if len(f.Units) != f.Tuples() {
		return fmt.Errorf("it has %d numbers of units for %d tuples", len(f.Units), f.Tuples())
	}
	for g, units := range r.Units {
		records, sum := r.GroupSizes[g]/units, uint64(0)
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			of, count := f.Units[t], f.Count[t]
			if of > units || of > count || uint64(of)*uint64(records) < uint64(count) {
				return fmt.Errorf("group %d of %d units with %d records each has a tuple with %d records of %d units", g, units, records, count, of)
			}
			sum += uint64(of)
		}
		if sum < uint64(units) {
			return fmt.Errorf("group %d has %d units, its tuples are of %d", g, units, sum)
		}
	}
	return nil
}

func (f *Fragment) check(sizes []uint32) error {
	if f.Groups() != len(sizes) {
		return fmt.Errorf("has %d groups, the release %d", f.Groups(), len(sizes))
	}
	if f.GroupStart[0] != 0 || int(f.GroupStart[len(sizes)]) != f.Tuples() {
		return fmt.Errorf("its groups do not span its %d tuples", f.Tuples())
	}
	for _, c := range f.Columns {
		if len(c.Codes) != f.Tuples() {
			return fmt.Errorf("column %s has %d codes for %d tuples", c.Name, len(c.Codes), f.Tuples())
		}
		limit := uint32(len(c.Dictionary))
		if !c.IsPoint() {
			limit = uint32(len(c.Cells))
		}
		for _, code := range c.Codes {
			if code >= limit {
				return fmt.Errorf("column %s has code %d, beyond its %d cells", c.Name, code, limit)
			}
		}
	}
	for g, size := range sizes {
		first, end := f.GroupStart[g], f.GroupStart[g+1]
		if first > end {
			return fmt.Errorf("group %d ends before it starts", g)
		}
		if int(end) > f.Tuples() { // sums of numbers of tuples may have wrapped
			return fmt.Errorf("group %d ends at tuple %d of %d", g, end, f.Tuples())
		}
		sum := 0
		for t := first; t < end; t++ {
			if f.Count[t] == 0 {
				return fmt.Errorf("group %d has a tuple with count 0", g)
			}
			if t > first && f.compareTuples(t-1, t) >= 0 {
				return fmt.Errorf("group %d has tuples that are not in strictly ascending order", g)
			}
			sum += int(f.Count[t])
		}
		if sum != int(size) {
			return fmt.Errorf("group %d has %d records here, size %d in the release", g, sum, size)
		}
	}
	return nil
}

func (f *Fragment) compareTuples(a, b uint32) int {
	for _, c := range f.Columns {
		if x, y := c.Codes[a], c.Codes[b]; x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	return 0
}
