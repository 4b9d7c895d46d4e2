package completed

import "github.com/anonsql/anonsql/anonymize/estimate/question"

// A liveSide is a side without keys whose conditions exclude tuples.
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

// codesOf returns the codes of the tuples in the groups first..end-1. Tuples whose records do
// not count have the code instead.
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
