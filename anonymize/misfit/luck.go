package misfit

import (
	"context"
	"math"
)

// Lucks are what the luck of a pair can be, ascending.
func Lucks() []float64 { return []float64{0, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 8} }

// compareValues compares the cells of single values of the pairs with an attribute of which
// the model takes several values for one category. Such cells have the luck of their values
// besides, which ratios of categories do not show.
func (m *measurer) compareValues(ctx context.Context, s *subject) ([]comparison, error) {
	single := *s
	single.categories, single.least = nil, m.alone
	return single.compare(ctx, m.options.Workers, func(i, j place) bool {
		return m.categories[s.name(i)] != nil || m.categories[s.name(j)] != nil
	})
}

// luck is the smallest of Lucks with which at most one cell in missedOf is missed, given r.
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

// unseenShares has, by number of which the model has categories only, how much of its variance
// is inside categories, by what is between them: where values of a group lie within a category,
// tables do not know. Groups that differ between categories differ inside them alike, so
// that the mean of a group is too near to the mean of all, by this share.
func (m *measurer) unseenShares() (shares []Unseen) {
	for _, f := range m.release.Fragments {
		for _, c := range f.Columns {
			category := m.categories[c.Name]
			if category == nil || !isNumeric(c.Dictionary) {
				continue
			}
			var whole moments
			parts := make(map[uint16]*moments)
			for t, code := range c.Codes {
				x, ok := c.Dictionary[code].Number()
				if !ok {
					continue
				}
				part := parts[category[code]]
				if part == nil {
					part = &moments{}
					parts[category[code]] = part
				}
				whole.add(x, float64(f.Count[t]))
				part.add(x, float64(f.Count[t]))
			}
			inside := 0.0
			for code := range len(parts) {
				if part := parts[uint16(code)]; part != nil {
					inside += part.squares
				}
			}
			if share := rounded(inside / (whole.squares - inside)); share > 0 && !math.IsInf(share, 0) {
				shares = append(shares, Unseen{c.Name, share})
			}
		}
	}
	return sortedUnseen(shares)
}

// moments are a number of records, their mean and the sum of their squared distances from it.
type moments struct{ records, mean, squares float64 }

func (m *moments) add(x, records float64) {
	m.records += records
	distance := x - m.mean
	m.mean += distance * records / m.records
	m.squares += float64(records*distance) * (x - m.mean)
}
