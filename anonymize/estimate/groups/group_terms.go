package groups

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A GroupTerms enumerates the combinations of the classes in a group.
type GroupTerms struct {
	*question.Terms
	Worker   *groupWorker
	Radix    []int // classes in the group, by side
	position []int
	classes  []uint32
	// Entries has the term of every combination, with the first side as the fastest digit;
	// Weight has its expected number of records.
	Entries     []int
	Weight      []float64
	KeysPresent []int32  // the keys of the group's combinations
	isPresent   []bool   // by key
	keyed       int      // keys times combinations, over all groups so far
	At          []uint32 // by class of a side: its position among those in the group
	Work        question.Checkpoint
}

func NewGroupTerms(ctx context.Context, q *question.Question, sides []*question.Side) *GroupTerms {
	for _, s := range sides {
		s.Number()
	}
	return &GroupTerms{Work: question.Checkpoint{Ctx: ctx}, Terms: question.NewTerms(q, sides), Worker: newGroupWorker(sides),
		Radix: make([]int, len(sides)), position: make([]int, len(sides)), classes: make([]uint32, len(sides))}
}

// Load enumerates group g of m records; false if nothing in it can count.
func (t *GroupTerms) Load(g int, m float64) (bool, error) {
	for _, key := range t.KeysPresent {
		t.isPresent[key] = false
	}
	t.Entries, t.Weight, t.KeysPresent = t.Entries[:0], t.Weight[:0], t.KeysPresent[:0]
	if ok, err := t.Worker.collect(g, &t.Work); !ok || err != nil {
		return false, err
	}
	if t.Worker.combinations() > question.MaxCellCombinations {
		if err := question.TooManyOver(t.Sides); err != nil {
			return false, err
		}
	}
	combinations, scale := 1, 1.0
	for s := range t.Sides {
		t.Radix[s] = len(t.Worker.Present[s])
		combinations *= t.Radix[s]
		if s > 0 {
			scale *= m
		}
	}
	clear(t.position)
	for range combinations {
		weight := 1 / scale
		for s := range t.Sides {
			t.classes[s] = t.Worker.Present[s][t.position[s]]
			weight *= t.Worker.weight[s][t.classes[s]]
		}
		entry, err := t.EntryOf(t.classes)
		if err != nil {
			return false, err
		}
		t.Entries, t.Weight = append(t.Entries, entry), append(t.Weight, weight)
		if key := t.Key[entry]; key >= 0 {
			t.note(key)
		}
		if err := t.Work.Pass(1); err != nil {
			return false, err
		}
		question.Advance(t.position, t.Radix)
	}
	return len(t.KeysPresent) > 0, nil
}

// maxKeyed bounds the steps of visiting the combinations of a group for each of its keys, over
// cells: some seconds.
const maxKeyed = 1 << 31

// countKeyed refuses a question over cells that would exceed maxKeyed.
func (t *GroupTerms) countKeyed() error {
	if t.keyed += len(t.KeysPresent) * len(t.Entries); t.keyed > maxKeyed {
		return question.TooManyOver(t.Sides)
	}
	return nil
}

// note adds a key to the group's keys.
func (t *GroupTerms) note(key int32) {
	for len(t.isPresent) <= int(key) {
		t.isPresent = append(t.isPresent, false)
	}
	if !t.isPresent[key] {
		t.isPresent[key] = true
		t.KeysPresent = append(t.KeysPresent, key)
	}
}

// EachGroup loads and visits, in order, the groups in which something can count.
func (t *GroupTerms) EachGroup(r *anonymize.Release, visit func(g int) error) error {
	for g := range r.Groups() {
		ok, err := t.Load(g, float64(r.GroupSizes[g]))
		if err == nil && ok {
			err = t.countKeyed()
		}
		if err == nil && ok {
			err = visit(g)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// EachTuple visits the tuples of a side in a group that may pass the side's conditions, with
// their shares and whether these cover the whole tuple. It sets At for the side.
func (t *GroupTerms) EachTuple(g, s int, visit func(tuple uint32, shares []question.Share, whole bool)) {
	side := t.Sides[s]
	t.PlaceClasses(s)
	for tuple := side.Fragment.GroupStart[g]; tuple < side.Fragment.GroupStart[g+1]; tuple++ {
		if shares, whole := side.SharesOf(tuple, &t.Worker.Shares); len(shares) > 0 {
			visit(tuple, shares, whole)
		}
	}
}

// PlaceClasses sets At for a side.
func (t *GroupTerms) PlaceClasses(s int) {
	t.At = question.Resized(t.At, t.Sides[s].Classes)
	for i, class := range t.Worker.Present[s] {
		t.At[class] = uint32(i)
	}
}
