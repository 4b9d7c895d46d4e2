package misfit

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// Lucks are the possible values of Pair.Luck, ascending.
func Lucks() []float64 {
	return []float64{0, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 8, 12, 18, 27, 40, 60, 90, 130, 200, 300, 450, 700, 1000}
}

// luckOf returns the smallest of Lucks that is enough, or the last.
func luckOf(enough float64) float64 {
	for _, luck := range Lucks() {
		if luck >= enough {
			return luck
		}
	}
	return slices.Max(Lucks())
}

// compareValues compares the cells of single values of the pairs with an attribute whose
// categories have several values. Such cells have additional random error, which ratios of
// categories do not show.
func (m *measurer) compareValues(ctx context.Context, s *subject) ([]comparison, error) {
	single := *s
	single.categories, single.least = nil, m.alone
	return single.compare(ctx, m.options.Workers, func(i, j place) bool {
		return m.categories[s.name(i)] != nil || m.categories[s.name(j)] != nil
	})
}

// luck returns the smallest of Lucks with which at most one cell in missedOf is missed, given r.
func (c *comparison) luck(r, spread float64) float64 {
	allowed, lucks := max(1, len(c.cells)/missedOf), Lucks()
	for _, luck := range lucks {
		missed := 0
		for _, x := range c.cells {
			x.variance = spread*x.variance + luck*x.mean/(1+1/float64(tables))
			if !x.covers(r, student, 1, tables) {
				missed++
			}
		}
		if missed <= allowed {
			return luck
		}
	}
	return lucks[len(lucks)-1]
}

// categorizedAttributes returns the attributes of which the model has only categories, for numbers with
// their variance within categories relative to that between categories. Tables cannot know where a
// group's values lie within a category. Groups that differ between categories differ within them alike,
// so the mean of a group is biased towards the overall mean by this share.
func (m *measurer) categorizedAttributes() (list []Unseen) {
	for _, f := range m.release.Fragments {
		for _, c := range f.Columns {
			if category := m.categories[c.Name]; category != nil {
				list = append(list, Unseen{c.Name, int(slices.Max(category)) + 1, insideShare(c, f.Count, category)})
			}
		}
	}
	slices.SortFunc(list, func(a, b Unseen) int { return strings.Compare(a.Attribute, b.Attribute) })
	return list
}

// insideShare returns the variance of a number within categories relative to that between them; 0 for texts.
func insideShare(c *anonymize.FragmentColumn, count []uint32, category []uint16) float64 {
	var whole moments
	parts := make([]moments, slices.Max(category)+1)
	for t, code := range c.Codes {
		if x, ok := c.Dictionary[code].Number(); ok {
			whole.add(x, float64(count[t]))
			parts[category[code]].add(x, float64(count[t]))
		}
	}
	inside := 0.0
	for _, part := range parts {
		inside += part.squares
	}
	if share := rounded(inside / (whole.squares - inside)); isNumeric(c.Dictionary) && share > 0 && !math.IsInf(share, 0) {
		return share
	}
	return 0
}

// moments are a number of records, their mean and their sum of squared distances from it.
type moments struct{ records, mean, squares float64 }

func (m *moments) add(x, records float64) {
	m.records += records
	distance := x - m.mean
	m.mean += distance * records / m.records
	m.squares += float64(records*distance) * (x - m.mean)
}
