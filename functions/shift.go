package functions

import (
	crand "crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/units"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/functions/options"
)

// readShift reads the maximum shift of dates, in days. Only one release of a table may move dates: averages over several would reveal them.
func (p *publication) readShift(given anonymize.Settings) error {
	text, said := options.Shift.Given(given)
	if !said {
		return nil
	}
	refuse := func(rule string) error {
		return &anonymize.ParameterError{Parameter: options.Shift.Name(), Value: text, Rule: rule}
	}
	p.shift = options.Shift.Read(given)
	_, compared := options.Population.Given(given)
	switch {
	case !slices.ContainsFunc(slices.Concat(p.roles.QuasiIdentifiers, p.roles.Sensitive), p.isMoved):
		return refuse("but no column that is published has dates: leave it out")
	case compared:
		return refuse("but the population's dates are as they are, and those of the release are moved: leave population out, or shift")
	case p.updates != options.NoUpdates:
		return refuse("but each version of a release that follows its table would move a person by another number, and their mean tells the dates: say updates=" + options.NoUpdates)
	case p.AllowComposition:
		return refuse("but another release of the table moves a person by another number, or not at all, and both together tell the dates: leave allow_composition out, or shift")
	}
	p.Record.MovedDays = p.shift
	return nil
}

// refuseMovedAgain refuses to replace a public release, since readers who kept it would have each person's dates twice.
func (p *publication) refuseMovedAgain() error {
	if p.shift == 0 || p.Record.Private || p.admission == nil {
		return nil
	}
	for _, old := range p.admission.Replaced {
		if record := old.Record(); !record.Private {
			return &anonymize.ParameterError{Parameter: options.Shift.Name(), Value: fmt.Sprint(p.shift), Rule: fmt.Sprintf(
				"but release %q, which this one replaces, was public: who kept it has each person's dates twice, moved by two numbers or not at all, and both together tell them. "+
					"Say private=true, or publish without shift", record.Name)}
		}
	}
	return nil
}

// isMoved reports whether a published column's dates are moved.
func (r *run) isMoved(name string) bool {
	for _, c := range r.table.Schema() {
		if r.shift > 0 && strings.EqualFold(c.Name, name) {
			return coding.IsDates(c.Type.String())
		}
	}
	return false
}

// moveDates moves the published dates of each unit by its own number of days from the system's secure generator. unitOf has the units of the
// records; nil: each record is one.
func (r *run) moveDates(unitOf []uint32) (err error) {
	if r.shift == 0 {
		return nil
	}
	if r.moves, err = units.DrawMoves(unitOf, r.microdata.Rows, r.shift, crand.Reader); err != nil {
		return err
	}
	for i, c := range r.microdata.Columns {
		if r.isMoved(c.Name) {
			if r.microdata.Columns[i], err = r.moves.Move(c, unitOf, r.shift); err != nil {
				return err
			}
		}
	}
	return nil
}

// asBefore is the input with the table's original dates, against which errors are measured.
func (r *run) asBefore(c *anonymize.Column) *anonymize.Column { return r.moves.Undo(c, r.unitOf) }

// refuseMovedTaxonomies refuses taxonomies of dates, in which moved dates are missing.
func (r *run) refuseMovedTaxonomies(input *anonymize.Input) error {
	for name, d := range input.Domains {
		if d.Taxonomy != nil && r.isMoved(name) {
			return &anonymize.DataError{Reason: fmt.Sprintf("column %s has a taxonomy of its dates, and shift publishes others: CALL set_taxonomy('%s.%s', '%[1]s', 'drop=true'), or leave shift out",
				name, r.table.Database(), r.table.Name())}
		}
	}
	return nil
}

// movedFact is the fact that says what shift did, and what it does not protect.
func (r *run) movedFact() []anonymize.Fact {
	if r.shift == 0 {
		return nil
	}
	return []anonymize.Fact{{Name: "moved dates", Value: fmt.Sprintf("by up to %d days, each person's by one number that is kept nowhere. Times between dates of a person are exact: "+
		"who knows one of them that is rare finds the person. Seasons that last longer than that, and the order of people whose dates are more than %d days apart, are told", r.shift, 2*r.shift)}}
}
