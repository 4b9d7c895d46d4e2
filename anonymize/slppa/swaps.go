package slppa

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

const (
	// triesPerGroup is the number of consecutive failed exchanges after which a group waits for
	// the next round, in which it has roundFactor times as many: the budget goes first to what
	// is easily repaired.
	triesPerGroup, roundFactor, rounds = 48, 4, 3
	// visitsPerRow bounds the total number of examined records by a multiple of the table, so
	// swaps are linear for any data.
	visitsPerRow = 24
	// nearby is the number of records of a value on either side from which a partner is drawn
	// first in homogeneous groups; it doubles after every triesPerReach failures.
	nearby, triesPerReach = 32, 3
)

// A swapper repairs groups by exchanging two records of equal sensitive value. The sensitive
// table does not change, so neither do beta, delta and the number of groups; only sub-tuples
// move.
type swapper struct {
	*repairer
	random  *rand.Rand
	group   []uint32 // of every place
	places  []uint32 // by sensitive value: the places that hold it
	first   []uint32 // places of a value begin here
	suspect []uint32 // scratch, see blame
	budget  int
}

// swap visits the groups that violate a requirement and returns the number of exchanges. Groups
// that it could not repair stay marked for the merges.
func (r *repairer) swap(ctx context.Context, random *rand.Rand, report func(string, int, int)) (int, error) {
	s := &swapper{repairer: r, random: random, budget: visitsPerRow * r.rows}
	swaps, tries := 0, triesPerGroup
	for round := range rounds {
		for g, bad := range r.bad {
			if g%stretch == 0 {
				report("repair", round*len(r.bad)+g, rounds*len(r.bad))
			}
			if bad && r.bad[g] && s.budget > 0 {
				// Few groups may be large, so check the context for each.
				if err := ctx.Err(); err != nil {
					return swaps, err
				}
				s.index()
				swaps += s.mend(g, tries)
			}
		}
		tries *= roundFactor
	}
	return swaps, ctx.Err()
}

// index computes the places of every sensitive value at the first use.
func (s *swapper) index() {
	if s.group != nil {
		return
	}
	s.group = make([]uint32, s.rows)
	for g := range s.Groups() {
		for place := s.Start[g]; place < s.Start[g+1]; place++ {
			s.group[place] = uint32(g)
		}
	}
	all := anonymize.Indices(s.rows)
	values := len(s.scratch.values)
	s.first = bucketization.Starts(all, s.value, values)
	s.places = bucketization.CountingSort(all, s.value, values)
}

// mend exchanges records of group g until it meets its requirements or tries consecutive
// attempts have failed.
func (s *swapper) mend(g, tries int) (swaps int) {
	now := s.look(g)
	for !now.meets && s.budget > 0 {
		s.findSurplus(g, now)
		after, ok := now, false
		for failed := 0; !ok && failed < tries && s.budget > 0; failed++ {
			mine, table := s.give(g)
			theirs := s.partner(mine, failed)
			after, ok = s.try(g, now, mine, theirs, table)
		}
		if !ok {
			break
		}
		now = after
		swaps++
	}
	s.bad[g] = !now.meets
	return swaps
}

// look measures a group and charges the budget.
func (s *swapper) look(g int) figures {
	s.budget -= int(s.Start[g+1] - s.Start[g])
	return s.measure(s.scratch, g)
}

// findSurplus finds the records to give away: those with the most frequent sub-tuple of a table
// in which that matters, as offsets into the group.
func (s *swapper) findSurplus(g int, now figures) {
	ids := s.subTuplesOf(g)
	s.budget -= len(ids) / s.tables
	least := uint32(2)
	if now.excess > 0 {
		least = uint32(floorOf(s.parameters.alpha, len(ids)/s.tables) + 1)
	}
	s.suspect = s.suspect[:0]
	for i, count := range s.scratch.count {
		greatest := uint32(0)
		for at := i; at < len(ids); at += s.tables {
			count[ids[at]]++
			greatest = max(greatest, count[ids[at]])
		}
		for at := i; at < len(ids); at += s.tables {
			if count[ids[at]] == greatest && greatest >= least {
				s.suspect = append(s.suspect, uint32(at))
			}
		}
		for at := i; at < len(ids); at += s.tables {
			count[ids[at]] = 0
		}
	}
}

// give picks a place of group g at random among those to blame, and the table.
func (s *swapper) give(g int) (place uint32, table int) {
	first := s.Start[g]
	if len(s.suspect) == 0 { // all sub-tuples differ: only gamma is left, by luck
		return first + s.random.Uint32N(s.Start[g+1]-first), -1
	}
	at := int(s.suspect[s.random.Uint32N(uint32(len(s.suspect)))])
	return first + uint32(at/s.tables), at % s.tables
}

// partner draws a place with the same sensitive value. Homogeneous groups are stored in the
// order that made them: there, nearby places come first, and more distant ones as more tries
// fail.
func (s *swapper) partner(place uint32, failed int) uint32 {
	v := s.value[place]
	from, end := s.first[v], s.first[v+1]
	if s.parameters.locality.Homogeneous {
		rank, _ := slices.BinarySearch(s.places[from:end], place)
		reach := nearby << min(failed/triesPerReach, 24)
		from, end = from+uint32(max(0, rank-reach)), from+uint32(min(int(end-from), rank+reach+1))
	}
	return s.places[from+s.random.Uint32N(end-from)]
}

// try exchanges the records of two places and keeps it if group g comes nearer
// to its requirements and the other group, h, still meets them or, where it did
// not, is no farther from them. A record that is the same in the table to blame
// is no use and, being the likeliest to be drawn, is refused at once.
func (s *swapper) try(g int, now figures, mine, theirs uint32, table int) (after figures, kept bool) {
	s.budget--
	h := int(s.group[theirs])
	if h == g || table >= 0 && s.tuples(mine)[table] == s.tuples(theirs)[table] {
		return now, false
	}
	var before figures
	if s.bad[h] {
		before = s.look(h)
	}
	s.exchange(mine, theirs)
	if after = s.look(g); after.isNearer(now) {
		other := s.look(h)
		if other.meets || s.bad[h] && !before.isNearer(other) {
			s.bad[h] = !other.meets
			return after, true
		}
	}
	s.exchange(mine, theirs)
	return now, false
}

// tuples returns the sub-tuples of a place, one per table.
func (s *swapper) tuples(place uint32) []uint32 {
	return s.id[int(place)*s.tables:][:s.tables]
}

func (s *swapper) exchange(a, b uint32) {
	s.Member[a], s.Member[b] = s.Member[b], s.Member[a]
	left, right := s.tuples(a), s.tuples(b)
	for i := range left {
		left[i], right[i] = right[i], left[i]
	}
}
