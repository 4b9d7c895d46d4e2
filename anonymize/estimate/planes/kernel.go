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

// joinCost is the approximate cost of the weighted join per record and touched fragment, in
// operations on words. A kernel with a greater cost is not used.
const joinCost = 16

// A kernel computes the weights of all combinations of classes of a question whose conditions,
// keys and arguments read one column of points each. Per fragment and class, programs over bit
// planes find the records of the class; adding up words counts them per group, 64 groups at a
// time. The bits of the counts give the sum over groups of prod_i(a_i):
//
//	sum_g prod_i a_i(g) = sum_{b_1..b_f} 2^(b_1+..+b_f) #{g : bit b_i of a_i(g) is 1 for all i}
//
// Groups of one size are added up as integers and divided by m^(f-1) once, so the answer does
// not depend on the order of summation or the number of cores.
type kernel struct {
	layout *layout
	// sides are in the order of probing: the fewest records first, so that most blocks are done
	// after one fragment.
	sides []*kernelSide
	// combinations is the number of combinations of classes.
	combinations int
	// weighs says that the weights of all combinations are wanted; boxes are wanted if not nil.
	weighs bool
	boxes  *figures.Boxes
	ranges bool // bounds of all combinations are wanted
}

type kernelSide struct {
	units []*kernelUnit
	// classes and stride number the classes as figures.Weights does.
	classes, stride int
	// counted lists the sets of classes to count: every single class, then the sets of boxes.
	counted [][]int
	// index is the position of the side among the question's.
	index int
	// records estimates the share of live records as if the columns were independent; it only
	// decides the order of probing.
	records float64
}

// A kernelUnit is a column, or several that are classified together, with the program that
// finds its classes.
type kernelUnit struct {
	columns []*planes
	program *program
}

// newKernel returns nil if the question does not fit or the weighted join is faster.
func (p *Store) newKernel(sides []*question.Side) *kernel {
	return p.newKernelWithin(sides, maxKernelClasses, joinCost)
}

// newKernelWithin is newKernel for at most that many combinations, against an alternative that
// costs otherCost operations per record and touched fragment.
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

// planKernel makes a kernel without planes, or returns a short reason why none fits.
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

// maxKernelClasses is the greatest number of combinations of classes, maxLookedAt of a column's
// classes times values: beyond these, the weighted join visits fewer, namely those that occur.
const (
	maxKernelClasses = 256
	maxLookedAt      = 1 << 18
)

// shapeReason returns why no kernel fits the sides, or "".
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

// unitBits returns the number of planes of all columns of u.
func unitBits(u *question.Unit, f *anonymize.Fragment) int {
	total := 0
	for _, c := range u.Columns {
		total += planeBits(f.Columns[c])
	}
	return total
}

// compileUnit returns the program of u's classes over the planes of its columns, the first
// column's lowest; nil if it would be too long.
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

// attachPlanes gives the programs their planes and estimates the share of the side's live
// records.
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

// cost estimates the number of operations on words per record.
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

// mayOverflow reports whether the sum over the groups of a size could exceed 63 bits; it is at
// most rows * m^(f-1).
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
