package planes

import (
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A program finds the records of every class of codes, 64 at a time. It is the binary decision
// diagram of the classes over the bits of the code, highest bit first: a node is one operation
// on a plane and on the results of its two branches. An interval of codes, which is what a
// comparison selects from an ascending dictionary, has at most two nodes per bit. A class per
// code has two nodes per class, because classes share the nodes of the low bits.
type program struct {
	planes int
	steps  []step
	// results has the vector of every class; a class of all codes or of none has a constant.
	results []operand
	// vectors is the number of vectors: planes first, then registers.
	vectors int
}

// An operand is the number of a vector, or a constant.
type operand int32

const (
	noCode   operand = -1
	allCodes operand = -2
	anyCodes operand = -3 // while compiling: codes that do not occur
)

// absentClass is the class of codes that do not occur: those between a column's last code and
// the next power of two, if several columns are classified together.
const absentClass = question.Dead - 1

// A step computes vector out from a plane: zero is the result where the plane's bit is 0, one
// where it is 1.
type step struct {
	out, plane, zero, one operand
}

// maxSteps is the greatest length of a program; beyond it, a look-up per record is faster.
const maxSteps = joinCost * lanes

// A compiler builds one program.
type compiler struct {
	program
	classOf []uint32
	class   uint32 // to find
	known   map[step]operand
}

// compile returns the program of the classes 0 .. classes-1 over the planes of codes 0 ..
// len(classOf)-1; nil if it would be too long.
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

// root returns the result for all codes.
func (c *compiler) root() operand {
	if result := c.node(c.planes, 0); result != anyCodes {
		return result
	}
	return noCode
}

// node returns the result for the codes first .. first+2^height-1. Codes beyond the dictionary
// do not occur, so a branch with only such codes takes its sibling's result.
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

// shareRegisters reuses registers that are no longer read, so that few are in use and stay in
// the cache. Before it, every step has its own register.
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

// lastUses returns, by step, the last step that reads its result; one past the end for results
// of the program.
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

// run computes the results over vectors of equal length: the planes, then the registers. A step
// may overwrite a register that no later step reads.
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

// choose takes the bits of zero where plane has 0, and of one where it has 1.
func choose(out, plane, zero, one []uint64) {
	plane, zero, one = plane[:len(out)], zero[:len(out)], one[:len(out)]
	for i := range out {
		out[i] = zero[i] ^ plane[i]&(zero[i]^one[i])
	}
}
