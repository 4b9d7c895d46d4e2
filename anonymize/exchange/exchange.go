// Package exchange lets classes exchange items while that makes them lose less: a local search that moves an item to another class, or swaps
// two, after the exchange algorithm of
//
//	H. Späth: Computational experiences with the exchange method. European Journal of Operational Research 1, 1977
//
// The caller says what a class loses and what it must keep ([Costs]). The search decides what is tried, and in which order: an item
// is compared with every class, by a bound of what it may lose there, and swapped with items of the nearest few.
package exchange

import (
	"context"
	"math"
	"slices"
)

const (
	// passes over the classes, at most.
	passes = 2
	// swapPartners is the number of classes that an item is swapped with.
	swapPartners = 4
	// maxItems is the greatest class that exchanges items: a look at their sensitive values takes longer with each.
	maxItems = 512
	// rounding is more than what the rounding of penalties makes, of a record.
	rounding = 1e-4
	// minPenalty is the least part of a record's loss for which an item is tried elsewhere.
	minPenalty = 1e-6
)

// Nobody is no item.
const Nobody = ^uint32(0)

// Costs are what classes lose and must keep. Penalties are of a record; items stand for one record or more.
type Costs interface {
	// Measure makes the figures of a class anew and returns its records and its penalty.
	Measure(class int, items []uint32) (size, penalty float32)
	// Records are those of an item.
	Records(item uint32) float32
	// PenaltyWith is the penalty of a class with an item more; of more than limit, any number above.
	PenaltyWith(class int, in uint32, limit float32) float32
	// PenaltyWithout is the penalty of a class of several items without one of them.
	PenaltyWithout(class int, out uint32) float32
	// Swapped is the penalty of a class with one item in the place of another. SwappedHere is that of the class and the item that
	// PenaltyWithout was asked of last.
	Swapped(class int, out, in uint32) float32
	SwappedHere(class int, out, in uint32) float32
	// Allows reports whether a class without one item and with another, either of which may be [Nobody], keeps what is asked.
	Allows(class int, out, in uint32) bool
}

// Classes are the items of each class, how many records these are, and what one of them loses.
type Classes struct {
	Of            [][]uint32
	size, Penalty []float32
	costs         Costs
}

// New measures classes.
func New(of [][]uint32, costs Costs) *Classes {
	c := &Classes{Of: of, size: make([]float32, len(of)), Penalty: make([]float32, len(of)), costs: costs}
	for class := range of {
		c.measure(class)
	}
	return c
}

func (c *Classes) measure(class int) {
	c.size[class], c.Penalty[class] = c.costs.Measure(class, c.Of[class])
}

// NonEmpty are the classes that have items.
func (c *Classes) NonEmpty() [][]uint32 {
	return slices.DeleteFunc(c.Of, func(items []uint32) bool { return len(items) == 0 })
}

// Nearest is the class that loses least by an item, of those that may take it where that is asked; -1 for none.
func (c *Classes) Nearest(item uint32, asked bool) (best int) {
	best, least := -1, float32(math.MaxFloat32)
	for class, of := range c.Of {
		if len(of) == 0 {
			continue
		}
		size := c.size[class]
		more := (size+c.costs.Records(item))*c.costs.PenaltyWith(class, item, math.MaxFloat32) - size*c.Penalty[class]
		if more < least && (!asked || c.costs.Allows(class, Nobody, item)) {
			best, least = class, more
		}
	}
	return best
}

// Join puts an item into a class.
func (c *Classes) Join(class int, item uint32) {
	c.Of[class] = append(c.Of[class], item)
	c.measure(class)
}

// Unite gives a class all items of another one.
func (c *Classes) Unite(class, other int) {
	c.Of[class], c.Of[other] = append(c.Of[class], c.Of[other]...), nil
	c.measure(class)
	c.measure(other)
}

// A search is an exchange that is under way.
type search struct {
	*Classes
	minSaving float32
}

// Exchange moves items to other classes, and swaps them, while each time saves more than minSaving, in records times penalties, which is
// above what rounding makes. It stops when ctx ends.
func (c *Classes) Exchange(ctx context.Context, minSaving float32) {
	s := &search{c, minSaving}
	for range passes {
		changed := false
		for class := range c.Of {
			if ctx.Err() != nil {
				return
			}
			changed = s.improve(class) || changed
		}
		if !changed {
			return
		}
	}
}

// improve gives each item of a class one chance.
func (s *search) improve(class int) (changed bool) {
	if len(s.Of[class]) > maxItems {
		return false
	}
	for _, item := range slices.Clone(s.Of[class]) {
		if s.Penalty[class] == 0 || len(s.Of[class]) < 2 {
			return changed
		}
		changed = s.place(class, item) || changed
	}
	return changed
}

// An option is what an exchange would save: an item goes to a class, and in comes from there, or nobody.
type option struct {
	saves float32
	class int
	in    uint32
}

// place moves an item of a class elsewhere, or swaps it, if that saves anything.
func (s *search) place(class int, out uint32) bool {
	without := s.costs.PenaltyWithout(class, out)
	if s.Penalty[class]-without < minPenalty {
		return false
	}
	size := s.size[class]
	best := option{saves: s.minSaving, class: -1, in: Nobody}
	for _, n := range s.nearest(class, out, size*s.Penalty[class]-(size-s.costs.Records(out))*without, &best) {
		if n.class >= 0 {
			s.swap(class, out, without, n.class, &best)
		}
	}
	if best.class < 0 {
		return false
	}
	s.apply(class, out, best)
	return true
}

// A neighbour is a class with what a record of it would lose more with the item.
type neighbour struct {
	class   int
	penalty float32
}

// nearest finds the classes that lose least by an item, and the best move to any of all; saved is what its class loses less.
func (s *search) nearest(class int, out uint32, saved float32, best *option) (near [swapPartners]neighbour) {
	for i := range near {
		near[i] = neighbour{-1, math.MaxFloat32}
	}
	leaves, more := s.costs.Allows(class, out, Nobody), s.costs.Records(out)
	for other, of := range s.Of {
		if other == class || len(of) == 0 || len(of) > maxItems {
			continue
		}
		size := s.size[other]
		limit := max(s.Penalty[other]+near[swapPartners-1].penalty, (saved-best.saves+size*s.Penalty[other])/(size+more)) + rounding
		with := s.costs.PenaltyWith(other, out, limit)
		if with > limit {
			continue // neither near nor worth a move
		}
		if n := (neighbour{other, with - s.Penalty[other]}); n.penalty < near[swapPartners-1].penalty {
			for i := range near {
				if n.penalty < near[i].penalty {
					near[i], n = n, near[i]
				}
			}
		}
		if saves := saved - (size+more)*with + size*s.Penalty[other]; leaves && saves > best.saves && s.costs.Allows(other, Nobody, out) {
			*best = option{saves, other, Nobody}
		}
	}
	return near
}

// swap looks for the item of another class that is best swapped for out. without is the penalty of class without out, which no item makes
// less.
func (s *search) swap(class int, out uint32, without float32, other int, best *option) {
	size, others, records := s.size[class], s.size[other], s.costs.Records(out)
	now := size*s.Penalty[class] + others*s.Penalty[other]
	if now-(size-records+1)*without <= best.saves {
		return
	}
	for _, in := range s.Of[other] {
		more := s.costs.Records(in) - records // of class, and less of the other one
		here := now - (size+more)*s.costs.SwappedHere(class, out, in)
		if here <= best.saves {
			continue
		}
		saves := here - (others-more)*s.costs.Swapped(other, in, out)
		if saves > best.saves && s.costs.Allows(class, out, in) && s.costs.Allows(other, in, out) {
			*best = option{saves, other, in}
		}
	}
}

// apply does what an option says.
func (s *search) apply(class int, out uint32, o option) {
	s.Of[class] = slices.DeleteFunc(s.Of[class], func(item uint32) bool { return item == out })
	if o.in != Nobody {
		s.Of[class] = append(s.Of[class], o.in)
		s.Of[o.class] = slices.DeleteFunc(s.Of[o.class], func(item uint32) bool { return item == o.in })
	}
	s.Of[o.class] = append(s.Of[o.class], out)
	s.measure(class)
	s.measure(o.class)
}
