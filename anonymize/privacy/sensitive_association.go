package privacy

import "github.com/anonsql/anonsql/anonymize"

// sensitiveAssociation computes beta, Eq. (5), delta, Eq. (8), and lift, over every published
// sensitive attribute, class by class. beta ignores values that need no protection.
func sensitiveAssociation(notSensitive []string) func(r *anonymize.Release) ([]figure, error) {
	return func(r *anonymize.Release) ([]figure, error) {
		a := &association{beta: newFigure("beta"), delta: newFigure("delta"), lift: newFigure("lift"), notSensitive: notSensitive}
		if err := eachSpread(r, a.look); err != nil {
			return nil, err
		}
		return []figure{a.beta, a.delta, a.lift}, nil
	}
}

func eachSpread(r *anonymize.Release, look func(s *spread)) error {
	columns, err := sensitiveColumns(r)
	if err != nil {
		return err
	}
	for _, column := range columns {
		s, err := newSpread(column)
		if err != nil {
			return err
		}
		look(s)
	}
	return nil
}

// association has the worst figures of all attributes so far.
type association struct {
	beta, delta, lift figure
	notSensitive      []string
}

// look updates the figures by one attribute.
func (a *association) look(s *spread) {
	rows, harmless := uint64(s.release.Rows), s.column.CodesOf(a.notSensitive)
	s.classes(func(c class) {
		s.enter(c)
		for _, code := range s.present {
			here, total := s.here[code], s.total[code]
			if !harmless[code] && a.beta.raise(quotient(here, c.size*s.unit), c.group) {
				a.beta.detail = s.describe(code, c, false)
			}
			if a.lift.raise(quotient(here*rows, total*c.size), c.group) {
				a.lift.detail = s.describe(code, c, true)
			}
			a.deviation(s, code, c, rows)
		}
		if code, ok := s.mostAbsent(); ok {
			a.deviation(s, code, c, rows)
		}
		s.leave()
	})
}

// deviation raises delta by |total/rows - here/size|, with both shares in multiples of 1/unit.
func (a *association) deviation(s *spread, code uint32, c class, rows uint64) {
	prior, posterior := s.total[code]*c.size, s.here[code]*rows
	difference := max(prior, posterior) - min(prior, posterior)
	if a.delta.raise(quotient(difference, rows*c.size*s.unit), c.group) {
		a.delta.detail = s.describe(code, c, true)
	}
}
