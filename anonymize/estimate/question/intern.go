package question

import "github.com/anonsql/anonsql/anonymize"

// An interner numbers tuples of values densely, in order of first occurrence, by numbering
// prefixes: the id of (a, b, c) is the id of (id of (a, b), c).
type interner struct {
	values map[anonymize.Value]uint32
	pairs  map[uint64]uint32
}

func newInterner() *interner {
	return &interner{values: make(map[anonymize.Value]uint32), pairs: make(map[uint64]uint32)}
}

// value numbers one value.
func (in *interner) value(v anonymize.Value) uint32 {
	id, ok := in.values[v]
	if !ok {
		id = uint32(len(in.values))
		in.values[v] = id
	}
	return id
}

// extend numbers the tuple that continues a numbered prefix. All tuples of an interner must
// have one length.
func (in *interner) extend(prefix, next uint32) uint32 {
	key := uint64(prefix)<<32 | uint64(next)
	id, ok := in.pairs[key]
	if !ok {
		id = uint32(len(in.pairs))
		in.pairs[key] = id
	}
	return id
}

// A TupleNumbering numbers tuples of a fixed length from 0 in order of first occurrence. It has
// one interner per position, so that ids stay dense.
type TupleNumbering struct {
	positions []*interner
}

func NewTupleNumbering(length int) *TupleNumbering {
	n := &TupleNumbering{}
	for range length {
		n.positions = append(n.positions, newInterner())
	}
	return n
}

// Number returns the number of a tuple of values.
func (n *TupleNumbering) Number(values []anonymize.Value) uint32 {
	id := uint32(0)
	for i, v := range values {
		id = n.positions[i].extend(id, n.positions[i].value(v))
	}
	return id
}

// NumberCodes returns the number of a tuple of codes. Codes need no interner of values: the
// first code is its own prefix, unless it is alone and has to be dense.
func (n *TupleNumbering) NumberCodes(codes []uint32) uint32 {
	switch len(codes) {
	case 0:
		return 0
	case 1:
		return n.positions[0].extend(0, codes[0])
	}
	id := codes[0]
	for i, code := range codes[1:] {
		id = n.positions[i+1].extend(id, code)
	}
	return id
}

// Resized returns a list of n entries with arbitrary contents.
func Resized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}
