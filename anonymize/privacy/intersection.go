package privacy

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Intersection measures what several public releases of one table reveal together. The attacker
// knows a person's quasi-identifiers exactly, and that the person is in the table. In each
// release, the person is in one of the groups in which every fragment of quasi-identifiers has
// a tuple that covers what is known (as far as the release publishes it). The candidates are
// the sensitive values in any of these groups; those of all releases are intersected.
//
// records are row numbers of columns. one is the share of them left with one candidate, mean
// the mean number of candidates. Releases without the sensitive attribute, and
// quasi-identifiers that no release has, reveal nothing. The time is records times the tuples
// of all fragments: take a sample of a large table.
func Intersection(
	ctx context.Context,
	releases []*anonymize.Release,
	quasi []*anonymize.Column,
	sensitive *anonymize.Column,
	records []int,
) (one, mean float64, err error) {
	var witnesses []*witness
	for _, r := range releases {
		if w := newWitness(r, quasi, sensitive); w != nil {
			witnesses = append(witnesses, w)
		}
	}
	if len(witnesses) == 0 || len(records) == 0 {
		return 0, 0, fmt.Errorf("no release publishes %s", sensitive.Name)
	}
	left := newBitset(len(sensitive.Dictionary))
	alone, total := 0, 0
	for _, row := range records {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		for i := range left {
			left[i] = ^uint64(0)
		}
		for _, w := range witnesses {
			// A release that covers no such record was made without it: it reveals nothing.
			if found := w.candidates(quasi, row); found.count(len(sensitive.Dictionary)) > 0 {
				left.intersectWith(found)
			}
		}
		n := left.count(len(sensitive.Dictionary))
		total += n
		if n == 1 {
			alone++
		}
	}
	return float64(alone) / float64(len(records)), float64(total) / float64(len(records)), nil
}

// A bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) set(i int)           { b[i/64] |= 1 << (i % 64) }
func (b bitset) contains(i int) bool { return b[i/64]>>(i%64)&1 == 1 }

func (b bitset) intersectWith(other bitset) {
	for i := range b {
		b[i] &= other[i]
	}
}

func (b bitset) uniteWith(other bitset) {
	for i := range b {
		b[i] |= other[i]
	}
}

// count returns the number of elements below n.
func (b bitset) count(n int) (total int) {
	for i, word := range b {
		if rest := n - 64*i; rest < 64 {
			word &= 1<<rest - 1
		}
		total += bits.OnesCount64(word)
	}
	return total
}

// A witness is one release, prepared for the attack.
type witness struct {
	groups int
	// fragments are those with quasi-identifiers.
	fragments []*witnessFragment
	// values has the sensitive values of every group, as codes of the raw column.
	values []bitset
	seen   bitset // scratch: candidates of one record
	in     bitset // scratch: groups
}

// A witnessFragment is a fragment with the values of the raw columns that each of its cells
// covers.
type witnessFragment struct {
	fragment *anonymize.Fragment
	groupOf  []uint32 // by tuple
	columns  []witnessColumn
	matching bitset // scratch: groups
}

type witnessColumn struct {
	quasi  int // index among the raw columns
	codes  []uint32
	covers []bitset // by cell: raw codes
}

// newWitness returns nil for a release without the sensitive attribute.
func newWitness(r *anonymize.Release, quasi []*anonymize.Column, sensitive *anonymize.Column) *witness {
	at, column, ok := r.Locate(sensitive.Name)
	if !ok {
		return nil
	}
	w := &witness{groups: r.Groups(), seen: newBitset(len(sensitive.Dictionary)), in: newBitset(r.Groups())}
	f := r.Fragments[at]
	covers := coverage(f.Columns[column], sensitive)
	w.values = make([]bitset, r.Groups())
	for g := range w.values {
		w.values[g] = newBitset(len(sensitive.Dictionary))
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			w.values[g].uniteWith(covers[f.Columns[column].Codes[t]])
		}
	}
	for _, f := range r.Fragments {
		if known := newWitnessFragment(f, quasi, sensitive.Name); len(known.columns) > 0 {
			known.matching = newBitset(r.Groups())
			w.fragments = append(w.fragments, known)
		}
	}
	return w
}

func newWitnessFragment(f *anonymize.Fragment, quasi []*anonymize.Column, sensitive string) *witnessFragment {
	known := &witnessFragment{fragment: f, groupOf: make([]uint32, f.Tuples())}
	for g := range f.Groups() {
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			known.groupOf[t] = uint32(g)
		}
	}
	for _, c := range f.Columns {
		at := slices.IndexFunc(quasi, func(q *anonymize.Column) bool { return q.Name == c.Name })
		if at >= 0 && c.Name != sensitive {
			known.columns = append(known.columns, witnessColumn{quasi: at, codes: c.Codes, covers: coverage(c, quasi[at])})
		}
	}
	return known
}

// coverage returns, by cell or point of a published column, the codes of the raw column that it
// covers.
func coverage(c *anonymize.FragmentColumn, raw *anonymize.Column) []bitset {
	codes := make(map[anonymize.Value][]int, len(raw.Dictionary))
	for code, v := range raw.Dictionary {
		if !c.IsPoint() {
			v = c.Place(v)
		}
		codes[v] = append(codes[v], code)
	}
	cover := func(members ...uint32) bitset {
		b := newBitset(len(raw.Dictionary))
		for _, m := range members {
			for _, code := range codes[c.Dictionary[m]] {
				b.set(code)
			}
		}
		return b
	}
	if c.IsPoint() {
		all := make([]bitset, len(c.Dictionary))
		for code := range all {
			all[code] = cover(uint32(code))
		}
		return all
	}
	all := make([]bitset, len(c.Cells))
	for i, cell := range c.Cells {
		all[i] = cover(cell.Members...)
	}
	return all
}

// candidates returns the sensitive values that the record may have according to this release.
// The set is reused.
func (w *witness) candidates(quasi []*anonymize.Column, row int) bitset {
	for i := range w.in {
		w.in[i] = ^uint64(0)
	}
	for _, f := range w.fragments {
		f.match(quasi, row)
		w.in.intersectWith(f.matching)
	}
	clear(w.seen)
	for i, word := range w.in {
		for ; word != 0; word &= word - 1 {
			if g := 64*i + bits.TrailingZeros64(word); g < w.groups {
				w.seen.uniteWith(w.values[g])
			}
		}
	}
	return w.seen
}

// match finds the groups with a tuple that covers the record.
func (f *witnessFragment) match(quasi []*anonymize.Column, row int) {
	clear(f.matching)
tuples:
	for t, g := range f.groupOf {
		for i := range f.columns {
			c := &f.columns[i]
			if !c.covers[c.codes[t]].contains(int(quasi[c.quasi].Codes[row])) {
				continue tuples
			}
		}
		f.matching.set(int(g))
	}
}
