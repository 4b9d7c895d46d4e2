package association

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// Options say how phi^2 is computed.
type Options struct {
	// Bins is the greatest number of values that a numeric attribute keeps; with more, it is
	// discretized into at most that many bins of equal frequency. The default 0 means never;
	// methods offer [DefaultBins].
	Bins int
	// Corrected subtracts the bias due to many values, after Bergsma, "A bias-correction for
	// Cramer's V and Tschuprow's T" (J. Korean Stat. Soc. 42, 2013). The default is Eq. (10) as
	// printed.
	Corrected bool
}

// DefaultBins is enough to show a shape, and few enough for some ten thousand rows to fill 32 x
// 32 cells.
const DefaultBins = 32

// PhiSquared returns the mean-square contingency coefficient of two columns of one table, Eq.
// (10), in [0, 1]. It is 0 where the equation is 0/0: if a column has fewer than two values.
func PhiSquared(a, b *anonymize.Column, o Options) float64 {
	// A background context never ends, so there is no error.
	phi, _ := new(joint).phiSquared(context.Background(), newLevels(a, o.Bins), newLevels(b, o.Bins), o)
	return phi
}

// Matrix returns phi^2 of every pair of columns of one table, computed in parallel. It is
// symmetric, with 1 on the diagonal for attributes with at least two values. The only error is
// the context's.
func Matrix(ctx context.Context, columns []*anonymize.Column, o Options) ([][]float64, error) {
	type pair struct{ a, b int }
	var pairs []pair
	prepared := make([]*levels, len(columns))
	phi := make([][]float64, len(columns))
	for i := range columns {
		phi[i] = make([]float64, len(columns))
		for j := range i {
			pairs = append(pairs, pair{j, i})
		}
	}
	err := parallel.Run(ctx, len(columns), func(i int) error {
		prepared[i] = newLevels(columns[i], o.Bins)
		if prepared[i].distinct > 1 {
			phi[i][i] = 1
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	_, err = parallel.Collect(ctx, parallel.All, len(pairs), func(int) *joint { return new(joint) }, func(j *joint, i int) (err error) {
		a, b := pairs[i].a, pairs[i].b
		phi[a][b], err = j.phiSquared(ctx, prepared[a], prepared[b], o)
		phi[b][a] = phi[a][b]
		return err
	})
	return phi, err
}

// phiSquared uses that the sum of (p_ij - p_i p_j)^2 / (p_i p_j) over all cells is the sum of
// p_ij^2 / (p_i p_j) over the non-empty ones minus 1.
func (j *joint) phiSquared(ctx context.Context, a, b *levels, o Options) (float64, error) {
	if a.distinct < 2 || b.distinct < 2 {
		return 0, nil
	}
	sum, err := j.sumOfSquares(ctx, a, b)
	if err != nil {
		return 0, err
	}
	return contingency(sum, a.distinct, b.distinct, float64(len(a.codes)), o), nil
}

// contingency returns phi^2 of n rows with these numbers of levels, from the sum of n_ij^2 / (n_i n_j).
func contingency(sum float64, levelsA, levelsB int, n float64, o Options) float64 {
	if levelsA < 2 || levelsB < 2 {
		return 0
	}
	r, c, excess := float64(levelsA), float64(levelsB), sum-1
	if o.Corrected {
		excess -= (r - 1) * (c - 1) / (n - 1)
		r -= (r - 1) * (r - 1) / (n - 1)
		c -= (c - 1) * (c - 1) / (n - 1)
	}
	// With as many values as rows, the corrected denominator is 0.
	if min(r, c) <= 1 {
		return 0
	}
	return min(max(excess/(min(r, c)-1), 0), 1)
}
