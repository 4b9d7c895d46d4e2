package estimate

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/groups"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// Bounds returns, for every row of q's answer and every aggregate, hard bounds:
// no table that agrees with the release has a figure outside them. NULL where
// the figure is NULL. AVG is bounded over the tables in which it is not NULL.
//
// Per group, for records that have a key in m records of f fragments, a_i of
// them possible in fragment i,
//
//	max(0, sum a_i - (f-1) m) <= X <= min a_i
//
// every number in between being attained, and SUM has its least value at the X
// smallest, its greatest at the X largest of the argument's values in its
// fragment, for the best X. The bounds of X are those of Fréchet for an
// intersection of f sets. All are attained where the condition is a conjunction of
// conditions on one fragment each and cells are points; AVG, a quotient of such sums, by Dinkelbach's iteration. A
// condition across fragments is bounded by relaxing it to one fragment at a
// time: still true always, no longer attained always. Counterfeits are the most
// favourable ones, see [Thinning]: bounds that are attained stay so. All are NULL where the
// question reads what has noise ([Question.ReadsNoise]).
func Bounds(ctx context.Context, r *anonymize.Release, q *Question, answer *Answer) ([][]Bound, error) {
	switch {
	case answer.Exact:
		return question.ExactBounds(q, answer), nil
	case q.ReadsNoise(r):
		return question.NoBounds(q, answer), nil
	}
	sides, err := question.SidesOf(ctx, r, q)
	if err != nil {
		return nil, err
	}
	return groups.HardBounds(ctx, r, q, answer, sides, nil)
}

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
// condition, key and argument. Counterfeits come on top, see [Thinning].
//
// Cost per group: for every key present, C f for the C = p_1 * ... * p_f combinations
// of the p_i classes present, and with cells the shares of its tuples times C / p_i.
func StandardErrors(ctx context.Context, r *anonymize.Release, q *Question, answer *Answer) ([][]anonymize.Value, error) {
	if answer.Exact {
		return question.ExactDeviations(q, answer), nil
	}
	sides, err := question.SidesOf(ctx, r, q)
	if err != nil {
		return nil, err
	}
	return groups.StandardErrors(ctx, r, q, answer, sides)
}
