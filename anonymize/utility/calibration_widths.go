package utility

import (
	"maps"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
)

// The shares of everyday questions that 95 percent intervals must cover: for the cells of every
// family of at least manyCells, of all smaller families together, and of all families; and for
// the random queries that add up the same attribute.
const (
	manyCells   = 20
	minFamily   = 0.85
	minSmall    = 0.90
	minOverall  = 0.92
	minArgument = 0.90
)

// widthsOf returns the least widths that cover the random queries at all levels, and at the
// nominal level also the everyday questions and those about every attribute.
func widthsOf(measured, everyday []measurement) *interval.Widths {
	return interval.Choose(func(kind estimate.Kind) interval.Coverage {
		random, byArgument := multiplesOf(measured, kind)
		families := familiesOf(everyday, kind)
		return interval.Coverage{Estimates: len(random) + families.cells, Covers: func(multiple, level float64) bool {
			return (len(random) < minimumQueries || coversRandom(random, multiple, level)) &&
				(level != nominal || families.covered(multiple) && coversArguments(byArgument, multiple))
		}}
	})
}

// multiplesOf returns the multiples that the estimates of a kind need: all, and by the attribute that they add up.
func multiplesOf(measured []measurement, kind estimate.Kind) (all []float64, byArgument map[string][]float64) {
	byArgument = make(map[string][]float64)
	for i := range measured {
		if m := &measured[i]; m.kind == kind {
			all = append(all, m.multiple())
			byArgument[m.argument] = append(byArgument[m.argument], m.multiple())
		}
	}
	return all, byArgument
}

// coversArguments: one factor serves all attributes, so the hardest decides. Fewer than minimumQueries about an attribute say nothing.
func coversArguments(byArgument map[string][]float64, multiple float64) bool {
	for _, multiples := range byArgument {
		if len(multiples) >= minimumQueries && shareUpTo(multiples, multiple) < minArgument {
			return false
		}
	}
	return true
}

// coversRandom: another workload would cover another share, so the measured share is first
// reduced by two of its standard errors; beyond 95 percent by one, because there a single
// estimate is that much.
func coversRandom(multiples []float64, multiple, level float64) bool {
	share, margin := shareUpTo(multiples, multiple), 2.0
	if level > nominal {
		margin = 1
	}
	return share-margin*math.Sqrt(max(0, share*(1-share))/float64(len(multiples))) >= level
}

func shareUpTo(multiples []float64, multiple float64) float64 {
	inside := 0
	for _, x := range multiples {
		if x <= multiple {
			inside++
		}
	}
	return float64(inside) / float64(len(multiples))
}

// families are the everyday questions of one aggregate, as the multiples of the unit that their
// cells need.
type families struct {
	cells int
	all   []float64
	small []float64 // of families with fewer than manyCells
	names []string  // of the other families, in the order of asking
	large map[string][]float64
}

func familiesOf(everyday []measurement, kind estimate.Kind) *families {
	f := &families{large: make(map[string][]float64)}
	for i := range everyday {
		if m := &everyday[i]; m.kind == kind {
			if _, known := f.large[m.family]; !known {
				f.names = append(f.names, m.family)
			}
			f.large[m.family] = append(f.large[m.family], m.multiple())
			f.all = append(f.all, m.multiple())
		}
	}
	f.cells = len(f.all)
	f.names = slices.DeleteFunc(f.names, func(name string) bool {
		few := len(f.large[name]) < manyCells
		if few {
			f.small = append(f.small, f.large[name]...)
		}
		return few
	})
	return f
}

// covered reports whether a width covers the required shares of everyday questions. Fewer than
// manyCells cells say nothing.
func (f *families) covered(multiple float64) bool {
	enough := func(multiples []float64, least float64) bool {
		return len(multiples) < manyCells || shareUpTo(multiples, multiple) >= least
	}
	return enough(f.all, minOverall) && enough(f.small, minSmall) &&
		!slices.ContainsFunc(f.names, func(name string) bool { return !enough(f.large[name], minFamily) })
}

// An EverydayCoverage is the share of 95 percent intervals for the cells of everyday questions
// that contain the actual figure.
type EverydayCoverage struct {
	Aggregate string // COUNT, SUM, AVG
	Cells     int
	Covered   float64
	// Family is the least covered family with at least 20 cells, "" if there is none; Least is
	// its share.
	Family string `json:",omitempty"`
	Least  float64
	// Width is the mean half width relative to the actual figure, over cells with at least 20
	// records: an interval may cover because it is wide.
	Width float64
}

// everydayCoverages measures the chosen widths.
func everydayCoverages(everyday []measurement, w *interval.Widths) (result []EverydayCoverage) {
	for kind, name := range aggregateNames {
		if c := everydayCoverage(everyday, estimate.Kind(kind), w); c.Cells > 0 {
			c.Aggregate = name
			result = append(result, c)
		}
	}
	return result
}

func everydayCoverage(everyday []measurement, kind estimate.Kind, w *interval.Widths) (c EverydayCoverage) {
	var widths []float64
	inside, cells := make(map[string]int), make(map[string]int)
	for i := range everyday {
		m := &everyday[i]
		if m.kind != kind {
			continue
		}
		c.Cells++
		cells[m.family]++
		if m.covers(w) {
			c.Covered++
			inside[m.family]++
		}
		if m.records >= everydayRecords && m.actual != 0 {
			low, high := m.ends(w)
			widths = append(widths, (high-low)/2/math.Abs(m.actual))
		}
	}
	c.Covered /= float64(max(1, c.Cells))
	c.Width = distribution(widths).Mean
	for _, family := range slices.Sorted(maps.Keys(cells)) {
		share := float64(inside[family]) / float64(cells[family])
		if cells[family] >= manyCells && (c.Family == "" || share < c.Least) {
			c.Family, c.Least = family, share
		}
	}
	return c
}
