package estimate

import (
	"context"
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// StandardErrors returns, for every row of q's answer and every aggregate, the
// standard deviation of the figure over all tables that agree with the release;
// that of AVG by the delta method. It is 0 where the answer is exact, and NULL
// where the figure is.
//
// The model's standard error is honest only where attributes are independent
// inside groups: it makes no confidence interval by itself.
//
// Inside a group of m records let F(c) be what a record with the combination c
// of classes adds to a figure, and n_i(c) the number of records of class c in
// fragment i. Then
//
//	E[T]   = sum_c F(c) prod_i n_i(c_i) / m^(f-1)
//	E[T U] = sum_c F(c) G(c) prod_i n_i(c_i) / m^(f-1)
//	       + sum_{c,d} F(c) G(d) prod_i w_i(c_i, d_i) / (m (m-1))^(f-1)
//
// w_i(c, d) being the number of ordered pairs of different records of fragment
// i with classes c and d: n_i(c) n_i(d), less n_i(c) if c = d (less the sum over
// records of P(c) P(d) where cells are not points). Groups are independent:
// their variances and covariances add up. For a conjunction this is the closed
// form E[X(X-1)] = m(m-1) prod(a_i(a_i-1) / (m(m-1))); it holds for any
// condition, key and argument. Counterfeits come on top, see [thinning].
//
// Cost per group: for every key present, C f for the C = p_1 * ... * p_f combinations
// of the p_i classes present, and with cells the shares of its tuples times C / p_i.
func StandardErrors(ctx context.Context, r *anonymize.Release, q *Question, answer *Answer) ([][]anonymize.Value, error) {
	if answer.Exact {
		return exactDeviations(q, answer), nil
	}
	sides, err := sidesOf(ctx, r, q)
	if err != nil {
		return nil, err
	}
	return standardErrors(ctx, r, q, answer, sides)
}

func standardErrors(ctx context.Context, r *anonymize.Release, q *Question, answer *Answer, sides []*side) ([][]anonymize.Value, error) {
	m := &moments{groupTerms: newGroupTerms(ctx, q, sides), thinned: thinningOf(r)}
	if err := m.addGroups(ctx, r); err != nil {
		return nil, err
	}
	rows := make([][]anonymize.Value, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = m.deviations(row)
	}
	return rows, nil
}

// addGroups adds up the groups.
func (m *moments) addGroups(ctx context.Context, r *anonymize.Release) error {
	if decided(m.sides) && !m.thinned.isNone() {
		return m.addMeans(ctx, r)
	}
	for g := range r.Groups() {
		size := float64(r.GroupSizes[g])
		ok, err := m.load(g, size)
		if err != nil {
			return err
		}
		if ok {
			if err := m.countKeyed(); err != nil {
				return err
			}
			if err := m.group(g, size); err != nil {
				return err
			}
		}
	}
	return nil
}

// exactDeviations are 0 where there is a figure.
func exactDeviations(q *Question, answer *Answer) [][]anonymize.Value {
	rows := make([][]anonymize.Value, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = make([]anonymize.Value, len(row.Figures))
		for a, figure := range row.Figures {
			if !figure.IsNull() && q.Aggregates[a].Kind.hasSpread() {
				rows[i][a] = anonymize.RealValue(0)
			}
		}
	}
	return rows
}

// A moments collects the second moments.
type moments struct {
	*groupTerms
	thinned thinning
	sums    [][]secondMoments // by key and aggregate
	// scratch of one group
	pairs        []pairs   // w_i per side
	records, sum []float64 // F of the number of records, and of the sum
	left, right  []float64 // of the contraction
	at           []uint32  // by class of a side: its place among those present
}

// secondMoments are sums over groups: of the number of records N and the sum S
// of one aggregate for one key. squares is the expected sum of the squares of
// what S adds up.
type secondMoments struct{ meanN, meanS, varN, varS, covariance, squares float64 }

func (s *secondMoments) add(other secondMoments) {
	s.meanN += other.meanN
	s.meanS += other.meanS
	s.varN += other.varN
	s.varS += other.varS
	s.covariance += other.covariance
	s.squares += other.squares
}

func (m *moments) group(g int, size float64) error {
	for s := range m.sides {
		m.fillPairs(s, g)
	}
	scale := 1.0
	for range len(m.sides) - 1 {
		scale *= size * (size - 1)
	}
	for _, key := range m.keysPresent {
		m.growTo(key)
		for a, aggregate := range m.question.Aggregates {
			if !aggregate.Kind.hasSpread() {
				continue
			}
			if err := m.add(&m.sums[key][a], a, key, scale); err != nil {
				return err
			}
		}
	}
	return nil
}

// growTo makes room for a key.
func (m *moments) growTo(key int32) {
	for len(m.sums) <= int(key) {
		m.sums = append(m.sums, make([]secondMoments, len(m.question.Aggregates)))
	}
}

// add adds the group's moments of aggregate a for one key.
func (m *moments) add(sum *secondMoments, a int, key int32, scale float64) error {
	m.records, m.sum = m.records[:0], m.sum[:0]
	var meanN, meanS, squareN, squareS, product float64
	for c, entry := range m.entries {
		f := contribution{}
		if m.key[entry] == key {
			f = m.figures[entry][a]
		}
		m.records, m.sum = append(m.records, f.records), append(m.sum, f.sum)
		w := m.weight[c]
		meanN += w * f.records
		meanS += w * f.sum
		squareN += w * f.records * f.records
		squareS += w * f.sum * f.sum
		product += w * f.records * f.sum
	}
	squares := squareS
	if scale > 0 { // 0 in a group of one record, which has no pairs
		pairs, err := m.contract(m.records)
		if err != nil {
			return err
		}
		squareN += dot(m.records, pairs) / scale
		product += dot(m.sum, pairs) / scale
		if m.question.Aggregates[a].Kind != Count {
			if pairs, err = m.contract(m.sum); err != nil {
				return err
			}
			squareS += dot(m.sum, pairs) / scale
		}
	}
	sum.add(secondMoments{meanN, meanS, squareN - meanN*meanN, squareS - meanS*meanS, product - meanN*meanS, squares})
	return nil
}

// contract applies w_i along every side: result(c) = sum_d prod_i w_i(c_i, d_i)
// f(d). The result is scratch.
func (m *moments) contract(f []float64) ([]float64, error) {
	from := f
	stride := 1
	for s, p := range m.radix {
		to := m.left
		if s%2 == 1 {
			to = m.right
		}
		to = append(to[:0], from...) // for the length
		if err := m.pairs[s].applyAlong(to, from, p, stride, &m.work); err != nil {
			return nil, err
		}
		if s%2 == 1 {
			m.right = to
		} else {
			m.left = to
		}
		from = to
		stride *= p
	}
	return from, nil
}

func dot(a, b []float64) float64 {
	total := 0.0
	for i, x := range a {
		total += x * b[i]
	}
	return total
}

// resized returns a list of n entries, whatever they are.
func resized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}

// deviations turns the moments of a row's key into standard deviations.
func (m *moments) deviations(row AnswerRow) []anonymize.Value {
	values := make([]anonymize.Value, len(row.Figures))
	sums := make([]secondMoments, len(row.Figures))
	if key := int(m.numbering.number(row.Keys)); key < len(m.sums) {
		sums = m.sums[key]
	}
	for a, figure := range row.Figures {
		if !figure.IsNull() && m.question.Aggregates[a].Kind.hasSpread() {
			values[a] = anonymize.RealValue(m.thinned.moments(sums[a]).deviation(m.question.Aggregates[a].Kind))
		}
	}
	return values
}

// deviation is the standard deviation of a figure.
func (s secondMoments) deviation(kind Kind) float64 {
	switch {
	case kind == Count:
		return math.Sqrt(max(0, s.varN))
	case kind == Sum:
		return math.Sqrt(max(0, s.varS))
	case s.meanN == 0:
		return 0
	}
	// Delta method: Var(S/N) = (Var S - 2 R Cov + R^2 Var N) / N^2, R = S/N.
	ratio := s.meanS / s.meanN
	return math.Sqrt(max(0, s.varS-2*ratio*s.covariance+ratio*ratio*s.varN)) / s.meanN
}
