package recognition

import "context"

// maxTabulated is the number of combinations up to which a dense table counts them, which is
// cheaper than hashing every record.
const maxTabulated = 1 << 16

// fewCombinations reports whether a set of columns has at most maxTabulated possible combinations.
func (t *Table) fewCombinations(set []int) bool {
	combinations := 1
	for _, c := range set {
		if combinations *= len(t.columns[c].counts); combinations > maxTabulated {
			return false
		}
	}
	return combinations <= t.rows
}

// tabulate counts the combinations of a set of columns.
func (t *Table) tabulate(ctx context.Context, set []int, hashes [][]uint64, g *gatherer) error {
	places := make([]uint32, t.rows)
	combinations := 1
	for _, c := range set {
		if err := ctx.Err(); err != nil {
			return err
		}
		factor := uint32(len(t.columns[c].counts))
		for row, code := range t.columns[c].codes {
			places[row] = places[row]*factor + code
		}
		combinations *= int(factor)
	}
	counts := make([]uint32, combinations)
	for _, place := range places {
		counts[place]++
	}
	for place, n := range counts {
		if n == 0 {
			continue
		}
		sum, rest := uint64(0), place
		for i := len(set) - 1; i >= 0; i-- {
			size := len(t.columns[set[i]].counts)
			sum += hashes[set[i]][rest%size]
			rest /= size
		}
		if hash := scramble(sum); hash <= g.bound {
			g.add(hash, n)
		}
	}
	return nil
}
