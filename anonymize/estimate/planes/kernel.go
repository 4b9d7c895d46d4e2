package planes

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// joinCost is about what the weighted join costs per record and touched
// fragment, in operations on words: a kernel whose own cost is above leaves the
// question to it.
const joinCost = 16

// A kernel computes the weights of all combinations of classes of a question
// whose conditions, keys and arguments read one column of points each. Per
// fragment and class it finds the records of the class by programs over bit
// planes, counts them per group by adding up words, 64 groups at a time, and
// gets the sum over groups of prod_i(a_i) from the bits of the counts:
//
//	sum_g prod_i a_i(g) = sum_{b_1..b_f} 2^(b_1+..+b_f) #{g : bit b_i of a_i(g) is 1 for all i}
//
// Groups of one size are added up as integers and divided by m^(f-1) once, so
// that no order of summation and no number of cores can change the answer.
type kernel struct {
	layout *layout
	// sides are in the order in which they are probed: the fewest records
	// first, so that most blocks are left after one fragment.
	sides []*kernelSide
	// combinations is the number of combinations of classes.
	combinations int
	// weighs says that the weights of all combinations are asked; boxes is not
	// nil when more is.
	weighs bool
	boxes  *figures.Boxes
	ranges bool // of all combinations, one class by one class
}

type kernelSide struct {
	units []*kernelUnit
	// classes and stride number the classes as weights does.
	classes, stride int
	// counted lists the sets of classes whose records are counted: every class
	// by itself, then what boxes ask.
	counted [][]int
	// index is the side's position among those of the question.
	index int
	// records is the share of records that are alive, were the columns
	// independent: only for the order of probing.
	records float64
}

// A kernelUnit is a column, or several that are looked at together, with the
// program that finds its classes.
type kernelUnit struct {
	columns []*planes
	program *program
}

// newKernel returns nil when the question is not of the kernel's kind or would
// be slower.
func (p *Store) newKernel(sides []*question.Side) *kernel {
	return p.newKernelWithin(sides, maxKernelClasses, joinCost)
}

// newKernelWithin is newKernel for a given number of combinations, and where the
// other way costs so many operations per record and touched fragment.
func (p *Store) newKernelWithin(sides []*question.Side, combinations, otherCost int) *kernel {
	k, reason := p.planKernel(sides, combinations, otherCost)
	if reason != "" {
		return nil
	}
	for i, s := range sides {
		p.attachPlanes(k.sides[i], s)
	}
	slices.SortStableFunc(k.sides, func(a, b *kernelSide) int { return cmp.Compare(a.records, b.records) })
	return k
}

// planKernel makes a kernel without planes, or says in a few words why none
// fits.
func (p *Store) planKernel(sides []*question.Side, combinations, otherCost int) (k *kernel, reason string) {
	if p.Layout == nil {
		return nil, "the groups are too few, too large or too uneven for a kernel"
	}
	if reason := shapeReason(sides, combinations); reason != "" {
		return nil, reason
	}
	k = &kernel{layout: p.Layout, combinations: 1, weighs: true}
	for i, s := range sides {
		side := &kernelSide{classes: s.Classes, stride: k.combinations, index: i}
		k.combinations *= s.Classes
		for _, u := range s.Units {
			program := compileUnit(u, s.Fragment)
			if program == nil {
				return nil, "a condition or key of fragment " + s.Fragment.Name + " is too long a program"
			}
			side.units = append(side.units, &kernelUnit{program: program})
		}
		for class := range s.Classes {
			side.counted = append(side.counted, []int{class})
		}
		k.sides = append(k.sides, side)
	}
	switch {
	case k.mayOverflow():
		return nil, "the sums may leave 63 bits"
	case k.cost() > float64(otherCost*len(sides)):
		return nil, "a kernel would need more operations"
	}
	return k, ""
}

// maxKernelClasses bounds the combinations of classes, and maxLookedAt the
// classes of a column times its values: beyond, the weighted join looks at
// fewer, those that occur.
const (
	maxKernelClasses = 256
	maxLookedAt      = 1 << 18
)

// shapeReason says what of the sides keeps a kernel from them, or nothing.
func shapeReason(sides []*question.Side, most int) string {
	combinations := 1
	for _, s := range sides {
		if !s.Point {
			return "cells of fragment " + s.Fragment.Name + " stand for several values"
		}
		if combinations *= s.Classes; combinations > most {
			return "too many combinations of keys, arguments and values for a kernel"
		}
		for _, u := range s.Units {
			if u.Radix == nil || u.Classes<<unitBits(u, s.Fragment) > 2*maxLookedAt {
				return fmt.Sprintf("an expression over %d columns of fragment %s has too many values for a kernel", len(u.Columns), s.Fragment.Name)
			}
			if len(u.ClassOf) == 0 {
				return "fragment " + s.Fragment.Name + " has no values"
			}
		}
	}
	return ""
}

// unitBits is the number of planes of all columns of u.
func unitBits(u *question.Unit, f *anonymize.Fragment) int {
	total := 0
	for _, c := range u.Columns {
		total += planeBits(f.Columns[c])
	}
	return total
}

// compileUnit returns the program of u's classes over the planes of its columns, the
// first column's lowest; nil when it would be too long.
func compileUnit(u *question.Unit, f *anonymize.Fragment) *program {
	if len(u.Columns) == 1 {
		return compile(u.ClassOf, u.Classes, planeBits(f.Columns[u.Columns[0]]))
	}
	padded := make([]uint32, 1<<unitBits(u, f))
	for i := range padded {
		padded[i] = absentClass
	}
	for code, class := range u.ClassOf {
		at, shift := 0, 0
		for i, c := range u.Columns {
			at |= code % u.Radix[i] << shift
			code /= u.Radix[i]
			shift += planeBits(f.Columns[c])
		}
		padded[at] = class
	}
	return compile(padded, u.Classes, unitBits(u, f))
}

// attachPlanes gives the programs their planes and estimates how many records
// the side leaves.
func (p *Store) attachPlanes(k *kernelSide, s *question.Side) {
	fragment := slices.Index(p.release.Fragments, s.Fragment)
	k.records = 1
	for i, u := range s.Units {
		for _, c := range u.Columns {
			k.units[i].columns = append(k.units[i].columns, p.PlanesOf(fragment, c))
		}
		alive, rows := 0.0, float64(max(1, p.release.Rows))
		for code, class := range u.ClassOf {
			if class == question.Dead {
				continue
			}
			share := 1.0
			for j, planes := range k.units[i].columns {
				share *= float64(planes.records[code%u.Radix[j]]) / rows
				code /= u.Radix[j]
			}
			alive += share
		}
		k.records *= alive
	}
}

// cost is the number of operations on words per record, about.
func (k *kernel) cost() float64 {
	height := float64(k.layout.blockStart[k.layout.blocks()]) / float64(max(1, k.layout.blocks()))
	perWord, perBlock := 0.0, 4.0
	for _, s := range k.sides {
		for _, u := range s.units {
			perWord += float64(len(u.program.steps))
		}
		perWord += float64(s.classes * (len(s.units) + 5))
		// Of the bits of a count those are 0 that its class seldom reaches.
		perBlock *= float64(s.classes * min(bits.Len(uint(height)), bits.Len(uint(height)/uint(s.classes))+1))
	}
	return (perWord + perBlock/max(1, height)) / lanes
}

// mayOverflow reports whether the sum over the groups of a size could leave
// 63 bits: it is at most rows * m^(f-1).
func (k *kernel) mayOverflow() bool {
	l := k.layout
	if len(l.sizes) == 0 {
		return false
	}
	width := bits.Len(uint(l.groups))
	for range k.sides {
		width += bits.Len(uint(l.sizes[len(l.sizes)-1]))
	}
	return width > 63
}
