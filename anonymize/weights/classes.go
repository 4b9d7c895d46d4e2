package weights

import (
	"fmt"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

const (
	// MinPersons is the least number of persons of a class.
	MinPersons = 10
	// MaxError is the target of the division: the root mean square error of a record's weight, relative to that of all weights.
	MaxError = 0.05
	// maxClasses bounds the number of classes of widely different weights: more would reduce the error by only a few percent.
	maxClasses = 16
)

// Classes are intervals of weights, ascending.
type Classes struct {
	Column string
	// Upper has the greatest weight of every class except the last, which is unbounded. It is the table's, and not published.
	Upper []float64
	// Mean has the mean weight of the records of every class, which is published.
	Mean []float64
	// Least and Greatest are the sizes of the smallest and the largest class, in records.
	Least, Greatest int
	// Error is the root mean square of the differences of weights from their class's mean, relative to that of the weights.
	Error float64
	// Deviation is the relative error of a record's weight that intervals allow for, Shared that of the sum of many; see [Classes.Measure].
	Deviation, Shared float64

	persons int // least number of persons of a class
}

// Divide makes classes with at least least records each of a nonempty column of weights; one class if there are
// fewer. A weight that is NULL, not positive or no number is a *DataError. O(classes x 400^2), and a sort.
func Divide(c *anonymize.Column, least int) (*Classes, error) {
	points, err := pointsOf(c)
	if err != nil {
		return nil, err
	}
	total, squares := 0, 0.0
	for _, p := range points {
		total += p.records
		squares += float64(p.records) * p.weight * p.weight
	}
	atoms := gathered(points, total)
	p := newPartition(atoms, least)
	for p.squaresInside() > MaxError*MaxError*squares && p.classes < maxClasses && p.divide() {
	}
	found := &Classes{Column: c.Name, Least: math.MaxInt, Error: math.Sqrt(max(0, p.squaresInside()) / squares)}
	for _, atoms := range p.best() {
		class := slices.Concat(atoms...)
		records, sum := 0, 0.0
		for _, point := range class {
			records += point.records
			sum += float64(point.records) * point.weight
		}
		mean := sum / float64(records)
		if len(class) == 1 {
			mean = class[0].weight // not a neighbour of it
		}
		found.Mean, found.Upper = append(found.Mean, mean), append(found.Upper, class[len(class)-1].weight)
		found.Least, found.Greatest = min(found.Least, records), max(found.Greatest, records)
	}
	found.Upper = found.Upper[:len(found.Upper)-1]
	return found, nil
}

// Check refuses a column that does not have weights, like [Divide].
func Check(c *anonymize.Column) error {
	_, err := pointsOf(c)
	return err
}

// A point is a weight with its number of records.
type point struct {
	weight  float64
	records int
}

// pointsOf returns the occurring weights of a column, ascending.
func pointsOf(c *anonymize.Column) (points []point, err error) {
	null, none := 0, 0
	for code, records := range c.Histogram() {
		if records == 0 {
			continue
		}
		weight, known := c.Dictionary[code].Number()
		switch {
		case !known:
			null += records
		case !(weight > 0) || math.IsInf(weight, 0):
			none += records
		default:
			points = append(points, point{weight, records})
		}
	}
	refused := func(is string, records int) error {
		return &anonymize.DataError{Reason: fmt.Sprintf("column %s is the weight and is %s in %d of %d rows: a weight says how many persons a row stands for, "+
			"which is more than 0. UPDATE gives these rows a weight, DELETE takes them out", c.Name, is, records, len(c.Codes))}
	}
	switch {
	case null > 0:
		return nil, refused("NULL or no number", null)
	case none > 0:
		return nil, refused("not positive", none)
	}
	slices.SortFunc(points, func(a, b point) int { return int(math.Copysign(1, a.weight-b.weight)) })
	return points, nil
}

// Name returns the column's name; "" for nil classes.
func (c *Classes) Name() string {
	if c == nil {
		return ""
	}
	return c.Column
}

// Coarsen replaces the weights of a table by classes of at least persons persons; classes are nil without such a column or without records. For that,
// a class has at least persons times the greatest number of a unit's records. It measures the errors of weights without the hidden columns.
func Coarsen(table *anonymize.Microdata, column string, units []uint32, persons int, hidden []string) (*anonymize.Microdata, *Classes, error) {
	at := slices.IndexFunc(table.Columns, func(c *anonymize.Column) bool { return c.Name == column })
	if at < 0 || table.Rows == 0 {
		return table, nil, nil
	}
	most, counts := 1, make(map[uint32]int)
	for _, u := range units {
		counts[u]++
		most = max(most, counts[u])
	}
	c, err := Divide(table.Columns[at], persons*most)
	if err != nil {
		return nil, nil, err
	}
	c.persons = persons
	columns := slices.Clone(table.Columns)
	c.Measure(columns[at], slices.DeleteFunc(slices.Clone(columns), func(by *anonymize.Column) bool {
		return by.Name == column || slices.Contains(hidden, by.Name)
	})...)
	columns[at] = c.Coarsen(columns[at])
	return &anonymize.Microdata{Columns: columns, Rows: table.Rows}, c, nil
}

// Published returns the classes as readers of a release know them.
func (c *Classes) Published() *Classes {
	if c == nil {
		return nil
	}
	return &Classes{Column: c.Column, Deviation: c.Deviation, Shared: c.Shared}
}

// Coarsen replaces every weight by the mean of its class.
func (c *Classes) Coarsen(of *anonymize.Column) *anonymize.Column {
	class := make([]uint32, len(of.Dictionary))
	for code, v := range of.Dictionary {
		weight, _ := v.Number()
		at, _ := slices.BinarySearch(c.Upper, weight)
		class[code] = uint32(at)
	}
	coarse := &anonymize.Column{Name: of.Name, Type: "double", Codes: anonymize.Gather(class, of.Codes)}
	for _, mean := range c.Mean {
		coarse.Dictionary = append(coarse.Dictionary, anonymize.RealValue(mean))
	}
	return coarse
}

// Fact says what replaces the weights. partial says that some records of the table are missing.
func (c *Classes) Fact(partial bool) anonymize.Fact {
	sums := "sums over all records are the table's"
	if partial {
		sums = "these are numbers of the whole table"
	}
	return anonymize.Fact{Name: "weight", Value: fmt.Sprintf("%s is published as %d classes of %d to %d records, each by its mean weight, %.6g to %.6g: %s. "+
		"A record's weight is off by %.2g %% (root mean square)", c.Column, len(c.Mean), c.Least, c.Greatest, c.Mean[0], c.Mean[len(c.Mean)-1], sums, 100*c.Error)}
}

// CheckLeft refuses classes of [Coarsen] that have too few persons after records were left out. units number the records' persons; nil if each is one.
func (c *Classes) CheckLeft(coarse *anonymize.Column, units []uint32) error {
	left := make([]int, len(coarse.Dictionary))
	seen := make(map[[2]uint32]bool)
	for row, class := range coarse.Codes {
		if units != nil {
			key := [2]uint32{class, units[row]}
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		left[class]++
	}
	for _, n := range left {
		if n > 0 && n < c.persons {
			return &anonymize.DataError{Reason: fmt.Sprintf("of one class of %s, persons of like weights, %d are left when records are left out, fewer than %d: "+
				"publish without the weight, or with all records", c.Column, n, c.persons)}
		}
	}
	return nil
}
