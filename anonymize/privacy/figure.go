package privacy

import (
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A figure is the worst value of a guarantee, before the comparison with its bound.
type figure struct {
	name string
	direction
	worst  exact
	group  int
	detail string
	// keeps, if not nil, decides about a bound because worst is rounded.
	keeps func(bound anonymize.Ratio) bool
}

func newFigure(name string) figure {
	return figure{name: name, direction: directionOf(name), group: -1}
}

// raise takes a group's value if it is worse than all before, and reports whether it did.
func (f *figure) raise(value exact, group int) bool {
	if f.group >= 0 {
		c := value.compare(f.worst)
		if f.direction == atLeast {
			c = -c
		}
		if c <= 0 {
			return false
		}
	}
	f.worst, f.group = value, group
	return true
}

func (f figure) guarantee(promised map[string]anonymize.Promise) anonymize.Guarantee {
	g := anonymize.Guarantee{Name: f.name, Achieved: f.worst.float(), WorstGroup: f.group, Detail: f.detail, Holds: true}
	if promise, ok := promised[f.name]; ok {
		g.Required, g.Holds = &promise.Bound, f.holds(promise.Bound)
		if promise.Threshold.Num > 0 {
			g.Threshold = &promise.Threshold
		}
		g.Relative, g.Separator = promise.Relative, promise.Separator
		g.Hierarchy, g.NotSensitive = promise.Hierarchy, promise.NotSensitive
		if len(g.NotSensitive) > 0 {
			g.Detail += "; of values that are a secret, and these are none: " + strings.Join(g.NotSensitive, ", ")
		}
	}
	return g
}

func (f figure) holds(bound anonymize.Ratio) bool {
	if f.keeps != nil {
		return f.keeps(bound)
	}
	c := f.worst.compare(exact{ratio: bound})
	switch f.direction {
	case atLeast:
		return c >= 0
	case belowLimit:
		return c < 0
	}
	return c <= 0
}
