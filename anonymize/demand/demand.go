package demand

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/anonsql/anonsql/anonymize"
)

// A Demand is the requirements on the classes' values of one sensitive attribute. It is safe
// for concurrent use.
type Demand struct {
	attribute string
	asked     []asked
	total     []uint32 // records of the table by value
	rows      uint64
	values    []uint32  // occurring ones, ascending
	logarithm []float64 // -ln p, by value
	// reach and isNumber, by value, serve range: see reaches.
	reach    []uint32
	isNumber []bool
	close    *anonymize.Closeness // for l_threshold or l_sets
	scratch  sync.Pool
}

// A class is the subject of a test.
type class struct {
	count  []uint32 // by value
	values []uint32 // at least those with a count, unsorted
	m      uint64   // records
}

// asked is one promise with its test.
type asked struct {
	promise anonymize.Promise
	test
}

// A test implements one kind of promise.
type test struct {
	// admits decides exactly whether the class keeps the promise.
	admits func(d *Demand, p *anonymize.Promise, c class) bool
	// lacks measures the violation: for shares, the share of records in excess; else a number
	// from 0 to 1 for the worst.
	lacks func(d *Demand, p *anonymize.Promise, c class) float64
}

var tests = map[string]test{
	"size":                   {(*Demand).isLarge, (*Demand).lacksRecords},
	"distinct":               {(*Demand).isDistinct, (*Demand).lacksDistinct},
	"entropy":                {(*Demand).isEntropic, (*Demand).lacksEntropy},
	"recursive":              {(*Demand).isRecursive, (*Demand).lacksTail},
	"t_equal":                {(*Demand).isNearEqual, (*Demand).lacksNearness},
	"t_ordered":              {(*Demand).isNearOrdered, (*Demand).lacksNearness},
	"t_hierarchical":         {(*Demand).isNearHierarchical, (*Demand).lacksNearness},
	"beta_likeness":          {(*Demand).isLike, (*Demand).lacksLikeness},
	"enhanced_beta_likeness": {(*Demand).isLikeEnhanced, (*Demand).lacksLikenessEnhanced},
	"delta_disclosure":       {(*Demand).isDisclosureBound, (*Demand).lacksDisclosure},
	anonymize.LThreshold:     {(*Demand).isCloseBound, (*Demand).lacksCloseness},
	anonymize.LSets:          {(*Demand).isCloseBound, (*Demand).lacksCloseness},
	"range":                  {(*Demand).isWide, (*Demand).lacksRange},
}

// ForAttribute returns an input's requirements on one of its sensitive attributes, nil for
// none. The error is an *anonymize.InfeasibleError if the table as one class violates them,
// else an *anonymize.DataError.
func ForAttribute(in *anonymize.Input, c *anonymize.Column) (*Demand, error) {
	d := &Demand{attribute: c.Name, total: make([]uint32, len(c.Dictionary)), rows: uint64(len(c.Codes))}
	for _, code := range c.Codes {
		d.total[code]++
	}
	d.logarithm = make([]float64, len(d.total))
	for v, n := range d.total {
		if n > 0 {
			d.values = append(d.values, uint32(v))
			d.logarithm[v] = math.Log(float64(d.rows) / float64(n))
		}
	}
	for _, p := range in.Asked {
		name, attributes, _ := anonymize.SplitAbout(p.Guarantee)
		test, known := tests[name]
		if !known || len(attributes) > 1 || len(attributes) == 1 && attributes[0] != c.Name {
			continue
		}
		if (name == "t_ordered" || name == "range" || name == anonymize.LThreshold) && !c.IsNumeric() {
			continue // verification refuses it
		}
		if name == "range" {
			d.isNumber = make([]bool, len(c.Dictionary))
			for code, v := range c.Dictionary {
				d.isNumber[code] = !v.IsNull()
			}
			numbers := d.values
			if len(numbers) > 0 && !d.isNumber[numbers[0]] { // NULL sorts first
				numbers = numbers[1:]
			}
			d.reach = reaches(&p, numbers, c.Dictionary)
		}
		if name == anonymize.LThreshold || name == anonymize.LSets {
			if d.close = p.Closeness(c.Dictionary); d.close == nil {
				continue // as above
			}
		}
		if name == "t_hierarchical" {
			var err error
			if p.Hierarchy, err = d.hierarchy(in, c); err != nil {
				return nil, err
			}
			if p.Hierarchy == nil {
				continue // as above
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

// OfEach is [ForAttribute] for several attributes, nil without any requirement.
func OfEach(in *anonymize.Input, columns []*anonymize.Column) ([]*Demand, error) {
	var all []*Demand
	some := false
	for _, c := range columns {
		d, err := ForAttribute(in, c)
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

// hierarchy returns the taxonomy over the occurring values, nil for none.
func (d *Demand) hierarchy(in *anonymize.Input, c *anonymize.Column) (*anonymize.Hierarchy, error) {
	tree := in.Domain(c).Taxonomy
	if tree == nil {
		return nil, nil
	}
	return anonymize.NewHierarchy(tree, anonymize.Gather(c.Dictionary, d.values))
}

// feasible tests the demand on the whole table.
func (d *Demand) feasible() error {
	if float64(d.rows)*float64(d.rows)*float64(d.width()) > 1<<62 {
		return &anonymize.DataError{Reason: fmt.Sprintf("%d records of %d values of %s are too many to compare exactly", d.rows, len(d.values), d.attribute)}
	}
	table := class{d.total, d.values, d.rows}
	for i := range d.asked {
		a := &d.asked[i]
		if a.admits(d, &a.promise, table) {
			continue
		}
		infeasible := &anonymize.InfeasibleError{Parameter: a.promise.Guarantee, Given: a.promise.Bound, Obstacle: d.obstacle(&a.promise)}
		infeasible.Largest, infeasible.Smallest = d.bestDiversity(&a.promise, table)
		return infeasible
	}
	return nil
}

// obstacle explains why the table as one class violates a promise.
func (d *Demand) obstacle(p *anonymize.Promise) string {
	if p.Guarantee == "size" {
		return fmt.Sprintf("the table has %d records", d.rows)
	}
	if name, _, _ := anonymize.SplitAbout(p.Guarantee); name == "range" {
		return fmt.Sprintf("the numbers of %s in the whole table span less", d.attribute)
	}
	return fmt.Sprintf("the table as one class breaks it, and every division has a class that does: %s has %d values, the most frequent one of %d of %d records",
		d.attribute, len(d.values), slices.Max(d.total), d.rows)
}

// width returns the factor by which sums exceed records times records.
func (d *Demand) width() int {
	width := 2
	for _, a := range d.asked {
		name, _, _ := anonymize.SplitAbout(a.promise.Guarantee)
		if h := a.promise.Hierarchy; h != nil {
			width = max(width, h.Height[0])
		}
		if name == "t_ordered" {
			width = max(width, len(d.values))
		}
	}
	return width
}

// Admits reports whether m records may be a class, where count[v] of them have value v; values lists at least those
// with a count. A nil demand admits everything. Only t_ordered and t_hierarchical examine more values of the table.
func (d *Demand) Admits(count, values []uint32, m int) bool {
	if d == nil {
		return true
	}
	return d.admits(class{count, values, uint64(m)})
}

func (d *Demand) admits(c class) bool {
	for i := range d.asked {
		if a := &d.asked[i]; !a.admits(d, &a.promise, c) {
			return false
		}
	}
	return true
}
