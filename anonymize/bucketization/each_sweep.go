package bucketization

import "context"

// looksAhead is the number of records that are considered for one that fits.
const looksAhead = 64

// An eachSweep forms groups of records that differ in every attribute along an order: the first
// free record, and the next ones that fit.
//
// A value with as many remaining records as there are groups to form must be in each of them,
// as in locality.Sweep; otherwise the last groups would have it twice. So records of such
// values come first, the nearest that fits. If they were taken only when they happen to be
// near, they would all be left over in the end.
type eachSweep struct {
	each  Each
	base  []uint32
	order []uint32
	eachDealt

	free       int     // records
	head       int32   // the first free position
	next, prev []int32 // by position: the free ones before and after; -1 at the ends
	// By key: the first free position with it, and the number left. By attribute and position:
	// the free ones before and after with the same value.
	heads          []int32
	nextOf, prevOf [][]int32
	count          []uint32
	byCount        []uint32 // keys, by count, descending
	placeOf        []uint32 // by key: in byCount
	atLeast        []uint32 // by count: number of keys with at least that many left
	used           []bool   // by key
	chosen         []int32  // positions of the current group
	uncovered      []int    // by attribute: values that the group still needs
}

func newEachSweep(e Each, order []uint32, size int) *eachSweep {
	base, keys := e.keys()
	n := len(order)
	s := &eachSweep{each: e, base: base, order: order, free: n,
		eachDealt: eachDealt{size: size, members: make([]uint32, 0, n)},
		next:      make([]int32, n), prev: make([]int32, n), heads: make([]int32, keys), count: make([]uint32, keys),
		placeOf: make([]uint32, keys), used: make([]bool, keys), uncovered: make([]int, len(e))}
	for key := range s.heads {
		s.heads[key] = -1
	}
	for range e {
		s.nextOf, s.prevOf = append(s.nextOf, make([]int32, n)), append(s.prevOf, make([]int32, n))
	}
	for at := n - 1; at >= 0; at-- {
		s.next[at], s.prev[at] = int32(at+1), int32(at-1)
		for a := range e {
			key := s.key(a, int32(at))
			if s.nextOf[a][at] = s.heads[key]; s.heads[key] >= 0 {
				s.prevOf[a][s.heads[key]] = int32(at)
			}
			s.prevOf[a][at], s.heads[key] = -1, int32(at)
			s.count[key]++
		}
	}
	s.next[n-1] = -1
	s.sort()
	return s
}

// sort sorts the keys by their counts, with a counting sort.
func (s *eachSweep) sort() {
	most := uint32(0)
	for _, c := range s.count {
		most = max(most, c)
	}
	s.atLeast = make([]uint32, most+2)
	for _, c := range s.count {
		s.atLeast[c]++
	}
	for c := int(most); c > 0; c-- {
		s.atLeast[c] += s.atLeast[c+1]
	}
	s.atLeast[0] = uint32(len(s.count))
	next := make([]uint32, most+1)
	for c := range next {
		next[c] = s.atLeast[c+1]
	}
	s.byCount = make([]uint32, len(s.count))
	for key, c := range s.count {
		s.byCount[next[c]], s.placeOf[key] = uint32(key), next[c]
		next[c]++
	}
}

func (s *eachSweep) key(attribute int, place int32) uint32 {
	return s.base[attribute] + s.each[attribute].Value[s.order[place]]
}

// run forms all groups. A record that finds no others is left.
func (s *eachSweep) run(ctx context.Context) (*eachDealt, error) {
	for n := 0; s.head >= 0 && s.free > 0; n++ {
		if n%(1<<12) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if s.free < s.size || !s.group() {
			s.left = append(s.left, eachLeft{s.order[s.head], uint32(s.groups())})
			s.remove(s.head)
		}
	}
	return &s.eachDealt, ctx.Err()
}

// group forms one group, or none.
func (s *eachSweep) group() bool {
	s.chosen = s.chosen[:0]
	must := s.requiredValues()
	if s.room(s.head, must) {
		s.choose(s.head)
	}
	for len(s.chosen) < s.size {
		place, ok := s.needed(must)
		if !ok {
			place, ok = s.nextFitting(must)
		}
		if !ok {
			break
		}
		s.choose(place)
	}
	for _, place := range s.chosen {
		for a := range s.each {
			s.used[s.key(a, place)] = false
		}
	}
	if len(s.chosen) < s.size {
		return false
	}
	for _, place := range s.chosen {
		s.members = append(s.members, s.order[place])
		s.remove(place)
	}
	return true
}

// requiredValues returns the values that every further group needs.
func (s *eachSweep) requiredValues() []uint32 {
	clear(s.uncovered)
	groups := s.free / s.size
	if groups >= len(s.atLeast) {
		return nil
	}
	must := s.byCount[:s.atLeast[groups]]
	for _, key := range must {
		s.uncovered[s.attribute(key)]++
	}
	return must
}

// attribute returns the attribute of a key.
func (s *eachSweep) attribute(key uint32) int {
	a := len(s.base) - 1
	for s.base[a] > key {
		a--
	}
	return a
}

func (s *eachSweep) isMust(key uint32) bool {
	groups := s.free / s.size
	return int(s.count[key]) >= groups
}

// room reports whether a record fits the current group: its values differ from the group's, and
// places remain for the required values.
func (s *eachSweep) room(place int32, must []uint32) bool {
	for a := range s.each {
		key := s.key(a, place)
		if s.used[key] {
			return false
		}
		if len(must) > 0 && s.uncovered[a] >= s.size-len(s.chosen) && !s.isMust(key) {
			return false
		}
	}
	return true
}

func (s *eachSweep) choose(place int32) {
	s.chosen = append(s.chosen, place)
	for a := range s.each {
		key := s.key(a, place)
		s.used[key] = true
		if s.isMust(key) {
			s.uncovered[a]--
		}
	}
}

// needed finds a record with a required value: of those considered, the one with the most
// required values, then the nearest. The attribute that lacks the most comes first.
func (s *eachSweep) needed(must []uint32) (best int32, ok bool) {
	most := 0
	for _, key := range must {
		a := s.attribute(key)
		if s.used[key] {
			continue
		}
		looked := 0
		for at := s.heads[key]; at >= 0 && looked < looksAhead; at = s.nextOf[a][at] {
			looked++
			if !s.room(at, must) {
				continue
			}
			worth := 0
			for b := range s.each {
				if s.isMust(s.key(b, at)) {
					worth += 1 + s.uncovered[b]
				}
			}
			if worth > most || worth == most && ok && at < best {
				best, most, ok = at, worth, true
			}
		}
	}
	return best, ok
}

// nextFitting finds the next free record that fits.
func (s *eachSweep) nextFitting(must []uint32) (int32, bool) {
	looked := 0
	for at := s.head; at >= 0 && looked < looksAhead; at = s.next[at] {
		if s.room(at, must) {
			return at, true
		}
		looked++
	}
	// All nearby records share a value: try the most frequent other values.
	for i := 0; i < len(s.byCount) && i < looksAhead; i++ {
		key := s.byCount[i]
		if s.used[key] {
			continue
		}
		a, looked := s.attribute(key), 0
		for at := s.heads[key]; at >= 0 && looked < looksAhead; at = s.nextOf[a][at] {
			if s.room(at, must) {
				return at, true
			}
			looked++
		}
	}
	return 0, false
}

// remove takes a place out of all lists.
func (s *eachSweep) remove(place int32) {
	s.free--
	unlink(place, s.next, s.prev, &s.head)
	for a := range s.each {
		key := s.key(a, place)
		unlink(place, s.nextOf[a], s.prevOf[a], &s.heads[key])
		c := s.count[key]
		s.atLeast[c]--
		i, j := s.placeOf[key], s.atLeast[c]
		s.byCount[i], s.byCount[j] = s.byCount[j], s.byCount[i]
		s.placeOf[s.byCount[i]], s.placeOf[s.byCount[j]] = i, j
		s.count[key]--
	}
}

func unlink(place int32, next, prev []int32, head *int32) {
	before, after := prev[place], next[place]
	if before >= 0 {
		next[before] = after
	} else {
		*head = after
	}
	if after >= 0 {
		prev[after] = before
	}
}
