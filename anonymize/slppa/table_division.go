package slppa

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// A qiTable is one QI table of the division. Its first column is the seed.
type qiTable struct {
	columns []*anonymize.Column
	weights []float64 // entropies in bits, Eq. (9), one a column
}

// divideTable is Section 4.3.1. Step 1: a weight for every quasi-identifier.
// Step 2: phi^2 between them. Step 3: the k heaviest open the k tables; the
// rest, in descending weight, each join the table where they have the greatest
// association with the columns already there.
//
// Ties go to the earlier quasi-identifier, and to the table with fewer columns. A given division is kept.
func divideTable(ctx context.Context, in *anonymize.Input, p *parameters) ([]qiTable, error) {
	columns := in.QuasiIdentifiers
	weights := make([]float64, len(columns))
	err := parallel.Run(ctx, len(columns), func(i int) error {
		weights[i] = association.Entropy(columns[i])
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	tables := make([]qiTable, p.tables)
	for t, table := range in.InLayout() {
		for _, c := range table {
			tables[t].columns = append(tables[t].columns, c)
			tables[t].weights = append(tables[t].weights, weights[slices.Index(columns, c)])
		}
	}
	if in.Layout != nil {
		return tables, nil
	}
	// A trivial division needs no comparisons.
	var phi [][]float64
	if p.tables > 1 && p.tables < len(columns) {
		if phi, err = association.Matrix(ctx, columns, p.phi); err != nil {
			return nil, err
		}
	}
	members := assign(descending(weights), p.tables, func(attribute int, members []int) float64 {
		if p.seedDivision {
			members = members[:1]
		}
		return meanPhi(phi, attribute, members)
	})
	for t, attributes := range members {
		for _, a := range attributes {
			tables[t].columns = append(tables[t].columns, columns[a])
			tables[t].weights = append(tables[t].weights, weights[a])
		}
	}
	return tables, nil
}

// DivideColumns is Section 4.3.1 with default parameters, for other methods: it returns the columns of every QI
// table, its seed first. tables is from 1 to the number of columns. The error is the context's.
func DivideColumns(ctx context.Context, columns []*anonymize.Column, tables int) (divided [][]*anonymize.Column, err error) {
	p := &parameters{tables: tables, phi: association.Options{Bins: association.DefaultBins}}
	all, err := divideTable(ctx, &anonymize.Input{QuasiIdentifiers: columns}, p)
	for _, t := range all {
		divided = append(divided, t.columns)
	}
	return divided, err
}

// Divide is Section 4.3.1, step 3, for callers that have weights and phi^2 of m attributes from counts. It returns the
// attributes of every table, its seed first. tables is 1 to m; phi, m x m, is not read for tables = 1 or m.
func Divide(weights []float64, phi [][]float64, tables int) [][]int {
	return assign(descending(weights), tables, func(attribute int, members []int) float64 { return meanPhi(phi, attribute, members) })
}

// descending returns the attributes by descending weight. Weights that differ only by rounding
// are equal.
func descending(weights []float64) []int {
	order := anonymize.Ints(len(weights))
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(rounded(weights[b]), rounded(weights[a]))
	})
	return order
}

func rounded(x float64) float64 { return math.Round(x * 1e12) }

// assign is step 3 over attribute numbers.
func assign(order []int, k int, affinity func(attribute int, members []int) float64) [][]int {
	tables := make([][]int, k)
	for t := range tables {
		tables[t] = []int{order[t]}
	}
	for _, attribute := range order[k:] {
		best, greatest := 0, math.Inf(-1)
		if k > 1 {
			for t, members := range tables {
				a := rounded(affinity(attribute, members))
				if a > greatest || a == greatest && len(members) < len(tables[best]) {
					best, greatest = t, a
				}
			}
		}
		tables[best] = append(tables[best], attribute)
	}
	return tables
}

func meanPhi(phi [][]float64, attribute int, members []int) float64 {
	sum := 0.0
	for _, m := range members {
		sum += phi[attribute][m]
	}
	return sum / float64(len(members))
}
