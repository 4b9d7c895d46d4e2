package planes

import (
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A program finds the records of every class of codes, 64 at a time. It is the
// binary decision diagram of the classes over the bits of the code, the highest
// first: a node is one operation on a plane and on the results of its two
// branches. An interval of codes, which is what comparisons select from an
// ascending dictionary, has at most two nodes per bit; a class per code has two
// nodes per class, because what is decided by the low bits is shared.
type program struct {
	planes int
	steps  []step
	// results has the vector of every class. A class of all codes or of none
	// has a constant.
	results []operand
	// vectors is the number of vectors: planes first, then registers.
	vectors int
}

// An operand is the number of a vector, or a constant.
type operand int32

const (
	noCode   operand = -1
	allCodes operand = -2
	anyCodes operand = -3 // while compiling: of codes that do not occur
)

// absentClass is the class of codes that do not occur: those between the last code
// of a column and the next power of two, where columns are looked at together.
const absentClass = question.Dead - 1

// A step computes vector out from a plane: zero and one are the results where
// its bit is 0 and 1.
type step struct {
	out, plane, zero, one operand
}

// maxSteps bounds a program: beyond, a look-up per record is faster.
const maxSteps = joinCost * lanes

// A compiler builds one program.
type compiler struct {
	program
	classOf []uint32
	class   uint32 // the one that is looked for
	known   map[step]operand
}

// compile returns the program of the classes 0 .. classes-1 over the planes of
// codes 0 .. len(classOf)-1, nil when it would be too long.
func compile(classOf []uint32, classes, planes int) *program {
	c := &compiler{program: program{planes: planes}, classOf: classOf, known: make(map[step]operand)}
	for class := range classes {
		c.class = uint32(class)
		c.results = append(c.results, c.root())
	}
	if len(c.steps) > maxSteps {
		return nil
	}
	c.shareRegisters()
	return &c.program
}

// root is the result for all codes.
func (c *compiler) root() operand {
	if result := c.node(c.planes, 0); result != anyCodes {
		return result
	}
	return noCode
}

// node returns the result for the codes first .. first+2^height-1. Codes beyond
// the dictionary do not occur: a branch of nothing else is like its sibling.
func (c *compiler) node(height, first int) operand {
	if height == 0 {
		switch c.classOf[first] {
		case c.class:
			return allCodes
		case absentClass:
			return anyCodes
		}
		return noCode
	}
	height--
	middle := first + 1<<height
	zero := c.node(height, first)
	if middle >= len(c.classOf) || len(c.steps) > maxSteps {
		return zero
	}
	one := c.node(height, middle)
	switch {
	case zero == one || one == anyCodes:
		return zero
	case zero == anyCodes:
		return one
	case zero == noCode && one == allCodes:
		return operand(height)
	}
	s := step{plane: operand(height), zero: zero, one: one}
	out, ok := c.known[s]
	if !ok {
		out = operand(c.planes + len(c.steps))
		c.known[s] = out
		s.out = out
		c.steps = append(c.steps, s)
	}
	return out
}

// shareRegisters lets a step write where nobody reads any more, so that the few
// registers in use stay near. Before, every step has a register of its own.
func (c *compiler) shareRegisters() {
	lastUse := c.lastUses()
	register := make([]operand, len(c.steps))
	renamed := func(o operand) operand {
		if int(o) < c.planes {
			return o
		}
		return register[int(o)-c.planes]
	}
	var free []operand
	c.vectors = c.planes
	for i := range c.steps {
		s := &c.steps[i]
		for k, o := range [2]operand{s.zero, s.one} {
			if int(o) >= c.planes && lastUse[int(o)-c.planes] == i && (k == 0 || o != s.zero) {
				free = append(free, renamed(o))
			}
		}
		if len(free) == 0 {
			free = append(free, operand(c.vectors))
			c.vectors++
		}
		register[i] = free[len(free)-1]
		free = free[:len(free)-1]
		s.zero, s.one, s.out = renamed(s.zero), renamed(s.one), register[i]
	}
	for i, o := range c.results {
		c.results[i] = renamed(o)
	}
}

// lastUses returns, by step, the last step that reads what it writes; one past
// the end for results.
func (c *compiler) lastUses() []int {
	lastUse := make([]int, len(c.steps))
	use := func(o operand, step int) {
		if int(o) >= c.planes {
			lastUse[int(o)-c.planes] = step
		}
	}
	for i, s := range c.steps {
		use(s.zero, i)
		use(s.one, i)
	}
	for _, o := range c.results {
		use(o, len(c.steps))
	}
	return lastUse
}

// run computes the results over vectors of one length: the planes, then
// registers. A register may be overwritten by the step that reads it last.
func (p *program) run(vectors [][]uint64) {
	for _, s := range p.steps {
		out, plane := vectors[s.out], vectors[s.plane]
		switch {
		case s.zero == noCode:
			andWords(out, plane, vectors[s.one])
		case s.zero == allCodes && s.one == noCode:
			notWords(out, plane)
		case s.zero == allCodes:
			orNot(out, vectors[s.one], plane)
		case s.one == noCode:
			andNot(out, vectors[s.zero], plane)
		case s.one == allCodes:
			orWords(out, plane, vectors[s.zero])
		default:
			choose(out, plane, vectors[s.zero], vectors[s.one])
		}
	}
}

func andWords(out, a, b []uint64) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] & b[i]
	}
}

func andNot(out, a, b []uint64) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] &^ b[i]
	}
}

func orWords(out, a, b []uint64) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] | b[i]
	}
}

func orNot(out, a, b []uint64) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] | ^b[i]
	}
}

func notWords(out, a []uint64) {
	a = a[:len(out)]
	for i := range out {
		out[i] = ^a[i]
	}
}

// choose takes the bits of zero where plane has 0, those of one where it has 1.
func choose(out, plane, zero, one []uint64) {
	plane, zero, one = plane[:len(out)], zero[:len(out)], one[:len(out)]
	for i := range out {
		out[i] = zero[i] ^ plane[i]&(zero[i]^one[i])
	}
}
