package attack

import "math"

// A matching is the posterior of a class: a row per member with the probabilities of the
// class's values. It is a buffer that classes reuse.
type matching struct {
	p    []float64 // rows x columns
	rows int
	cols int
	sums []float64 // by column
}

func (m *matching) reset(rows, cols int) {
	m.rows, m.cols = rows, cols
	if cap(m.p) < rows*cols {
		m.p = make([]float64, rows*cols)
	}
	m.p = m.p[:rows*cols]
	if cap(m.sums) < cols {
		m.sums = make([]float64, cols)
	}
	m.sums = m.sums[:cols]
}

func (m *matching) row(i int) []float64 { return m.p[i*m.cols : (i+1)*m.cols] }

// randomWorlds sets every row to the prior.
func (m *matching) randomWorlds(prior []float64) {
	for i := range m.rows {
		copy(m.row(i), prior)
	}
}

// minLikelihood keeps values possible that the model almost excludes: by the published counts,
// some member has them.
const minLikelihood = 1e-12

// exponentiate turns a row of log-likelihoods into likelihoods with maximum 1.
func exponentiate(row []float64) {
	greatest := row[0]
	for _, x := range row {
		greatest = max(greatest, x)
	}
	for j, x := range row {
		row[j] = max(math.Exp(x-greatest), minLikelihood)
	}
}

const (
	maxScalings     = 20
	scaledEnough    = 1e-3
	equallyProbable = 1e-6
)

// posterior turns likelihoods into probabilities: it scales those of a class to its counts, and
// multiplies those of a cell by its weights.
func (m *matching) posterior(c class) {
	if c.counts != nil {
		m.scale(c.counts)
		return
	}
	for i := range m.rows {
		row := m.row(i)
		for j, p := range c.prior {
			row[j] *= p
		}
	}
	m.scaleRows()
}

// scale is Sinkhorn's iteration: it alternately scales columns to the published counts and rows
// to 1, until the columns are right within a thousandth of a record, at most maxScalings times.
// In the end rows are exact.
func (m *matching) scale(counts []uint32) {
	m.scaleRows()
	for range maxScalings {
		off := 0.0
		for j, n := range counts {
			off = max(off, math.Abs(m.sums[j]-float64(n)))
			m.sums[j] = float64(n) / m.sums[j]
		}
		if off < scaledEnough {
			return
		}
		for i := range m.rows {
			row := m.row(i)
			for j, factor := range m.sums {
				row[j] *= factor
			}
		}
		m.scaleRows()
	}
}

// scaleRows scales every row to 1 and leaves the column sums in sums.
func (m *matching) scaleRows() {
	clear(m.sums)
	for i := range m.rows {
		row, sum := m.row(i), 0.0
		for _, x := range row {
			sum += x
		}
		for j := range row {
			row[j] /= sum
			m.sums[j] += row[j]
		}
	}
}

// A tally adds up a Result over all records, and over the unique ones.
type tally struct{ all, alone counts }

type counts struct {
	records, sure, half, nineTenths             int
	baseline, baselineTop1, mean, top1, sureHit float64
}

// look scores the class in m.
func (t *tally) look(m *matching, w *worlds, c class) {
	for i, record := range c.members {
		if w.judged[record] {
			t.scoreRecord(c.values, c.prior, m.row(i), w.truth[record], w.unique[record])
		}
	}
}

// scoreRecord scores a record, given the values with their prior and posterior probabilities.
func (t *tally) scoreRecord(values []uint32, prior, posterior []float64, actual uint32, unique bool) {
	t.all.scoreRecord(values, prior, posterior, actual)
	if unique {
		t.alone.scoreRecord(values, prior, posterior, actual)
	}
}

func sumOf(tallies []tally) *tally {
	t := new(tally)
	for _, u := range tallies {
		t.add(u)
	}
	return t
}

func (t *tally) add(u tally) {
	t.all.add(u.all)
	t.alone.add(u.alone)
}

func (t *tally) result() Result {
	r := t.all.result()
	if t.alone.records > 0 {
		a := t.alone.result()
		r.Alone = Alone{a.Records, a.Baseline, a.Mean, a.Top1, a.Own50, a.Own90, a.Above90, a.Above90Right}
	}
	return r
}

func (t *counts) scoreRecord(values []uint32, prior, posterior []float64, actual uint32) {
	t.records++
	probability, hit, _ := judge(prior, values, actual)
	t.baseline, t.baselineTop1 = t.baseline+probability, t.baselineTop1+hit
	probability, hit, best := judge(posterior, values, actual)
	t.mean, t.top1 = t.mean+probability, t.top1+hit
	if probability > 0.5 {
		t.half++
	}
	if probability > 0.9 {
		t.nineTenths++
	}
	if best > 0.9 {
		t.sure++
		t.sureHit += hit
	}
}

// judge returns the probability of the actual value, the probability that a guess among the
// most probable values hits it, and the greatest probability.
func judge(row []float64, values []uint32, actual uint32) (probability, hit, best float64) {
	for _, p := range row {
		best = max(best, p)
	}
	ties := 0
	for j, p := range row {
		likely := p >= best*(1-equallyProbable)
		if likely {
			ties++
		}
		if values[j] == actual {
			probability = p
			if likely {
				hit = 1
			}
		}
	}
	return probability, hit / float64(ties), best
}

func (t *counts) add(u counts) {
	t.records, t.sure = t.records+u.records, t.sure+u.sure
	t.half, t.nineTenths = t.half+u.half, t.nineTenths+u.nineTenths
	t.baseline, t.baselineTop1 = t.baseline+u.baseline, t.baselineTop1+u.baselineTop1
	t.mean, t.top1, t.sureHit = t.mean+u.mean, t.top1+u.top1, t.sureHit+u.sureHit
}

func (t *counts) result() Result {
	n := float64(max(1, t.records))
	r := Result{Records: t.records, Baseline: t.baseline / n, BaselineTop1: t.baselineTop1 / n,
		Mean: t.mean / n, Top1: t.top1 / n, Own50: float64(t.half) / n, Own90: float64(t.nineTenths) / n, Above90: float64(t.sure) / n}
	if t.sure > 0 {
		r.Above90Right = t.sureHit / float64(t.sure)
	}
	return r
}
