package demand

import (
	"fmt"
	"slices"
	"sync"

	"github.com/anonsql/anonsql/anonymize"
)

// A Demand is what is asked of the classes' values of one sensitive attribute. It may be used
// by several goroutines.
type Demand struct {
	attribute string
	asked     []asked
	total     []uint32 // records of the table by value
	rows      uint64
	values    int // that occur
	scratch   sync.Pool
}

// asked is one promise with its test.
type asked struct {
	promise anonymize.Promise
	admits  func(d *Demand, p *anonymize.Promise, count []uint32, m uint64) bool
}

var tests = map[string]func(d *Demand, p *anonymize.Promise, count []uint32, m uint64) bool{
	"distinct":               (*Demand).isDistinct,
	"entropy":                (*Demand).isEntropic,
	"recursive":              (*Demand).isRecursive,
	"t_equal":                (*Demand).isNearEqual,
	"t_ordered":              (*Demand).isNearOrdered,
	"t_hierarchical":         (*Demand).isNearHierarchical,
	"beta_likeness":          (*Demand).isLike,
	"enhanced_beta_likeness": (*Demand).isLikeEnhanced,
	"delta_disclosure":       (*Demand).isDisclosureBound,
}

// Of returns what an input asks of one of its sensitive attributes, nil for nothing. An
// error is an *anonymize.InfeasibleError where the table does not meet it as one class,
// else an *anonymize.DataError.
func Of(in *anonymize.Input, c *anonymize.Column) (*Demand, error) {
	d := &Demand{attribute: c.Name, total: make([]uint32, len(c.Dictionary)), rows: uint64(len(c.Codes))}
	for _, code := range c.Codes {
		d.total[code]++
	}
	for _, n := range d.total {
		if n > 0 {
			d.values++
		}
	}
	for _, p := range in.Asked {
		name, attributes, _ := anonymize.SplitAbout(p.Guarantee)
		test, known := tests[name]
		if !known || len(attributes) > 1 || len(attributes) == 1 && attributes[0] != c.Name {
			continue
		}
		if name == "t_ordered" && !c.IsNumeric() {
			continue // which the verification refuses
		}
		if name == "t_hierarchical" {
			var err error
			if p.Hierarchy, err = d.hierarchy(in, c); err != nil || p.Hierarchy == nil {
				return nil, err
			}
		}
		d.asked = append(d.asked, asked{p, test})
	}
	if len(d.asked) == 0 {
		return nil, nil
	}
	d.scratch.New = func() any { return d.newScratch() }
	return d, d.feasible()
}

// OfEach is [Of] of several attributes, nil if nothing is asked of any.
func OfEach(in *anonymize.Input, columns []*anonymize.Column) ([]*Demand, error) {
	var all []*Demand
	some := false
	for _, c := range columns {
		d, err := Of(in, c)
		if err != nil {
			return nil, err
		}
		all, some = append(all, d), some || d != nil
	}
	if !some {
		return nil, nil
	}
	return all, nil
}

// hierarchy is the taxonomy over the values that occur, nil without one.
func (d *Demand) hierarchy(in *anonymize.Input, c *anonymize.Column) (*anonymize.Hierarchy, error) {
	tree := in.Domain(c).Taxonomy
	if tree == nil {
		return nil, nil
	}
	var values []anonymize.Value
	for code, n := range d.total {
		if n > 0 {
			values = append(values, c.Dictionary[code])
		}
	}
	return anonymize.NewHierarchy(tree, values)
}

// feasible asks the demand of the whole table.
func (d *Demand) feasible() error {
	if float64(d.rows)*float64(d.rows)*float64(max(d.values, 2))*float64(d.greatestHeight()) > 1<<62 {
		return &anonymize.DataError{Reason: fmt.Sprintf("%d records of %d values of %s are too many to compare exactly", d.rows, d.values, d.attribute)}
	}
	for _, a := range d.asked {
		if a.admits(d, &a.promise, d.total, d.rows) {
			continue
		}
		most := slices.Max(d.total)
		return &anonymize.InfeasibleError{Parameter: a.promise.Guarantee, Given: a.promise.Bound,
			Obstacle: fmt.Sprintf("the table as one class breaks it, and every division has a class that does: %s has %d values, the most frequent one of %d of %d records",
				d.attribute, d.values, most, d.rows)}
	}
	return nil
}

func (d *Demand) greatestHeight() int {
	height := 1
	for _, a := range d.asked {
		if h := a.promise.Hierarchy; h != nil {
			height = max(height, h.Height[0])
		}
	}
	return height
}

// Admits reports whether m records may be a class, count of them having each value. A nil
// demand admits everything.
func (d *Demand) Admits(count []uint32, m int) bool {
	if d == nil {
		return true
	}
	for i := range d.asked {
		if a := &d.asked[i]; !a.admits(d, &a.promise, count, uint64(m)) {
			return false
		}
	}
	return true
}
