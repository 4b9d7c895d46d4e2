package planes

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
)

// setBoxes makes k count the boxes of the question; false if the groups are too large.
func (k *kernel) setBoxes(b *figures.Boxes) bool {
	if b == nil || !k.fitsLanes(b) {
		return false
	}
	known := make(map[string]int)
	for _, x := range b.List {
		x.Sets = make([]int, len(k.sides))
		for s, side := range k.sides {
			var classes []int
			for class, in := range x.Of[side.index] {
				if in {
					classes = append(classes, class)
				}
			}
			x.Sets[s] = side.count(s, classes, known)
		}
	}
	k.boxes = b
	return true
}

// count adds a set of classes to those counted and returns its index.
func (s *kernelSide) count(side int, classes []int, known map[string]int) int {
	if len(classes) == 1 {
		return classes[0]
	}
	id := fmt.Sprint(side, classes)
	index, ok := known[id]
	if !ok {
		index = len(s.counted)
		known[id] = index
		s.counted = append(s.counted, classes)
	}
	return index
}
