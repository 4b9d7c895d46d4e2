package completed

import "github.com/anonsql/anonsql/anonymize/estimate/question"

// A liveSide is a side without keys, of which conditions leave tuples out.
type liveSide struct {
	*question.Side
	filters []*question.Unit
	codes   []uint32
}

func newLiveSide(s *question.Side) *liveSide {
	l := &liveSide{Side: s}
	for _, u := range s.Units {
		if u.Filters() {
			l.filters = append(l.filters, u)
		}
	}
	return l
}

// codesOf returns the codes of the tuples in the groups first..end-1; instead for a tuple of
// which no record counts.
func (l *liveSide) codesOf(codes []uint32, instead uint32, first, end int) []uint32 {
	from, to := l.Fragment.GroupStart[first], l.Fragment.GroupStart[end]
	codes = codes[from:to]
	if len(l.filters) == 0 {
		return codes
	}
	l.codes = append(l.codes[:0], codes...)
	for _, u := range l.filters {
		for t, code := range u.Codes[from:to] {
			if u.ClassOf[code] == question.Dead {
				l.codes[t] = instead
			}
		}
	}
	return l.codes
}

// classedCodes are codes by tuple with their classes by code: those of a unit, or, of several,
// the classes themselves. The class of the dead is the number of the others.
type classedCodes struct {
	side    *question.Side
	classOf []uint32
	scratch []uint32 // nil: there is one unit
}

func newClassedCodes(s *question.Side) classedCodes {
	c := classedCodes{side: s}
	if len(s.Units) == 1 {
		for _, class := range s.Units[0].ClassOf {
			c.classOf = append(c.classOf, min(class, uint32(s.Classes)))
		}
		return c
	}
	c.scratch = []uint32{}
	for class := range s.Classes + 1 {
		c.classOf = append(c.classOf, uint32(class))
	}
	return c
}

// codesBetween returns the codes of the tuples from..to-1.
func (c *classedCodes) codesBetween(from, to uint32) []uint32 {
	if c.scratch == nil {
		return c.side.Units[0].Codes[from:to]
	}
	c.scratch = question.Resized(c.scratch, int(to-from))
	c.side.ClassesOf(from, c.scratch)
	for t, class := range c.scratch {
		c.scratch[t] = min(class, uint32(c.side.Classes))
	}
	return c.scratch
}
