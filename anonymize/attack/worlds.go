package attack

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// worlds are the groups under attack: their records, and their sensitive values with counts. A
// class is a group, or those of its records that a mixed fragment links to the same cells.
type worlds struct {
	truth   []uint32 // sensitive code by record
	unique  []bool   // by record: no other has its quasi-identifiers
	judged  []bool   // by record: its value needs protection
	width   int      // sensitive codes are below
	records int

	start, members []uint32 // members of class c: start[c] .. start[c+1]-1
	valueStart     []uint32
	values         []uint32 // of class c: valueStart[c] .. valueStart[c+1]-1
	// prior has the probabilities of values in random worlds. counts has their numbers of
	// records; nil if every class is one record with its cell.
	prior  []float64
	counts []uint32
}

func (w *worlds) classes() int { return len(w.start) - 1 }

// part returns the classes of a shard.
func (w *worlds) part(shard, shards int) (first, end int) {
	return shard * w.classes() / shards, (shard + 1) * w.classes() / shards
}

// checkEvery is the number of classes between two checks of the context.
const checkEvery = 1 << 10

// A class is what the attacks read: its members and its values.
type class struct {
	members, values []uint32
	prior           []float64
	counts          []uint32 // nil for a cell
}

func (w *worlds) classOf(number int) class {
	first, end := w.valueStart[number], w.valueStart[number+1]
	c := class{members: w.members[w.start[number]:w.start[number+1]], values: w.values[first:end], prior: w.prior[first:end]}
	if w.counts != nil {
		c.counts = w.counts[first:end]
	}
	return c
}

// maxCells is the greatest size of the matrix of a class: 128 MiB.
const maxCells = 1 << 24

// newWorlds verifies that the truth fits the release, draws the sample and divides it into
// classes. Cost: O(records log group + tuples).
func newWorlds(r *anonymize.Release, truth Truth, o Options) (*worlds, error) {
	groups, err := sample(r, o)
	if err != nil {
		return nil, err
	}
	return worldsOf(r, truth, groups)
}

// worldsOf returns the worlds of some groups.
func worldsOf(r *anonymize.Release, truth Truth, groups []int) (*worlds, error) {
	if r.Model.Hides(truth.Sensitive.Name) {
		return nil, &RefusedError{"the counts of its groups have noise: they are no records' values"}
	}
	published, linked, err := locate(r, truth)
	if err != nil {
		return nil, err
	}
	start, members, err := byGroup(r, truth)
	if err != nil {
		return nil, err
	}
	w := &worlds{truth: truth.Sensitive.Codes, unique: truth.unique(), judged: truth.judged(),
		width: len(truth.Sensitive.Dictionary), start: []uint32{0}, valueStart: []uint32{0}}
	if !published.column.IsPoint() {
		return w, w.addCells(published, groups, start, members)
	}
	if err := published.agrees(w.truth, start, members); err != nil {
		return nil, err
	}
	seen := make([]uint32, w.width)
	for _, g := range groups {
		group := members[start[g]:start[g+1]]
		slices.SortStableFunc(group, func(a, b uint32) int { return compareOn(linked, a, b) })
		for len(group) > 0 {
			end := 1
			for end < len(group) && compareOn(linked, group[0], group[end]) == 0 {
				end++
			}
			w.add(group[:end], seen)
			group = group[end:]
		}
	}
	if w.records == 0 {
		return nil, errors.New("no group is small enough for this attack")
	}
	return w, nil
}

func compareOn(columns []*anonymize.Column, a, b uint32) int {
	for _, c := range columns {
		if d := cmp.Compare(c.Codes[a], c.Codes[b]); d != 0 {
			return d
		}
	}
	return 0
}

// add adds a class unless it is too large. seen is a buffer of zeros.
func (w *worlds) add(members []uint32, seen []uint32) {
	first := len(w.values)
	for _, record := range members {
		code := w.truth[record]
		if seen[code] == 0 {
			w.values = append(w.values, code)
		}
		seen[code]++
	}
	values := w.values[first:]
	slices.Sort(values)
	for _, code := range values {
		w.counts = append(w.counts, seen[code])
		seen[code] = 0
	}
	if len(members)*len(values) > maxCells {
		w.values, w.counts = w.values[:first], w.counts[:first]
		return
	}
	for _, n := range w.counts[first:] {
		w.prior = append(w.prior, float64(n)/float64(len(members)))
	}
	w.close(members)
}

// addCells makes a class of every group, which must be one record with its cell.
func (w *worlds) addCells(p *published, groups []int, start, members []uint32) error {
	for _, g := range groups {
		if start[g+1]-start[g] != 1 {
			return fmt.Errorf("group %d has %d records with sensitive cells of more than one value, and nobody knows which is whose", g, start[g+1]-start[g])
		}
		record, possible := members[start[g]], false
		cell := &p.column.Cells[p.column.Codes[p.fragment.GroupStart[g]]]
		for i, m := range cell.Members {
			weight, code := cell.Weight(i), p.raw[m]
			if weight == 0 {
				continue
			}
			if int(code) == p.width {
				return fmt.Errorf("the table has no %s in %s, group %d of the release has", p.column.Dictionary[m], p.column.Name, g)
			}
			possible = possible || code == w.truth[record]
			w.values, w.prior = append(w.values, code), append(w.prior, weight)
		}
		if !possible {
			return fmt.Errorf("group %d has other values of %s in the truth than in the release", g, p.column.Name)
		}
		w.close(members[start[g]:start[g+1]])
	}
	return nil
}

// close ends a class.
func (w *worlds) close(members []uint32) {
	w.members = append(w.members, members...)
	w.start = append(w.start, uint32(len(w.members)))
	w.valueStart = append(w.valueStart, uint32(len(w.values)))
	w.records += len(members)
}

// byGroup returns the records of every gid.
func byGroup(r *anonymize.Release, truth Truth) (start, members []uint32, err error) {
	if len(truth.GroupOf) != r.Rows {
		return nil, nil, fmt.Errorf("the release has %d records, the truth has the groups of %d", r.Rows, len(truth.GroupOf))
	}
	for _, c := range append(slices.Clone(truth.QuasiIdentifiers), truth.Sensitive) {
		if c.Rows() != r.Rows {
			return nil, nil, fmt.Errorf("the release has %d records, column %s has %d", r.Rows, c.Name, c.Rows())
		}
	}
	start = make([]uint32, r.Groups()+1)
	for _, g := range truth.GroupOf {
		if int(g) >= r.Groups() {
			return nil, nil, fmt.Errorf("the truth has group %d, the release %d groups", g, r.Groups())
		}
		start[g+1]++
	}
	for g := range r.Groups() {
		if start[g+1] != r.GroupSizes[g] {
			return nil, nil, fmt.Errorf("group %d has %d records in the truth, %d in the release", g, start[g+1], r.GroupSizes[g])
		}
		start[g+1] += start[g]
	}
	members, next := make([]uint32, r.Rows), slices.Clone(start)
	for record, g := range truth.GroupOf {
		members[next[g]] = uint32(record)
		next[g]++
	}
	return start, members, nil
}

// sample returns the groups to attack, ascending.
func sample(r *anonymize.Release, o Options) ([]int, error) {
	groups := anonymize.Ints(r.Groups())
	if o.Sample <= 0 || o.Sample >= r.Rows {
		return groups, nil
	}
	if o.Random == nil {
		return nil, errors.New("a sample needs a random source")
	}
	random := rand.New(o.Random)
	records, taken := 0, 0
	for ; records < o.Sample; taken++ {
		other := taken + random.IntN(len(groups)-taken)
		groups[taken], groups[other] = groups[other], groups[taken]
		records += int(r.GroupSizes[groups[taken]])
	}
	groups = groups[:taken]
	slices.Sort(groups)
	return groups, nil
}
