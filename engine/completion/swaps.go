package completion

import (
	"fmt"
	"strings"
)

// sweeps is how often every pair of a chunk may exchange its tuples.
const sweeps = 6

// A chain's state is a BIGINT: in the lowest bits, three each, the places of the tuples that the records of the chunk have, and
// above them that of the generator x' = 48271 x mod 2^31-1.
const (
	placeBits  = 3
	permuted   = chunkRecords * placeBits
	modulus    = 1<<31 - 1
	multiplier = 48271
)

// permutation is an expression of the permutation that comes of a chunk with m records (an INTEGER) and the energies e, an
// array in which that of record i with tuple k is at i*m + k + 1. seed is an expression of a BIGINT.
func permutation(seed string) string {
	next := fmt.Sprintf("mod(bitwise_right_shift(s, %d) * %d, %d)", permuted, multiplier, modulus)
	i, j := "(p / 8)", "(p % 8)" // the pair
	a, b := placeOf("s", i), placeOf("s", j)
	energy := func(record, tuple string) string { return fmt.Sprintf("e[%s * m + %s + 1]", record, tuple) }
	loss := fmt.Sprintf("%s + %s - %s - %s", energy(i, a), energy(j, b), energy(i, b), energy(j, a))
	stays := fmt.Sprintf("bitwise_left_shift(%s, %d) + bitwise_and(s, %d)", next, permuted, 1<<permuted-1)
	differs := fmt.Sprintf("bitwise_xor(%s, %s)", a, b)
	swapped := fmt.Sprintf("bitwise_xor(%s, bitwise_left_shift(%s, %d * %s) + bitwise_left_shift(%s, %d * %s))", stays, differs, placeBits, i, differs, placeBits, j)
	return fmt.Sprintf(
		"reduce(%s[m + 1], bitwise_left_shift(1 + mod(%s, %d), %d) + %s[m + 1], (s, p) -> IF(%s / %de0 * (1 + exp(%s)) < 1, %s, %s), s -> bitwise_and(s, %d))",
		pairs(), seed, modulus-1, permuted, identities(), next, modulus, loss, swapped, stays, 1<<permuted-1,
	)
}

// placeOf is the place of the tuple that record i, from 0, has in a permutation.
func placeOf(permutation, i string) string {
	return fmt.Sprintf("bitwise_and(bitwise_right_shift(%s, %d * %s), %d)", permutation, placeBits, i, 1<<placeBits-1)
}

// pairs are, by the size of a chunk, the pairs that may exchange: the first times eight, and the second.
func pairs() string {
	var all []string
	for m := range chunkRecords + 1 {
		var list []string
		for range sweeps {
			for i := range m {
				for j := range i {
					list = append(list, fmt.Sprint(8*i+j))
				}
			}
		}
		all = append(all, fmt.Sprintf("CAST(ARRAY[%s] AS ARRAY(INTEGER))", strings.Join(list, ", ")))
	}
	return "ARRAY[" + strings.Join(all, ", ") + "]"
}

// identities are, by the size of a chunk, the permutations that leave everything where it is.
func identities() string {
	var all []string
	for m := range chunkRecords + 1 {
		identity := 0
		for i := range m {
			identity |= i << (placeBits * i)
		}
		all = append(all, fmt.Sprintf("BIGINT '%d'", identity))
	}
	return "ARRAY[" + strings.Join(all, ", ") + "]"
}
