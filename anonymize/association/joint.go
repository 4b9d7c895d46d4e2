package association

import "context"

// chunk is the number of rows between two checks of the context.
const chunk = 1 << 16

// A joint counts pairs of codes. It is reused from pair to pair of columns.
type joint struct {
	dense []uint32
	table pairTable
}

// denseCells is the number of cells up to which an array is used; it may be exceeded up to two
// cells per row. More cells are mostly empty.
const denseCells = 1 << 20

// sumOfSquares returns the sum over non-empty cells of n_ij^2 / (n_i n_j).
func (j *joint) sumOfSquares(ctx context.Context, a, b *levels) (float64, error) {
	cells := len(a.count) * len(b.count)
	if cells <= max(denseCells, 2*len(a.codes)) {
		return j.denseSum(ctx, a, b, cells)
	}
	return j.sparseSum(ctx, a, b, min(cells, len(a.codes)))
}

func (j *joint) denseSum(ctx context.Context, a, b *levels, cells int) (float64, error) {
	if cap(j.dense) < cells {
		j.dense = make([]uint32, cells)
	}
	count, width := j.dense[:cells], uint32(len(b.count))
	clear(count)
	for first := 0; first < len(a.codes); first += chunk {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		end := min(first+chunk, len(a.codes))
		right := b.codes[first:end]
		for i, x := range a.codes[first:end] {
			count[x*width+right[i]]++
		}
	}
	sum := 0.0
	for x, rows := range a.count {
		for y, n := range count[x*int(width) : (x+1)*int(width)] {
			if n > 0 {
				sum += float64(n) / float64(rows) * (float64(n) / float64(b.count[y]))
			}
		}
	}
	return sum, nil
}

func (j *joint) sparseSum(ctx context.Context, a, b *levels, most int) (float64, error) {
	j.table.reset(most)
	for first := 0; first < len(a.codes); first += chunk {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		end := min(first+chunk, len(a.codes))
		right := b.codes[first:end]
		for i, x := range a.codes[first:end] {
			j.table.add(uint64(x)<<32 | uint64(right[i]))
		}
	}
	sum := 0.0
	for slot, n := range j.table.count {
		if n > 0 {
			key := j.table.key[slot]
			sum += float64(n) / float64(a.count[key>>32]) * (float64(n) / float64(b.count[uint32(key)]))
		}
	}
	return sum, nil
}

// A pairTable counts 64-bit keys by open addressing with linear probing. Its size fits the
// greatest possible number of keys, so it never grows.
type pairTable struct {
	key   []uint64
	count []uint32
	shift uint
}

// reset empties the table and makes room for most keys at a load of at most one half.
func (t *pairTable) reset(most int) {
	size, bits := 16, uint(4)
	for size < 2*most {
		size, bits = 2*size, bits+1
	}
	if len(t.count) == size {
		clear(t.count)
		return
	}
	*t = pairTable{key: make([]uint64, size), count: make([]uint32, size), shift: 64 - bits}
}

func (t *pairTable) add(key uint64) {
	// Fibonacci hashing: the upper bits of a product with 2^64 / golden ratio.
	slot := key * 0x9E3779B97F4A7C15 >> t.shift
	for t.count[slot] != 0 && t.key[slot] != key {
		slot = (slot + 1) & uint64(len(t.count)-1)
	}
	t.key[slot] = key
	t.count[slot]++
}
