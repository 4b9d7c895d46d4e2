package cdt

import (
	"cmp"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// A cutter cuts classes; it has its own scratch space.
type cutter struct {
	bounds
	quasi     []*generalization.Attribute
	sensitive []*anonymize.Column
	member    []uint32
	greatest  []uint32   // by sensitive attribute: of the current class
	count     [][]uint32 // by side and value; zero between uses
	spans     []span
	runs      []placeRun
	cuts      []boundary // of the current attribute, ascending
	allowed   []bool     // by cut
	histogram []uint32
	spare     []uint32
}

// A span is a quasi-identifier in the current class.
type span struct {
	attribute *generalization.Attribute
	low, high uint32
	penalty   float64
}

func newCutter(quasi []*generalization.Attribute, sensitive []*anonymize.Column, b bounds, member []uint32) *cutter {
	values := 0
	for _, s := range sensitive {
		values = max(values, len(s.Dictionary))
	}
	return &cutter{bounds: b, quasi: quasi, sensitive: sensitive, member: member,
		greatest: make([]uint32, len(sensitive)), count: [][]uint32{make([]uint32, values), make([]uint32, values)}}
}

// cut divides the members at [first, end) and returns where the second part begins: by the most
// even cut of an attribute, the attribute with the greatest penalty first. If none of these
// leaves two classes that keep the bounds, it tries the most even cut that does. It returns 0
// if no cut of any attribute does.
func (c *cutter) cut(first, end int) int {
	members := c.member[first:end]
	if len(members) < 2*max(c.k, c.l) {
		return 0
	}
	c.measure(members)
	for _, s := range c.spans {
		c.list(s, members)
		if b, ok := c.mostEven(len(members), func(int) bool { return true }); ok && c.allows(s.attribute, b, members) {
			return first + c.part(s.attribute, b, members)
		}
	}
	for _, s := range c.spans {
		c.list(s, members)
		if len(c.cuts) < 2 { // the only cut was tried
			continue
		}
		c.scan(s, members)
		if b, ok := c.mostEven(len(members), func(i int) bool { return c.allowed[i] }); ok {
			return first + c.part(s.attribute, b, members)
		}
	}
	return 0
}

// measure computes the spans, the greatest penalty first, and the most frequent value of every
// sensitive attribute.
func (c *cutter) measure(members []uint32) {
	c.spans = c.spans[:0]
	for _, a := range c.quasi {
		low, high := a.Place[members[0]], a.Place[members[0]]
		for _, r := range members {
			low, high = min(low, a.Place[r]), max(high, a.Place[r])
		}
		c.spans = append(c.spans, span{a, low, high, a.Penalty(low, high)})
	}
	slices.SortStableFunc(c.spans, func(x, y span) int { return cmp.Compare(y.penalty, x.penalty) })
	for i, s := range c.sensitive {
		c.greatest[i], _ = c.countSides(s, members, nil, boundary{})
	}
}

// A boundary is a cut: positions below place go to the left, which are left records.
type boundary struct {
	place uint32
	left  int
}

// list sets cuts to those of an attribute that leave k records on both sides.
func (c *cutter) list(s span, members []uint32) {
	c.cuts = c.cuts[:0]
	if s.low == s.high {
		return
	}
	c.countPlaces(s, members)
	n := len(members)
	for i, left := 1, c.runs[0].count; i < len(c.runs); i++ {
		if left >= c.k && n-left >= c.k && s.attribute.MayCut(s.low, s.high, c.runs[i-1].place, c.runs[i].place) {
			c.cuts = append(c.cuts, boundary{c.runs[i].place, left})
		}
		left += c.runs[i].count
	}
}

// mostEven returns the most even allowed cut, the first of two.
func (c *cutter) mostEven(n int, may func(i int) bool) (best boundary, ok bool) {
	least := n + 1
	for i, b := range c.cuts {
		if off := max(2*b.left-n, n-2*b.left); off < least && may(i) {
			best, least, ok = b, off, true
		}
	}
	return best, ok
}

// A placeRun counts the records of a class with one place.
type placeRun struct {
	place uint32
	count int
}

// countPlaces sets runs to the places of an attribute, ascending: with an array if the span is
// not much wider than the class, else by sorting.
func (c *cutter) countPlaces(s span, members []uint32) {
	place := s.attribute.Place
	c.runs = c.runs[:0]
	if width := int(s.high-s.low) + 1; width <= 8*len(members) {
		c.histogram = append(c.histogram[:0], make([]uint32, width)...)
		for _, r := range members {
			c.histogram[place[r]-s.low]++
		}
		for p, n := range c.histogram {
			if n > 0 {
				c.runs = append(c.runs, placeRun{s.low + uint32(p), int(n)})
			}
		}
		return
	}
	c.spare = anonymize.Gather(place, members)
	slices.Sort(c.spare)
	for i, p := range c.spare {
		if i == 0 || p != c.spare[i-1] {
			c.runs = append(c.runs, placeRun{place: p})
		}
		c.runs[len(c.runs)-1].count++
	}
}

// scan sets allowed: which cuts leave two classes that keep the bounds. In the order of the
// attribute's places, the greatest count of a value left of a cut only grows from cut to cut,
// as does that on the right backwards. So two passes per sensitive attribute decide all cuts.
func (c *cutter) scan(s span, members []uint32) {
	ordered := c.ordered(s, members)
	n := len(ordered)
	c.allowed = c.allowed[:0]
	for range c.cuts {
		c.allowed = append(c.allowed, true)
	}
	for _, column := range c.sensitive {
		at, greatest, count := 0, uint32(0), c.count[0]
		for i, b := range c.cuts {
			for ; at < b.left; at++ {
				v := column.Codes[ordered[at]]
				count[v]++
				greatest = max(greatest, count[v])
			}
			c.allowed[i] = c.allowed[i] && c.admits(greatest, b.left)
		}
		c.forget(column, ordered)
		at, greatest = n, 0
		for i := len(c.cuts) - 1; i >= 0; i-- {
			for left := c.cuts[i].left; at > left; at-- {
				v := column.Codes[ordered[at-1]]
				count[v]++
				greatest = max(greatest, count[v])
			}
			c.allowed[i] = c.allowed[i] && c.admits(greatest, n-c.cuts[i].left)
		}
		c.forget(column, ordered)
	}
}

// ordered returns the members sorted by place; runs are those of the attribute.
func (c *cutter) ordered(s span, members []uint32) []uint32 {
	place, width := s.attribute.Place, int(s.high-s.low)+1
	c.spare = append(c.spare[:0], members...)
	if width > 8*len(members) {
		slices.SortFunc(c.spare, func(x, y uint32) int { return cmp.Compare(place[x], place[y]) })
		return c.spare
	}
	next, start := append(c.histogram[:0], make([]uint32, width)...), uint32(0)
	for _, r := range c.runs {
		next[r.place-s.low] = start
		start += uint32(r.count)
	}
	for _, r := range members {
		at := &next[place[r]-s.low]
		c.spare[*at] = r
		*at++
	}
	c.histogram = next
	return c.spare
}

// forget clears the counts of the members' values.
func (c *cutter) forget(column *anonymize.Column, members []uint32) {
	for _, r := range members {
		c.count[0][column.Codes[r]], c.count[1][column.Codes[r]] = 0, 0
	}
}

// countSides counts values on both sides of a cut and returns the greatest counts. If place is
// nil, all members are on the left.
func (c *cutter) countSides(column *anonymize.Column, members, place []uint32, b boundary) (left, right uint32) {
	var greatest [2]uint32
	side := func(r uint32) int {
		if place != nil && place[r] >= b.place {
			return 1
		}
		return 0
	}
	for _, r := range members {
		at := side(r)
		count := &c.count[at][column.Codes[r]]
		*count++
		greatest[at] = max(greatest[at], *count)
	}
	c.forget(column, members)
	return greatest[0], greatest[1]
}

// allows reports whether both sides keep the bounds. It counts values only if the class's most
// frequent one could break them.
func (c *cutter) allows(a *generalization.Attribute, b boundary, members []uint32) bool {
	right := len(members) - b.left
	for i, s := range c.sensitive {
		if c.admits(c.greatest[i], min(b.left, right)) {
			continue
		}
		most, mostRight := c.countSides(s, members, a.Place, b)
		if !c.admits(most, b.left) || !c.admits(mostRight, right) {
			return false
		}
	}
	return true
}

// part moves the left side to the front; both keep their order.
func (c *cutter) part(a *generalization.Attribute, b boundary, members []uint32) int {
	c.spare = c.spare[:0]
	left := 0
	for _, r := range members {
		if a.Place[r] < b.place {
			members[left] = r
			left++
		} else {
			c.spare = append(c.spare, r)
		}
	}
	copy(members[left:], c.spare)
	return left
}
