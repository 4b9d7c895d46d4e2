package utility

import (
	"cmp"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
)

// minimumQueries is the least number of estimates of a cell. The 0.99 quantile of a small cell
// is its greatest |z|.
const minimumQueries = interval.MinimumEstimates

// nominal is the level at which coverage is reported.
const nominal = 0.95

// bandsPerDecade is the resolution of answer sizes before pooling.
const bandsPerDecade = 2

// sizeOf returns the size of an answer: (estimate / standard error) squared, the number of
// records of an equally precise Poisson count. It has no unit, so it also serves SUM and AVG;
// for COUNT it is close to the expected count if the condition is rare in groups. It is the
// right scale, because an estimate with a constant relative error has a |z| proportional to its
// root. It is rounded up slightly, so that a power of ten falls into the band that begins
// there, whatever the estimate's last bit.
func sizeOf(estimated, stderr float64) float64 {
	ratio := estimated / stderr
	return ratio * ratio * (1 + rounding)
}

// rounding bounds the relative difference due to another order of additions.
const rounding = 1e-9

// band returns the band of a size, from below 0.001 to above 10 million.
func band(size float64) int {
	return int(math.Floor(bandsPerDecade * min(7, max(-3, math.Log10(size)))))
}

func (m *measurement) size() float64 { return sizeOf(m.Estimate, m.Deviation) }
func (m *measurement) z() float64    { return (m.actual - m.Estimate) / m.Deviation }

var aggregateNames = []string{estimate.Count: "COUNT", estimate.Sum: "SUM", estimate.Average: "AVG"}

// cellsOf groups the measurements into cells. It pools neighbouring bands until every cell has
// minimumQueries; a number of fragments with fewer in total has no cell.
func cellsOf(measured []measurement) []Cell {
	sorted := slices.Clone(measured)
	slices.SortStableFunc(sorted, func(a, b measurement) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.fragments, b.fragments), cmp.Compare(band(a.size()), band(b.size())))
	})
	var cells []Cell
	for len(sorted) > 0 {
		first := sorted[0]
		end := slices.IndexFunc(sorted, func(m measurement) bool { return m.kind != first.kind || m.fragments != first.fragments })
		if end < 0 {
			end = len(sorted)
		}
		for _, pool := range pooled(sorted[:end]) {
			cells = append(cells, newCell(pool))
		}
		sorted = sorted[end:]
	}
	return cells
}

// pooled divides measurements, sorted by band, between bands into parts of at least
// minimumQueries; none if there are fewer.
func pooled(sorted []measurement) [][]measurement {
	var parts [][]measurement
	start := 0
	for i := 1; i < len(sorted); i++ {
		if band(sorted[i].size()) != band(sorted[i-1].size()) && i-start >= minimumQueries {
			parts = append(parts, sorted[start:i])
			start = i
		}
	}
	switch {
	case len(sorted)-start >= minimumQueries:
		return append(parts, sorted[start:])
	case len(parts) > 0: // the rest joins the last part
		last := len(parts) - 1
		parts[last] = sorted[start-len(parts[last]):]
	}
	return parts
}

func newCell(pool []measurement) Cell {
	c := Cell{Aggregate: aggregateNames[pool[0].kind], Fragments: pool[0].fragments, Estimates: len(pool),
		Low:  math.Pow(10, float64(band(pool[0].size()))/bandsPerDecade),
		High: math.Pow(10, float64(band(pool[len(pool)-1].size())+1)/bandsPerDecade)}
	deviations := make([]float64, len(pool))
	for i := range pool {
		z := pool[i].z()
		deviations[i] = math.Abs(z)
		c.RMS += z * z / float64(len(pool))
		if deviations[i] <= normal(nominal) {
			c.Coverage += 1 / float64(len(pool))
		}
	}
	c.RMS = math.Sqrt(c.RMS)
	slices.Sort(deviations)
	for _, level := range interval.Levels {
		c.Quantiles = append(c.Quantiles, quantile(deviations, level))
	}
	return c
}

// quantile returns the ceil(level (n+1))-th of n sorted numbers: another number from the same
// distribution is at most that with probability level or more.
func quantile(sorted []float64, level float64) float64 {
	return sorted[min(len(sorted), int(math.Ceil(level*float64(len(sorted)+1)-1e-9)))-1]
}

// normal returns the half width of a level's normal interval.
func normal(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// folds is the number of parts of the workload that are held out in turn.
const folds = 5

// coverages measures, per aggregate, the model's own interval, and the calibrated one on the
// random queries that were held out.
func coverages(measured, everyday []measurement) []Coverage {
	var fitted [folds]*interval.Widths
	for fold := range fitted {
		fitted[fold] = widthsOf(slices.DeleteFunc(slices.Clone(measured), func(m measurement) bool { return m.query%folds == fold }), everyday)
	}
	var result []Coverage
	for kind, name := range aggregateNames {
		c := Coverage{Aggregate: name}
		before, after := 0, 0
		for i := range measured {
			m := &measured[i]
			if m.kind != estimate.Kind(kind) {
				continue
			}
			c.Estimates++
			if math.Abs(m.z()) <= normal(nominal) {
				before++
			}
			if m.covers(fitted[m.query%folds]) {
				after++
			}
		}
		if c.Estimates > 0 {
			c.Before, c.After = float64(before)/float64(c.Estimates), float64(after)/float64(c.Estimates)
			result = append(result, c)
		}
	}
	return result
}

// ends returns the ends of the 95 percent interval.
func (m *measurement) ends(w *interval.Widths) (low, high float64) {
	half, _ := w.HalfWidth(m.kind, m.Figure, nominal)
	return max(m.Low, m.Estimate-half), min(m.High, m.Estimate+half)
}

// covers reports whether the 95 percent interval contains the actual figure.
func (m *measurement) covers(w *interval.Widths) bool {
	low, high := m.ends(w)
	slack := rounding * max(math.Abs(m.actual), math.Abs(m.Estimate))
	return low-slack <= m.actual && m.actual <= high+slack
}

// round keeps three digits, so that stored figures reveal no more of the raw table than needed.
// It rounds quantiles up, so that they still cover.
func (c *Calibration) round() {
	for i := range c.Coverage {
		c.Coverage[i].Before, c.Coverage[i].After = threeDigits(c.Coverage[i].Before, math.Round), threeDigits(c.Coverage[i].After, math.Round)
	}
	for i := range c.Everyday {
		e := &c.Everyday[i]
		e.Covered, e.Least, e.Width = threeDigits(e.Covered, math.Floor), threeDigits(e.Least, math.Floor), threeDigits(e.Width, math.Round)
	}
	for i := range c.Cells {
		cell := &c.Cells[i]
		cell.Low, cell.High = threeDigits(cell.Low, math.Round), threeDigits(cell.High, math.Round)
		cell.RMS, cell.Coverage = threeDigits(cell.RMS, math.Round), threeDigits(cell.Coverage, math.Round)
		for j := range cell.Quantiles {
			cell.Quantiles[j] = threeDigits(cell.Quantiles[j]*(1-rounding), math.Ceil)
		}
	}
}

func threeDigits(x float64, to func(float64) float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(x))))
	return to(x*scale) / scale
}
