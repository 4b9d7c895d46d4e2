package groups

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// Moments implements [figures.Counter].
//
// In a group of m records, let F(c) be what a record with the combination c of classes adds to
// a figure T (G(c) to U), and n_i(c) the number of records of class c in fragment i. Then
//
//	E[T]   = sum_c F(c) prod_i n_i(c_i) / m^(f-1)
//	E[T U] = sum_c F(c) G(c) prod_i n_i(c_i) / m^(f-1)
//	       + sum_{c,d} F(c) G(d) prod_i w_i(c_i, d_i) / (m (m-1))^(f-1)
//
// where w_i(c, d) is the number of ordered pairs of different records of fragment i with
// classes c and d: n_i(c) n_i(d), less n_i(c) if c = d. If cells are not points, subtract the
// sum over records of P(c) P(d) instead. Groups are independent, so their variances and
// covariances add up. For a conjunction this is the closed form E[X(X-1)] = m(m-1)
// prod(a_i(a_i-1) / (m(m-1))); it holds for any condition, key and argument.
//
// Cost per group: for every key in it, C f for the C = p_1 * ... * p_f combinations of the p_i
// classes in it, and with cells the shares of its tuples times C / p_i.
func (c *Counter) Moments(ctx context.Context) (figures.MomentsOf, error) {
	m := &moments{GroupTerms: NewGroupTerms(ctx, c.Question, c.Sides), thinned: figures.ThinningOf(c.Release)}
	return m.momentsOf, m.addGroups(ctx, c.Release)
}

// addGroups adds up the groups.
func (m *moments) addGroups(ctx context.Context, r *anonymize.Release) error {
	if question.Decided(m.Sides) && !m.thinned.IsNone() {
		return m.addMeans(ctx, r)
	}
	return m.EachGroup(r, func(g int) error { return m.group(g, float64(r.GroupSizes[g])) })
}

// A moments collects the second moments.
type moments struct {
	*GroupTerms
	thinned figures.Thinning
	sums    [][]figures.SecondMoments // by key and aggregate
	// scratch of one group:
	pairs        []pairs   // w_i, by side
	records, sum []float64 // F for the number of records and for the sum
	left, right  []float64 // for contract
}

func (m *moments) group(g int, size float64) error {
	for s := range m.Sides {
		m.fillPairs(s, g)
	}
	scale := 1.0
	for range len(m.Sides) - 1 {
		scale *= size * (size - 1)
	}
	for _, key := range m.KeysPresent {
		m.growTo(key)
		for a, aggregate := range m.Question.Aggregates {
			if !aggregate.Kind.HasSpread() {
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
		m.sums = append(m.sums, make([]figures.SecondMoments, len(m.Question.Aggregates)))
	}
}

// add adds the group's moments of aggregate a for one key.
func (m *moments) add(sum *figures.SecondMoments, a int, key int32, scale float64) error {
	m.records, m.sum = m.records[:0], m.sum[:0]
	var meanN, meanS, squareN, squareS, product float64
	for c, entry := range m.Entries {
		f := question.Contribution{}
		if m.Key[entry] == key {
			f = m.Figures[entry][a]
		}
		m.records, m.sum = append(m.records, f.Records), append(m.sum, f.Sum)
		w := m.Weight[c]
		meanN += w * f.Records
		meanS += w * f.Sum
		squareN += w * f.Records * f.Records
		squareS += w * f.Sum * f.Sum
		product += w * f.Records * f.Sum
	}
	squares := squareS
	if scale > 0 { // 0 in a group of one record, which has no pairs
		pairs, err := m.contract(m.records)
		if err != nil {
			return err
		}
		squareN += dot(m.records, pairs) / scale
		product += dot(m.sum, pairs) / scale
		if m.Question.Aggregates[a].Kind != question.Count {
			if pairs, err = m.contract(m.sum); err != nil {
				return err
			}
			squareS += dot(m.sum, pairs) / scale
		}
	}
	sum.Add(figures.SecondMoments{MeanN: meanN, MeanS: meanS, Squares: squares,
		VarN: squareN - meanN*meanN, VarS: squareS - meanS*meanS, Covariance: product - meanN*meanS})
	return nil
}

// contract applies w_i along every side: result(c) = sum_d prod_i w_i(c_i, d_i) f(d). The
// result is valid until the next call.
func (m *moments) contract(f []float64) ([]float64, error) {
	from := f
	stride := 1
	for s, p := range m.Radix {
		to := m.left
		if s%2 == 1 {
			to = m.right
		}
		to = append(to[:0], from...) // only for the length
		if err := m.pairs[s].applyAlong(to, from, p, stride, &m.Work); err != nil {
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

// momentsOf returns the moments of aggregate a in a row.
func (m *moments) momentsOf(row question.AnswerRow, a int) figures.SecondMoments {
	if key := int(m.Numbering.Number(row.Keys)); key < len(m.sums) {
		return m.sums[key][a]
	}
	return figures.SecondMoments{}
}
