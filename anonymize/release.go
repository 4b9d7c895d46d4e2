package anonymize

import (
	"cmp"
	"errors"
	"fmt"
)

// A Release is what is published: groups of records, described by fragments. Inside a group,
// nothing links the tuples of different fragments. A Release is immutable.
//
// It defines a probability model over the microdata tables that agree with it: inside each
// group, every matching of the fragments' tuples is equally likely, and each cell is drawn from
// its distribution. Every answer of package estimate is a statement about that model.
type Release struct {
	Method string
	// Rows is the number of records published.
	Rows int
	// GroupSizes has the number of records by gid. Gids start at 0 here; the method assigns
	// them at random.
	GroupSizes []uint32
	// Units has, by gid, the number of units (persons or households) whose records the group
	// has; nil if every record is a unit. All records of a unit are in one group, and all units
	// of a group have equally many records (docs/units.md).
	Units     []uint32
	Fragments []*Fragment
	// Model is what is published beside the groups; nil if nothing is.
	Model *Model
	// Forged is the number of counterfeits among Rows, in a release that follows its table. The
	// number is published, the counterfeits' identity is not. So every choice of that many
	// records is equally likely in the model.
	Forged int
	// Promises are the guarantees that the method was asked to meet.
	Promises []Promise
	// Facts are what the method reports to the owner about its run, in display order.
	Facts []Fact
}

// Groups returns the number of groups.
func (r *Release) Groups() int { return len(r.GroupSizes) }

// PerUnit returns a view of r that counts units instead of records: a group has one row per unit, and a
// tuple counts the units that have it. Where a unit has several tuples of a fragment, their counts
// exceed the group's rows and [Release.Check] fails. If every record is a unit, PerUnit returns r.
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

// Locate returns the indexes of the fragment, and of its column, that publish the named
// attribute.
func (r *Release) Locate(name string) (fragment, column int, ok bool) {
	for i, f := range r.Fragments {
		if c := f.Column(name); c >= 0 {
			return i, c, true
		}
	}
	return 0, 0, false
}

// Layout returns the column names of every fragment except those of role Sensitive.
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

// A Promise is a bound that a release has to meet, under the name of its guarantee ("alpha",
// "beta", ...). Package privacy defines the names.
type Promise struct {
	Guarantee string
	Bound     Ratio
	// Threshold, for l_threshold, is the greatest distance of values that count as one; with
	// Relative it is a part of the value (see [Width]). For recursive it is the l of (c,
	// l)-diversity, and Bound is c; zero takes the l that is promised beside it.
	Threshold Ratio
	Relative  bool
	// Separator, for l_sets, separates the codes in a cell.
	Separator string
	// Hierarchy, for t_hierarchical, defines the distances of the values.
	Hierarchy *Hierarchy
	// NotSensitive, for l and beta, lists values, as texts, that need no protection; the promise does not cover them.
	NotSensitive []string
}

// A Guarantee is one line of the verifier's report.
type Guarantee struct {
	Name string
	// Required is the promised bound; nil if the figure is only reported.
	Required *Ratio
	// Achieved is the worst value over all groups: exact if it is a ratio of counts that fits,
	// else the nearest float.
	Achieved float64
	// Threshold, Relative, Separator, Hierarchy and NotSensitive are those of the promise; zero without one.
	Threshold    *Ratio     `json:",omitempty"`
	Relative     bool       `json:",omitempty"`
	Separator    string     `json:",omitempty"`
	Hierarchy    *Hierarchy `json:",omitempty"`
	NotSensitive []string   `json:",omitempty"`
	// WorstGroup is the group with that value, from 0; -1 for a figure of the whole release.
	WorstGroup int
	Holds      bool
	// Detail says what the figure covers: the value, the fragment.
	Detail string
	// Attack explains an attacker's figure; nil for other figures and for those stored by older versions of the program.
	Attack *AttackFigure `json:",omitempty"`
}

// An AttackFigure is the result of an attack on one sensitive attribute, as shares of the attacked records.
type AttackFigure struct {
	Attribute string
	// Records is the number of attacked records.
	Records int
	// Mean is the mean probability of a record's own value, not rounded, until the figure is stored.
	Mean float64 `json:"-"`
	// Baseline is the mean prior probability of a record's own value.
	Baseline float64
	// Own90 is the share of records whose own value has a probability above 0.9. Above90 is the share
	// of records with any such value; Above90Right is how often that value is the record's own.
	Own90, Above90, Above90Right float64
}

// Promise returns the promise that g verifies; ok is false if g is only reported.
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

// A Fact is a named figure that a method reports with its release.
type Fact struct {
	Name  string
	Value string
}

// Check verifies in one pass that r is well-formed: every fragment has all groups, counts are
// positive, codes are inside their dictionaries, tuples ascend strictly inside a group, and the
// counts of each fragment add up to the size of every group. It says nothing about privacy.
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

// checkUnits verifies that every group's size is a multiple of its number of units.
func (r *Release) checkUnits() error {
	if r.Units == nil {
		return nil
	}
	if len(r.Units) != r.Groups() {
		return fmt.Errorf("there are numbers of units of %d groups, of %d", len(r.Units), r.Groups())
	}
	for g, units := range r.Units {
		if size := r.GroupSizes[g]; units == 0 || size%units != 0 {
			return fmt.Errorf("group %d has %d records of %d units, which cannot have equally many", g+1, size, units)
		}
	}
	return nil
}

// checkUnits verifies that the number of units of every tuple fits its records: at most the tuple's records and
// the group's units, and enough to hold the records. Together, the tuples of a group must cover all its units.
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
				return fmt.Errorf("group %d of %d units with %d records each has a tuple with %d records of %d units", g+1, units, records, count, of)
			}
			sum += uint64(of)
		}
		if sum < uint64(units) {
			return fmt.Errorf("group %d has %d units, its tuples are of %d", g+1, units, sum)
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
			return fmt.Errorf("group %d ends before it starts", g+1)
		}
		if int(end) > f.Tuples() { // a sum of tuple counts may have wrapped
			return fmt.Errorf("group %d ends at tuple %d of %d", g+1, end, f.Tuples())
		}
		sum := 0
		for t := first; t < end; t++ {
			if f.Count[t] == 0 {
				return fmt.Errorf("group %d has a tuple with count 0", g+1)
			}
			if t > first && f.compareTuples(t-1, t) >= 0 {
				return fmt.Errorf("group %d has tuples that are not in strictly ascending order", g+1)
			}
			sum += int(f.Count[t])
		}
		if sum != int(size) {
			return fmt.Errorf("group %d has %d records here, size %d in the release", g+1, sum, size)
		}
	}
	return nil
}

func (f *Fragment) compareTuples(a, b uint32) int {
	for _, c := range f.Columns {
		if order := cmp.Compare(c.Codes[a], c.Codes[b]); order != 0 {
			return order
		}
	}
	return 0
}
