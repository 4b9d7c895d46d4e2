package mondrian

import (
	"math"
	"slices"
)

const (
	// passes over the classes of a block, at most.
	passes = 2
	// swapPartners is the number of classes that a record is swapped with.
	swapPartners = 4
	// maxExchanged is the greatest class that exchanges records: counting its sensitive
	// values takes a look at all of them.
	maxExchanged = 2 * maxGrown
	// rounding is more than what the rounding of penalties makes.
	rounding = 1e-4
	// minSaving is the least loss that an exchange must save, above what rounding makes.
	minSaving = 1e-4
)

// exchange moves records to other classes of the block, and swaps them, while the loss
// falls and both classes meet the condition.
func (c *classes) exchange() {
	for range passes {
		changed := false
		for class := range c.of {
			if c.ctx.Err() != nil {
				return
			}
			changed = c.improve(class) || changed
		}
		if !changed {
			return
		}
	}
}

// improve gives each record of a class one chance.
func (c *classes) improve(class int) (changed bool) {
	if len(c.of[class]) > maxExchanged {
		return false
	}
	for _, item := range slices.Clone(c.of[class]) {
		if c.penalty[class] == 0 || len(c.of[class]) < 2 {
			return changed
		}
		changed = c.place(class, item) || changed
	}
	return changed
}

// An option is what an exchange would save: out goes to a class, and in comes from there,
// or nobody.
type option struct {
	saves float32
	class int
	in    uint32
}

// place moves an item of a class elsewhere, or swaps it, if that saves anything.
func (c *classes) place(class int, out uint32) bool {
	size := float32(len(c.of[class]))
	without := c.penaltyWithout(class, out)
	saved := size*c.penalty[class] - (size-1)*without
	if c.penalty[class]-without < 1e-6 {
		return false
	}
	best := option{saves: minSaving, class: -1, in: noItem}
	near := c.nearestClasses(class, out, saved, &best)
	for _, n := range near {
		if n.class >= 0 {
			c.swap(class, out, without, n.class, &best)
		}
	}
	if best.class < 0 {
		return false
	}
	c.apply(class, out, best)
	return true
}

// A neighbour is a class with what it would lose with the item.
type neighbour struct {
	class   int
	penalty float32 // more than now
}

// nearestClasses finds the classes that lose least by an item, and the best move to any of all.
func (c *classes) nearestClasses(class int, out uint32, saved float32, best *option) (near [swapPartners]neighbour) {
	for i := range near {
		near[i] = neighbour{-1, math.MaxFloat32}
	}
	leaves := c.allows(class, out, noItem)
	for other, of := range c.of {
		if other == class || len(of) == 0 || len(of) > maxExchanged {
			continue
		}
		size := float32(len(of))
		limit := max(c.penalty[other]+near[swapPartners-1].penalty, (saved-best.saves+size*c.penalty[other])/(size+1)) + rounding
		with := c.penaltyWith(other, out, limit)
		if with > limit {
			continue // neither near nor worth a move
		}
		if more := (neighbour{other, with - c.penalty[other]}); more.penalty < near[swapPartners-1].penalty {
			for i := range near {
				if more.penalty < near[i].penalty {
					near[i], more = more, near[i]
				}
			}
		}
		if saves := saved - (size+1)*with + size*c.penalty[other]; leaves && saves > best.saves && c.allows(other, noItem, out) {
			*best = option{saves, other, noItem}
		}
	}
	return near
}

// swap looks for the item of another class that is best swapped for out. without is the
// penalty of class without out, which no item makes less.
func (c *classes) swap(class int, out uint32, without float32, other int, best *option) {
	size, others := float32(len(c.of[class])), float32(len(c.of[other]))
	now := size*c.penalty[class] + others*c.penalty[other]
	if now-size*without <= best.saves {
		return
	}
	for _, in := range c.of[other] {
		here := now - size*c.swappedHere(class, out, in)
		if here <= best.saves {
			continue
		}
		if saves := here - others*c.swapped(other, in, out); saves > best.saves && c.allows(class, out, in) && c.allows(other, in, out) {
			*best = option{saves, other, in}
		}
	}
}

// apply does what an option says.
func (c *classes) apply(class int, out uint32, o option) {
	c.of[class] = slices.DeleteFunc(c.of[class], func(item uint32) bool { return item == out })
	if o.in != noItem {
		c.of[class] = append(c.of[class], o.in)
		c.of[o.class] = slices.DeleteFunc(c.of[o.class], func(item uint32) bool { return item == o.in })
	}
	c.of[o.class] = append(c.of[o.class], out)
	c.measure(class)
	c.measure(o.class)
}

// adopt puts an item that is in no class into the one that loses least by it. Where none
// may take it, that one takes whole classes until it may: all of the block together may.
func (c *classes) adopt(item uint32) {
	best, nearest := -1, -1
	loses, least := float32(math.MaxFloat32), float32(math.MaxFloat32)
	for class, of := range c.of {
		if len(of) == 0 {
			continue
		}
		size := float32(len(of))
		more := (size+1)*c.penaltyWith(class, item, math.MaxFloat32) - size*c.penalty[class]
		if more < least {
			nearest, least = class, more
		}
		if more < loses && c.allows(class, noItem, item) {
			best, loses = class, more
		}
	}
	if best < 0 {
		best = nearest
		for other := range c.of {
			if c.allows(best, noItem, item) {
				break
			}
			if other != best {
				c.of[best], c.of[other] = append(c.of[best], c.of[other]...), nil
				c.measure(best)
			}
		}
	}
	c.of[best] = append(c.of[best], item)
	c.measure(best)
}
