package cells

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// cellSums are the sums over the tuples of one group, fragment and class of the fragment's key
// part. A tuple stands for count records; each counts with probability p, independently, and
// adds X to the argument with E[X] = f and E[X^2] = q (0 if it does not count).
type cellSums struct {
	n, d       float64 // sum of p, of p^2
	f, q       float64 // sum of f, of q
	ff, pf     float64 // sum of f^2, of p f
	possible   float64 // records with p > 0
	sure       float64 // with p = 1
	least      float64 // possible value of the argument
	greatest   float64
	certain    bool // per tuple: the argument surely exists
	valuesFrom []cellValue
}

// A cellValue is a tuple whose records may count, with bounds on their values.
type cellValue struct {
	least, greatest float64
	count           int
	sure            bool
}

// cellTotals are sums over groups for one combination of key classes and one aggregate.
type cellTotals struct {
	records, sum    float64
	mean, squares   float64 // see running
	least, greatest float64
	moments         figures.SecondMoments
	figures.Total
}

// add adds the totals of later groups.
func (t *cellTotals) add(o *cellTotals) {
	t.addSquares(o.records, o.mean, o.squares)
	t.sum += o.sum
	t.least, t.greatest = min(t.least, o.least), max(t.greatest, o.greatest)
	t.moments.Add(o.moments)
	t.AddTotal(&o.Total)
}

// addSquares adds records, given their mean and their sum of squared distances from it (Chan,
// Golub, LeVeque 1979).
func (t *cellTotals) addSquares(records, mean, squares float64) {
	if records == 0 {
		return
	}
	before := t.records
	t.records += records
	distance := mean - t.mean
	t.mean += distance * records / t.records
	t.squares += squares + distance*distance*before*records/t.records
}

// A cellResult has the totals of all combinations, and their COUNT(*).
type cellResult struct {
	spread  bool
	records []float64
	totals  []cellTotals // combination * aggregates + aggregate
}

func (k *Kernel) newResult(spread bool) *cellResult {
	r := &cellResult{spread: spread, records: make([]float64, k.combinations), totals: make([]cellTotals, k.combinations*len(k.aggregates))}
	for i := range r.totals {
		r.totals[i].least, r.totals[i].greatest = math.Inf(1), math.Inf(-1)
	}
	return r
}

func (r *cellResult) add(other *cellResult) {
	for i, x := range other.records {
		r.records[i] += x
	}
	for i := range other.totals {
		r.totals[i].add(&other.totals[i])
	}
}

// total visits all groups in parallel blocks and adds up the blocks' results in order. spread
// adds standard errors and bounds.
func (k *Kernel) total(ctx context.Context, spread bool) (*cellResult, error) {
	groups := k.release.Groups()
	blocks := (groups + question.BlockGroups - 1) / question.BlockGroups
	stride := max(1, blocks*k.combinations*(len(k.aggregates)+1)/maxCellTotals)
	results := make([]*cellResult, (blocks+stride-1)/stride)
	newWorker := func(int) *cellWorker { return newCellWorker(k) }
	_, err := parallel.Collect(ctx, parallel.All, len(results), newWorker, func(w *cellWorker, i int) error {
		results[i] = k.newResult(spread)
		w.block(ctx, i*stride*question.BlockGroups, min(groups, (i+1)*stride*question.BlockGroups), results[i])
		return nil
	})
	if err != nil {
		return nil, err
	}
	sum := k.newResult(spread)
	for _, r := range results {
		sum.add(r)
	}
	return sum, nil
}

// A cellWorker has one core's scratch space, so that tuples and groups need no allocation.
type cellWorker struct {
	*Kernel
	result *cellResult
	spread bool
	sides  []*cellCollector
	// per combination:
	position, radix []int
	all, sure, may  figures.Span
	spanned         int // records in spans since the last check of the context
}

func newCellWorker(k *Kernel) *cellWorker {
	w := &cellWorker{Kernel: k, position: make([]int, len(k.sides)), radix: make([]int, len(k.sides))}
	for _, s := range k.sides {
		c, n := newCellCollector(s), (len(s.arguments)+1)*s.Classes
		c.sums, c.tuple = make([]cellSums, n), make([]cellSums, n)
		for i := range n {
			c.tuple[i].reset()
			c.sums[i].reset()
		}
		w.sides = append(w.sides, c)
	}
	return w
}

func (x *cellSums) reset() {
	*x = cellSums{least: math.Inf(1), greatest: math.Inf(-1), certain: true, valuesFrom: x.valuesFrom[:0]}
}

// block adds the groups first..end-1 to a result.
func (w *cellWorker) block(ctx context.Context, first, end int, result *cellResult) {
	w.result, w.spread = result, result.spread
	for _, c := range w.sides {
		c.lists = w.spread && len(c.arguments) > 0
	}
	if !w.spread && w.counts() {
		result.records[0] = w.count(first, end)
		for a := range w.aggregates {
			result.totals[a].records = result.records[0]
		}
		return
	}
	work := question.Checkpoint{Ctx: ctx}
	for g := first; g < end; g++ {
		if w.group(g, &work) != nil {
			return
		}
	}
}

// counts reports whether the question asks only for the COUNT(*) of all records.
func (w *cellWorker) counts() bool {
	return !slices.ContainsFunc(w.aggregates, func(a cellAggregate) bool { return a.side >= 0 || a.Kind != question.Count }) &&
		!slices.ContainsFunc(w.sides, func(c *cellCollector) bool { return c.mass == nil })
}

// count returns the sum over groups of prod_i(n_i) / m^(f-1), Eq. (11) with cells.
func (w *cellWorker) count(first, end int) float64 {
	total := 0.0
	for g := first; g < end; g++ {
		product := 1.0
		for i, c := range w.sides {
			n := c.countMass(g)
			if n == 0 {
				product = 0
				break
			}
			product *= n
			if i > 0 {
				product /= float64(w.release.GroupSizes[g])
			}
		}
		total += product
	}
	return total
}

// group adds the contribution of group g.
func (w *cellWorker) group(g int, work *question.Checkpoint) error {
	for i, c := range w.sides {
		if ok, err := c.collect(g, work); !ok || err != nil {
			return err
		}
		w.position[i], w.radix[i] = 0, len(c.present)
	}
	m := float64(w.release.GroupSizes[g])
	for {
		index := 0
		records := 1.0
		for i, c := range w.sides {
			class := c.present[w.position[i]]
			index += int(class) * c.stride
			if records *= c.sums[class].n; i > 0 {
				records /= m
			}
		}
		w.result.records[index] += records
		for a := range w.aggregates {
			w.add(&w.result.totals[index*len(w.aggregates)+a], a, m)
		}
		if err := work.Pass(1 + len(w.aggregates) + w.spanned); err != nil {
			return err
		}
		w.spanned = 0
		if !question.Advances(w.position, w.radix) {
			return nil
		}
	}
}

// sumsOf returns the sums of a side for aggregate a at the current combination.
func (w *cellWorker) sumsOf(i, a int) *cellSums {
	c := w.sides[i]
	at := int(c.present[w.position[i]])
	if w.aggregates[a].side == i {
		at += (w.aggregates[a].argument + 1) * c.Classes
	}
	return &c.sums[at]
}

// add adds the current combination of a group of m records to an aggregate:
//
//	E[N]   = prod_i n_i / m^(f-1)
//	E[N^2] = E[N] + prod_i (n_i^2 - d_i) / (m (m-1))^(f-1)
//
// For the sum S, replace n by f, E[N] by q and d by ff in the argument's fragment; for N S, use
// f, f and pf. With one fragment the squares of the means cancel: the variance is the sum of p
// - p^2.
func (w *cellWorker) add(t *cellTotals, a int, m float64) {
	kind, at := w.aggregates[a].Kind, w.aggregates[a].side
	own := &cellSums{}
	others, pairs, possible, sure := 1.0, 1.0, math.Inf(1), -(float64(len(w.sides))-1)*m
	for i := range w.sides {
		x := w.sumsOf(i, a)
		if x.n == 0 {
			return
		}
		possible, sure = min(possible, x.possible), sure+x.sure
		if i > 0 {
			others /= m
			pairs /= m * (m - 1)
		}
		if i == at || at < 0 && i == 0 {
			own = x
			continue
		}
		others *= x.n
		pairs *= x.n*x.n - x.d
	}
	n, s, q := own.n*others, own.f*others, own.q*others
	if kind <= question.Average || kind.KeepsValues() {
		t.records += n
		t.sum += s
		t.least, t.greatest = min(t.least, own.least), max(t.greatest, own.greatest)
	} else if own.least == own.greatest { // avoids the rounding of squares
		t.addSquares(n, own.least, 0)
	} else {
		t.addSquares(n, s/n, max(0, q-s*s/n))
	}
	if !w.spread || !kind.HasSpread() {
		return
	}
	moments := figures.SecondMoments{MeanN: n, MeanS: s, VarN: n - n*n, VarS: q - s*s, Covariance: s - n*s, Squares: q}
	switch {
	case len(w.sides) == 1:
		moments.VarN, moments.VarS, moments.Covariance = own.n-own.d, own.q-own.ff, own.f-own.pf
	case m > 1:
		moments.VarN += (own.n*own.n - own.d) * pairs
		moments.VarS += (own.f*own.f - own.ff) * pairs
		moments.Covariance += (own.n*own.f - own.pf) * pairs
	}
	t.moments.Add(moments)
	w.bound(t, kind, own, int(max(0, sure)), int(possible))
}
