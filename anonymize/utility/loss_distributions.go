package utility

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// groupsPerLook is the number of groups between two checks of the context.
const groupsPerLook = 1 << 12

// An expectation adds up the expected number of records by value of a column. It is reused from
// group to group.
type expectation struct {
	mass   []float64 // by code; 0 outside values
	values []uint32  // those with mass, in order of occurrence
}

func newExpectation(c *anonymize.FragmentColumn) *expectation {
	return &expectation{mass: make([]float64, len(c.Dictionary))}
}

// add distributes the records of a tuple over the values of its cell.
func (e *expectation) add(c *anonymize.FragmentColumn, tuple uint32, records float64) {
	if c.IsPoint() {
		e.put(c.Codes[tuple], records)
		return
	}
	cell := &c.Cells[c.Codes[tuple]]
	for i, value := range cell.Members {
		e.put(value, records*cell.Weight(i))
	}
}

func (e *expectation) put(value uint32, mass float64) {
	if mass == 0 {
		return
	}
	if e.mass[value] == 0 {
		e.values = append(e.values, value)
	}
	e.mass[value] += mass
}

func (e *expectation) clear() {
	for _, value := range e.values {
		e.mass[value] = 0
	}
	e.values = e.values[:0]
}

// distributions are distributions of one column over sets of tuples: set i has mass[j] of value
// value[j] for j in start[i] .. start[i+1]-1, and records[i] in total.
type distributions struct {
	start   []uint32
	value   []uint32
	mass    []float64
	records []float64
}

// newDistributions computes the distributions of p's column over sets of its fragment's tuples.
func newDistributions(ctx context.Context, p published, sets *bucketization.Partition) (*distributions, error) {
	d := &distributions{start: make([]uint32, 1, sets.Groups()+1), records: make([]float64, sets.Groups())}
	e := newExpectation(p.column)
	for g := range sets.Groups() {
		if g%groupsPerLook == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, tuple := range sets.Records(g) {
			records := float64(p.fragment.Count[tuple])
			d.records[g] += records
			e.add(p.column, tuple, records)
		}
		for _, value := range e.values {
			d.value = append(d.value, value)
			d.mass = append(d.mass, e.mass[value])
		}
		d.start = append(d.start, uint32(len(d.value)))
		e.clear()
	}
	return d, nil
}

// distributionOf returns the values and masses of a set.
func (d *distributions) distributionOf(set uint32) (value []uint32, mass []float64) {
	first, end := d.start[set], d.start[set+1]
	return d.value[first:end], d.mass[first:end]
}

// groupsOf returns the groups of a fragment as sets of tuples.
func groupsOf(f *anonymize.Fragment) *bucketization.Partition {
	return &bucketization.Partition{Start: f.GroupStart, Member: anonymize.Indices(f.Tuples())}
}

// recoded returns the codes of a raw column in a release's dictionary of the same attribute;
// len(dictionary) for a value that it lacks.
func recoded(c *anonymize.Column, dictionary []anonymize.Value) []uint32 {
	if slices.Equal(c.Dictionary, dictionary) {
		return c.Codes
	}
	return anonymize.Gather(anonymize.Translate(c.Dictionary, dictionary, uint32(len(dictionary))), c.Codes)
}
