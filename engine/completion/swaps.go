package completion

import (
	"fmt"
	"strings"
)

// The number of exchanges that every pair of a chunk tries: for two fragments in the only round or in each of
// several, for more fragments in each of a fragment's turns; and the number of a fragment's turns in a round.
const (
	sweepsSmall  = 6 // where there is one round
	sweepsLarge  = 2
	sweepsOfMore = 2
	turnsSmall   = 3 // where there is one round
	turnsLarge   = 2
)

// A fragment's state is a BIGINT. Its lowest bits have, in three bits each, the numbers in the chunk of
// its records' tuples; the bits above have the generator's state, x' = 48271 x mod 2^31-1.
const (
	placeBits  = 3
	permuted   = chunkRecords * placeBits
	modulus    = 1<<31 - 1
	multiplier = 48271
)

// addStates adds the states of fragments, one array over the tasks each, before and after their turns in a round, and returns the last ones' names.
func (d *drawing) addStates(l *levels, round int) []string {
	names, list := make([]string, len(d.Relations)), []string{}
	for f := 1; f < len(names); f++ {
		seed := d.random(d.Dialect.Joined(d.Dialect.Text(d.Seed), fmt.Sprint(round), fmt.Sprint(f), d.drawOf(), "gid", d.chunkOf("task")))
		names[f] = fmt.Sprintf("s%d", f)
		list = append(list, fmt.Sprintf("transform(%s, task -> bitwise_left_shift(1 + mod(%s, %d), %d) + %s[%s + 1]) AS %s",
			d.tasks(1), seed, modulus-1, permuted, identities(), d.members(round, "task"), names[f]))
	}
	l.add(list...)
	turns, sweeps := 1, sweepsLarge
	switch {
	case len(names) > 2 && d.isWhole():
		turns, sweeps = turnsSmall, sweepsOfMore
	case len(names) > 2:
		turns, sweeps = turnsLarge, sweepsOfMore
	case d.isWhole():
		sweeps = sweepsSmall
	}
	for turn := range turns {
		for f := 1; f < len(names); f++ {
			given := fmt.Sprintf("e0_%d", f)
			if len(names) > 2 {
				given = fmt.Sprintf("e%dt%d", f, turn)
				l.add(d.given(f, names, round) + " AS " + given)
			}
			after := fmt.Sprintf("s%dt%d", f, turn)
			members := "m"
			if !d.isWhole() {
				members = "CAST(sqrt(cardinality(e)) AS BIGINT)"
			}
			l.add(fmt.Sprintf("zip_with(%s, %s, (s, e) -> %s) AS %s", names[f], given, exchanged("s", "e", members, sweeps), after))
			names[f] = after
		}
	}
	return names
}

// given returns an expression of the energies of a chunk's records with the tuples of a fragment, one array per task, given the other fragments' states.
func (d *drawing) given(fragment int, states []string, round int) string {
	members := d.members(round, "task")
	energy := func(first, second int, u, v string) string {
		if d.isWhole() {
			return fmt.Sprintf("e%d_%d[(task * m + %s) * m + %s + 1]", first, second, u, v)
		}
		return fmt.Sprintf("e%d_%d[task + 1][%s * (%s) + %s + 1]", first, second, u, members, v)
	}
	terms, used := []string{energy(0, fragment, row, column)}, []string{fmt.Sprintf("e0_%d", fragment)}
	for g := 1; g < len(states); g++ {
		if g == fragment {
			continue
		}
		one, other, u, v := g, fragment, placeOf(states[g]+"[task + 1]", "CAST(3 * "+row+" AS INTEGER)"), column
		if g > fragment {
			one, other, u, v = fragment, g, v, u
		}
		terms = append(terms, energy(one, other, u, v))
		used = append(used, states[g])
	}
	energies := fmt.Sprintf("transform(%s, task -> transform(%s[%s + 1], i -> %s))", d.tasks(1), squares(), members, strings.Join(terms, " + "))
	return guarded(energies, used...)
}

// A pair of records i and j of a chunk of z is a number p: 3i in its lowest five bits, then 3j in five, iz in six, jz in six, and 2^3i + 2^3j.
func pairNumber(i, j, z int) int {
	return 3*i | 3*j<<5 | i*z<<10 | j*z<<16 | (1<<(3*i)+1<<(3*j))<<22
}

// exchanged returns an expression of a fragment's state after sweeps over all pairs of z
// members; the array energies has that of record i with tuple k at i*z + k + 1.
func exchanged(state, energies, z string, sweeps int) string {
	field := func(first, bits int) string {
		return fmt.Sprintf("bitwise_and(bitwise_right_shift(p, %d), %d)", first, 1<<bits-1)
	}
	a, b := placeOf("v", "CAST(bitwise_and(p, 31) AS INTEGER)"), placeOf("v", "CAST("+field(5, 5)+" AS INTEGER)")
	i, j := field(10, 6), field(16, 6)
	energy := func(record, tuple string) string { return fmt.Sprintf("%s[%s + %s + 1]", energies, record, tuple) }
	loss := fmt.Sprintf("%s + %s - %s - %s", energy(i, a), energy(j, b), energy(i, b), energy(j, a))
	next := fmt.Sprintf("bitwise_left_shift(mod(bitwise_right_shift(v, %d) * %d, %d), %[1]d) + bitwise_and(v, %[4]d)", permuted, multiplier, modulus, 1<<permuted-1)
	differs := fmt.Sprintf("bitwise_xor(%s, %s) * bitwise_right_shift(p, 22)", a, b)
	return fmt.Sprintf("reduce(%s[%s + 1], %s, (v, p) -> bitwise_xor(%s, IF(bitwise_right_shift(v, %d) / %de0 * (1 + exp(%s)) < 1, %s, 0)), v -> v)",
		pairs(sweeps), z, state, next, permuted, modulus, loss, differs)
}

// placeOf returns the number in the chunk of a record's tuple in a state; first, an INTEGER, is three times the record's number, from 0.
func placeOf(state, first string) string {
	return fmt.Sprintf("bitwise_and(bitwise_right_shift(%s, %s), %d)", state, first, 1<<placeBits-1)
}

// bySize writes constants by the size of a chunk.
func bySize(typ string, of func(size int) string) string {
	var all []string
	for size := range chunkRecords + 1 {
		all = append(all, of(size))
	}
	return fmt.Sprintf("CAST(ARRAY[%s] AS ARRAY(%s))", strings.Join(all, ", "), typ)
}

// pairs returns, by the size of a chunk, the pairs that may exchange tuples.
func pairs(sweeps int) string {
	return bySize("ARRAY(BIGINT)", func(size int) string {
		var list []string
		for range sweeps {
			for i := range size {
				for j := range i {
					list = append(list, fmt.Sprint(pairNumber(i, j, size)))
				}
			}
		}
		return "ARRAY[" + strings.Join(list, ", ") + "]"
	})
}

// squares returns, by the size of a chunk, the numbers i of its pairs of a member and a tuple, with expressions of row and column.
func squares() string {
	return bySize("ARRAY(BIGINT)", func(size int) string {
		var list []string
		for i := range size {
			for j := range size {
				list = append(list, fmt.Sprint(chunkRecords*i+j))
			}
		}
		return "ARRAY[" + strings.Join(list, ", ") + "]"
	})
}

const row, column = "bitwise_right_shift(i, 3)", "bitwise_and(i, 7)"

// identities returns, by the size of a chunk, the states that exchange nothing.
func identities() string {
	return bySize("BIGINT", func(size int) string {
		identity := 0
		for i := range size {
			identity |= i << (placeBits * i)
		}
		return fmt.Sprint(identity)
	})
}
