package segment

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/columnar"
)

// AddRelease adds the group sizes; of every fragment its group starts and counts; of every column its
// codes, dictionary and cells. If the release has units, their numbers follow the sizes and the counts.
func AddRelease(b *Builder, r *anonymize.Release) {
	Add(b, r.GroupSizes)
	if r.Units != nil {
		Add(b, r.Units)
	}
	for _, f := range r.Fragments {
		Add(b, f.GroupStart)
		Add(b, f.Count)
		if f.Units != nil {
			Add(b, f.Units)
		}
		for _, c := range f.Columns {
			Add(b, c.Codes)
			Add(b, columnar.EncodeDictionary(c.Dictionary))
			cells := []byte{}
			if !c.IsPoint() {
				cells = columnar.EncodeCells(c.Cells)
			}
			Add(b, cells)
		}
	}
}

// ReadRelease reads the arrays of [AddRelease] into r, which must have its fragments and columns by name; units says whether the
// release has units. r's arrays lie in the segment; dictionaries and cells do not. It checks lengths, not the numbers.
func ReadRelease(s *Segment, r *anonymize.Release, units bool) error {
	a := NewReader(s)
	r.GroupSizes = Next[uint32](a, anyLength)
	if units {
		r.Units = Next[uint32](a, len(r.GroupSizes))
	}
	for _, f := range r.Fragments {
		f.GroupStart, f.Count = Next[uint32](a, len(r.GroupSizes)+1), Next[uint32](a, anyLength)
		if units {
			f.Units = Next[uint32](a, f.Tuples())
		}
		for _, c := range f.Columns {
			c.Codes = Next[uint32](a, f.Tuples())
			a.decode(c)
		}
	}
	return a.End()
}

func (a *Reader) decode(c *anonymize.FragmentColumn) {
	dictionary, cells := Next[uint8](a, anyLength), Next[uint8](a, anyLength)
	if a.err == nil {
		c.Dictionary, a.err = columnar.DecodeDictionary(dictionary)
	}
	if a.err == nil && len(cells) > 0 {
		c.Cells, a.err = columnar.DecodeCells(cells, len(c.Dictionary))
	}
}

// AddCompletion adds the places of completed tables.
func AddCompletion(b *Builder, c *anonymize.Completion) {
	addPlaces(b, c.Narrow)
	addPlaces(b, c.Wide)
}

func addPlaces[P uint8 | uint16](b *Builder, tables [][][]P) {
	for _, fragments := range tables {
		for _, places := range fragments {
			Add(b, places)
		}
	}
}

// ReadCompletion reads what [AddCompletion] added: the completed tables of a release. They lie in the segment.
func ReadCompletion(s *Segment, r *anonymize.Release, tables int) (*anonymize.Completion, error) {
	a, c := NewReader(s), &anonymize.Completion{Tables: tables}
	if anonymize.HasWideGroups(r) {
		c.Wide = nextPlaces[uint16](a, r, tables)
	} else {
		c.Narrow = nextPlaces[uint8](a, r, tables)
	}
	return c, a.End()
}

func nextPlaces[P uint8 | uint16](a *Reader, r *anonymize.Release, tables int) [][][]P {
	places := make([][][]P, tables)
	for d := range places {
		places[d] = make([][]P, max(0, len(r.Fragments)-1))
		for j := range places[d] {
			places[d][j] = Next[P](a, r.Rows)
		}
	}
	return places
}

// A Reader reads arrays in the order of their addition; its first error sticks.
type Reader struct {
	from *Segment
	next int
	err  error
}

// NewReader returns a reader at the first array.
func NewReader(s *Segment) *Reader { return &Reader{from: s} }

// anyLength accepts an array of any length.
const anyLength = -1

// Next returns the next array; nil, with an error, if its length is another.
func Next[T Number](a *Reader, length int) []T {
	if a.err != nil {
		return nil
	}
	values, err := Array[T](a.from, a.next)
	if err == nil && length != anyLength && len(values) != length {
		err = fmt.Errorf("%w: array %d has %d numbers of %d", ErrNoSegment, a.next, len(values), length)
	}
	if a.err = err; err != nil {
		return nil
	}
	a.next++
	return values
}

// End returns the first error, or an error if unread arrays remain.
func (a *Reader) End() error {
	if a.err == nil && a.next != a.from.Arrays() {
		a.err = fmt.Errorf("%w: it has %d arrays, and %d are read", ErrNoSegment, a.from.Arrays(), a.next)
	}
	return a.err
}
