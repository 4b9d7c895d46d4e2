// Package exchange improves classes by exchanging items: a local search that moves an item to
// another class, or swaps two, after the exchange algorithm of
//
//	H. Späth: Computational experiences with the exchange method. European Journal of Operational Research 1, 1977
//
// The caller defines the loss of a class and the constraints on it ([Costs]). The search decides what to try, and in which order:
// it compares an item with every class by a bound on its loss there, and swaps it with items of the nearest few classes.
package exchange

import (
	"context"
	"math"
	"slices"
)

const (
	// passes is the greatest number of passes over the classes.
	passes = 2
	// swapPartners is the number of classes with which an item is swapped.
	swapPartners = 4
	// maxItems is the size of the greatest class that exchanges items: each exchange examines all their sensitive values.
	maxItems = 512
	// rounding exceeds the rounding errors of penalties, per record.
	rounding = 1e-4
	// minPenalty is the least share of a record's loss for which an item is tried elsewhere.
	minPenalty = 1e-6
)

// Nobody stands for no item.
const Nobody = ^uint32(0)

// Costs define the losses and constraints of classes. Penalties are per record; an item has one or several records.
type Costs interface {
	// Measure recomputes the figures of a class and returns its number of records and its penalty.
	Measure(class int, items []uint32) (size, penalty float32)
	// Records returns the number of an item's records.
	Records(item uint32) float32
	// PenaltyWith returns the penalty of a class with one more item; if it exceeds limit, any number above limit.
	PenaltyWith(class int, in uint32, limit float32) float32
	// PenaltyWithout returns the penalty of a class of several items without one of them.
	PenaltyWithout(class int, out uint32) float32
	// Swapped returns the penalty of a class after replacing one item by another. SwappedHere
	// is Swapped for the class and item of the last call of PenaltyWithout.
	Swapped(class int, out, in uint32) float32
	SwappedHere(class int, out, in uint32) float32
	// Allows reports whether a class without out and with in, either of which may be [Nobody], meets its constraints.
	Allows(class int, out, in uint32) bool
}

// Classes have each class's items, its number of records, and the loss of one of them.
type Classes struct {
	Of            [][]uint32
	size, Penalty []float32
	costs         Costs
}

// New computes the figures of classes.
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

// NonEmpty returns the classes with items.
func (c *Classes) NonEmpty() [][]uint32 {
	return slices.DeleteFunc(c.Of, func(items []uint32) bool { return len(items) == 0 })
}

// Nearest returns the class that loses least by an item, -1 for none. If asked is set, the class must be allowed to take it.
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

// Join adds an item to a class.
func (c *Classes) Join(class int, item uint32) {
	c.Of[class] = append(c.Of[class], item)
	c.measure(class)
}

// Unite moves all items of another class into a class.
func (c *Classes) Unite(class, other int) {
	c.Of[class], c.Of[other] = append(c.Of[class], c.Of[other]...), nil
	c.measure(class)
	c.measure(other)
}

// A search is an exchange in progress.
type search struct {
	*Classes
	minSaving float32
}

// Exchange moves items to other classes and swaps them, as long as each step saves more than minSaving,
// in records times penalty, which must exceed rounding errors. It stops when ctx ends.
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

// improve tries each item of a class once.
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

// An option is a possible exchange and its saving: an item goes to a class, and in, or Nobody, comes from there.
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

// A neighbour is a class with the additional loss of one of its records by the item.
type neighbour struct {
	class   int
	penalty float32
}

// nearest returns the classes that lose least by an item, and updates the best move to any class; saved is the saving of its own class.
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

// swap finds the best item of another class to swap for out. without is the penalty of class
// without out, a lower bound for every swap.
func (s *search) swap(class int, out uint32, without float32, other int, best *option) {
	size, others, records := s.size[class], s.size[other], s.costs.Records(out)
	now := size*s.Penalty[class] + others*s.Penalty[other]
	if now-(size-records+1)*without <= best.saves {
		return
	}
	for _, in := range s.Of[other] {
		more := s.costs.Records(in) - records // change of class's records; the other class's is the opposite
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

// apply performs an option.
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
