package risk

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Classes are sets of records with the same published quasi-identifiers.
type Classes struct {
	// Fragment has the quasi-identifiers; First has the first tuple of every class.
	Fragment *anonymize.Fragment
	First    []uint32
	// Records has the number of records by class; Rows is their total.
	Records []uint64
	Rows    int
}

// ClassesOf returns the classes of a release. It fails unless one fragment has all
// quasi-identifiers and nothing else. If records belong to units, classes count units, and a
// unit is in a class for each of its tuples.
func ClassesOf(r *anonymize.Release) (*Classes, error) {
	c := &Classes{}
	r = r.PerUnit()
	for _, f := range r.Fragments {
		switch {
		case f.Role == anonymize.Sensitive:
		case f.Role == anonymize.Mixed || c.Fragment != nil:
			return nil, errors.New("the quasi-identifiers are not in one fragment of their own, so that no record is shown whole")
		default:
			c.Fragment = f
		}
	}
	if c.Fragment == nil || r.Rows == 0 {
		return nil, errors.New("no quasi-identifiers are published")
	}
	number, distinct := c.Fragment.NumberTuples(len(c.Fragment.Columns))
	c.First, c.Records = make([]uint32, distinct), make([]uint64, distinct)
	for t, n := range number {
		if c.Records[n] == 0 {
			c.First[n] = uint32(t)
		}
		c.Records[n] += uint64(c.Fragment.Count[t])
		c.Rows += int(c.Fragment.Count[t])
	}
	return c, nil
}

// A SizeCount is the number of classes with a given size in records.
type SizeCount struct{ Size, Classes uint64 }

// OnePerUnit returns an error if some of the units have several combinations of
// quasi-identifiers: population models take each record of a class for a different person.
func (c *Classes) OnePerUnit(units int) error {
	if c.Rows == units {
		return nil
	}
	return fmt.Errorf("%d units have %d combinations of quasi-identifiers between them, and its models are of persons who have one each", units, c.Rows)
}

// Sizes returns the distinct sizes of the classes, ascending, with their numbers of classes.
func (c *Classes) Sizes() []SizeCount {
	sizes := slices.Clone(c.Records)
	slices.Sort(sizes)
	var counts []SizeCount
	for _, size := range sizes {
		if n := len(counts); n > 0 && counts[n-1].Size == size {
			counts[n-1].Classes++
			continue
		}
		counts = append(counts, SizeCount{size, 1})
	}
	return counts
}

// Describe returns "age = [30-39] and sex = F" for a class.
func (c *Classes) Describe(class int) string {
	text := ""
	for i, column := range c.Fragment.Columns {
		if i > 0 {
			text += " and "
		}
		code := column.Codes[c.First[class]]
		if column.IsPoint() {
			text += fmt.Sprintf("%s = %s", column.Name, column.Dictionary[code])
			continue
		}
		text += fmt.Sprintf("%s = %s", column.Name, column.Cells[code].Label)
	}
	return text
}
