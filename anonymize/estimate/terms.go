package estimate

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
)

// terms are what a record with a combination of classes, one a side, adds to
// the figures: evaluated once per combination, however many groups have it.
type terms struct {
	question *Question
	sides    []*side
	stride   []int // of the dense index; nil when there are too many combinations
	dense    []int32
	sparse   *tupleNumbering
	// key and figures have an entry per combination met: the number of its
	// key, -1 where a condition fails; per aggregate what it adds to the
	// number of records and to the sum.
	key     []int32
	figures [][]contribution
	// values numbers the arguments of the aggregates that keep values.
	values []valueList
	// keys has the values of every key.
	keys      [][]anonymize.Value
	numbering *tupleNumbering

	outcomes []outcome
	buffer   []anonymize.Value
}

// A contribution is what one record adds to an aggregate.
type contribution struct{ records, sum float64 }

func newTerms(q *Question, sides []*side) *terms {
	t := &terms{question: q, sides: sides, numbering: newTupleNumbering(len(q.Keys)),
		outcomes: make([]outcome, len(q.Leaves)), buffer: make([]anonymize.Value, 0, len(q.Leaves))}
	t.values = make([]valueList, len(q.Aggregates))
	for a := range t.values {
		t.values[a].numbers = make(map[anonymize.Value]int)
	}
	size := 1
	for _, s := range sides {
		t.stride = append(t.stride, size)
		if size *= s.classes; size > maxDenseCombinations {
			t.stride, t.sparse = nil, newTupleNumbering(len(sides))
			return t
		}
	}
	t.dense = make([]int32, size)
	return t
}

// entryOf returns the entry of a combination of classes.
func (t *terms) entryOf(classes []uint32) (entry int, err error) {
	if t.stride == nil {
		if entry = int(t.sparse.numberCodes(classes)); entry < len(t.key) {
			return entry, nil
		}
		return entry, t.evaluate(classes)
	}
	index := 0
	for s, class := range classes {
		index += int(class) * t.stride[s]
	}
	if t.dense[index] == 0 {
		if err := t.evaluate(classes); err != nil {
			return 0, err
		}
		t.dense[index] = int32(len(t.key))
	}
	return int(t.dense[index]) - 1, nil
}

// evaluate appends the entry of a combination met for the first time.
func (t *terms) evaluate(classes []uint32) error {
	var failure error
	for s, side := range t.sides {
		if err := side.decode(classes[s], t.outcomes); err != nil {
			failure = err
		}
	}
	ok, err := t.question.holds(t.outcomes, t.buffer)
	if err != nil {
		return err
	}
	if !ok {
		t.key, t.figures = append(t.key, -1), append(t.figures, nil)
		return nil
	}
	if failure != nil {
		return failure
	}
	keys := make([]anonymize.Value, len(t.question.Keys))
	for i := range keys {
		if keys[i], err = t.question.Keys[i].evaluate(t.outcomes, t.buffer); err != nil {
			return err
		}
	}
	figures := make([]contribution, len(t.question.Aggregates))
	for a := range figures {
		if figures[a], err = t.contribution(a); err != nil {
			return err
		}
	}
	key := t.numbering.number(keys)
	if int(key) == len(t.keys) {
		t.keys = append(t.keys, keys)
	}
	t.key, t.figures = append(t.key, int32(key)), append(t.figures, figures)
	return nil
}

// contribution is what a record with the current outcomes adds to aggregate a;
// its sum is the number of the value where values are kept.
func (t *terms) contribution(a int) (contribution, error) {
	asked := &t.question.Aggregates[a]
	if !asked.Kind.keepsValues() {
		return t.question.contribution(a, t.outcomes, t.buffer)
	}
	v, err := asked.Argument.evaluate(t.outcomes, t.buffer)
	if err != nil || v.IsNull() {
		return contribution{}, err
	}
	return contribution{1, float64(t.values[a].number(v))}, nil
}

// contribution is what one record with these outcomes adds to aggregate a.
func (q *Question) contribution(a int, outcomes []outcome, buffer []anonymize.Value) (contribution, error) {
	argument := q.Aggregates[a].Argument
	if argument == nil {
		return contribution{records: 1}, nil
	}
	v, err := argument.evaluate(outcomes, buffer)
	if err != nil || v.IsNull() {
		return contribution{}, err
	}
	if q.Aggregates[a].Kind == Count {
		return contribution{records: 1}, nil
	}
	number, ok := v.Number()
	if !ok {
		return contribution{}, errNotANumber(v)
	}
	return contribution{1, number}, nil
}

// A groupTerms walks over the combinations of the classes present in a group.
type groupTerms struct {
	*terms
	worker   *groupWorker
	radix    []int // classes present, per side
	position []int
	classes  []uint32
	// entries has the term of every combination, the first side fastest;
	// weight its expected number of records.
	entries     []int
	weight      []float64
	keysPresent []int32 // the keys that some combination has
	isPresent   []bool  // by key
	keyed       int     // keys times combinations, of all groups so far
	work        checkpoint
}

func newGroupTerms(ctx context.Context, q *Question, sides []*side) *groupTerms {
	for _, s := range sides {
		s.number()
	}
	return &groupTerms{work: checkpoint{ctx: ctx}, terms: newTerms(q, sides), worker: newGroupWorker(sides),
		radix: make([]int, len(sides)), position: make([]int, len(sides)), classes: make([]uint32, len(sides))}
}

// load enumerates group g of m records; false when nothing in it can count.
func (t *groupTerms) load(g int, m float64) (bool, error) {
	for _, key := range t.keysPresent {
		t.isPresent[key] = false
	}
	t.entries, t.weight, t.keysPresent = t.entries[:0], t.weight[:0], t.keysPresent[:0]
	if ok, err := t.worker.collect(g, &t.work); !ok || err != nil {
		return false, err
	}
	if t.worker.combinations() > maxCellCombinations {
		if err := tooManyOver(t.sides); err != nil {
			return false, err
		}
	}
	combinations, scale := 1, 1.0
	for s := range t.sides {
		t.radix[s] = len(t.worker.present[s])
		combinations *= t.radix[s]
		if s > 0 {
			scale *= m
		}
	}
	clear(t.position)
	for range combinations {
		weight := 1 / scale
		for s := range t.sides {
			t.classes[s] = t.worker.present[s][t.position[s]]
			weight *= t.worker.weight[s][t.classes[s]]
		}
		entry, err := t.entryOf(t.classes)
		if err != nil {
			return false, err
		}
		t.entries, t.weight = append(t.entries, entry), append(t.weight, weight)
		if key := t.key[entry]; key >= 0 {
			t.note(key)
		}
		if err := t.work.pass(1); err != nil {
			return false, err
		}
		advance(t.position, t.radix)
	}
	return len(t.keysPresent) > 0, nil
}

// maxKeyed bounds the steps of looking through the combinations of a group for each of
// its keys, over cells: some seconds.
const maxKeyed = 1 << 31

// countKeyed refuses a question over cells when this would take too many.
func (t *groupTerms) countKeyed() error {
	if t.keyed += len(t.keysPresent) * len(t.entries); t.keyed > maxKeyed {
		return tooManyOver(t.sides)
	}
	return nil
}

// note adds a key to those present.
func (t *groupTerms) note(key int32) {
	for len(t.isPresent) <= int(key) {
		t.isPresent = append(t.isPresent, false)
	}
	if !t.isPresent[key] {
		t.isPresent[key] = true
		t.keysPresent = append(t.keysPresent, key)
	}
}

// advance counts, the first digit fastest.
func advance(position, radix []int) {
	for i := range position {
		if position[i]++; position[i] < radix[i] {
			return
		}
		position[i] = 0
	}
}
