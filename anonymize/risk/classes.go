package risk

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Classes are the records that a release does not tell apart by quasi-identifiers.
type Classes struct {
	// Fragment has the quasi-identifiers; First the first tuple of every class.
	Fragment *anonymize.Fragment
	First    []uint32
	// Records of every class, and in all.
	Records []uint64
	Rows    int
}

// ClassesOf reads them off a release. It is an error if no fragment shows all
// quasi-identifiers by themselves. Where records belong to units, classes are of units, and a
// unit is in one class for each of its tuples.
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

// A SizeCount is a number of classes of one size, in records.
type SizeCount struct{ Size, Classes uint64 }

// OnePerUnit is an error where some of so many units have several combinations of quasi-identifiers: the models of a population take each record of a
// class for a person of its own.
func (c *Classes) OnePerUnit(units int) error {
	if c.Rows == units {
		return nil
	}
	return fmt.Errorf("%d units have %d combinations of quasi-identifiers between them, and its models are of persons who have one each", units, c.Rows)
}

// Sizes are the sizes of the classes, ascending, each once.
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

// Describe writes "age = [30-39] and sex = F" of a class.
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
