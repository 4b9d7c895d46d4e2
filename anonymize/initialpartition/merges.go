package initialpartition

// A part is member[first:end]: the records of one value of A_i, or of several merged
// neighbouring values.
type part struct {
	first, end int
	most       uint32 // greatest count of a sensitive value
	merged     bool
	tally      map[uint32]uint32 // records by sensitive value; nil until needed
}

func (p *part) size() int { return p.end - p.first }

// merge is Algorithm 1, lines 2-5: it merges a part that is not l-diverse with the part before
// or behind it, at random, and examines the result again. It takes parts from left to right, so
// those before the current one are l-diverse, and only the last of them may be taken back: done
// is a stack. All parts together are l-diverse, so a neighbour always remains.
//
// It adds the smaller part's counts to the tally of the larger one: O(n log n) for all merges
// of a level.
func (d *division) merge(parts []part) ([]part, error) {
	done := parts[:0] // never ahead of what is still to be read
	for next := 0; next < len(parts); {
		at := parts[next]
		next++
		if err := d.ended(at.size()); err != nil {
			return nil, err
		}
		for !d.eligible(at.most, at.size()) {
			before, behind := len(done) > 0, next < len(parts)
			if before && behind {
				before = d.random.Uint32()&1 == 0
			}
			if before {
				at = d.union(done[len(done)-1], at)
				done = done[:len(done)-1]
			} else {
				at = d.union(at, parts[next])
				next++
			}
		}
		done = append(done, at)
	}
	return done, nil
}

// union merges two neighbours.
func (d *division) union(left, right part) part {
	large, small := &left, &right
	if large.size() < small.size() {
		large, small = small, large
	}
	u := part{first: left.first, end: right.end, merged: true, tally: large.tally, most: large.most}
	if u.tally == nil {
		u.tally = make(map[uint32]uint32)
		for _, record := range d.member[large.first:large.end] {
			u.tally[d.value[record]]++
		}
	}
	add := func(value, n uint32) {
		n += u.tally[value]
		u.tally[value] = n
		u.most = max(u.most, n)
	}
	if small.tally == nil {
		for _, record := range d.member[small.first:small.end] {
			add(d.value[record], 1)
		}
		return u
	}
	for value, n := range small.tally {
		add(value, n)
	}
	return u
}
