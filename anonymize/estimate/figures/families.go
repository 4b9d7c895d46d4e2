package figures

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Family is a list of boxes whose sets of classes are equal or disjoint on every side. So a
// record is in at most one box, identified by the numbers of its sets.
type Family struct {
	Boxes []int // indexes into Boxes.List
	Sets  []familySets
	Worth *familyWorth // nil if only numbers of records are asked for
}

// familySets are the sets of one side: Of has the number of the set of every class, or NoClass.
type familySets struct {
	Of     []uint32
	number map[string]uint32 // by the classes
}

// Families adds every box to the first family that it fits. Boxes with sums come first, because their answers include numbers of records.
func (b *Boxes) Families(sides []*question.Side) (list []*Family) {
	for _, adds := range []bool{true, false} {
		for i, x := range b.List {
			if (x.Worth != nil) != adds {
				continue
			}
			at := slices.IndexFunc(list, func(f *Family) bool { return f.fits(x, sides) })
			if at < 0 {
				at = len(list)
				list = append(list, newFamily(x))
			}
			list[at].add(i, x, sides)
		}
	}
	return list
}

func newFamily(x *Box) *Family {
	f := &Family{Sets: make([]familySets, len(x.Of))}
	for s, classes := range x.Of {
		f.Sets[s] = familySets{Of: slices.Repeat([]uint32{question.NoClass}, len(classes)), number: make(map[string]uint32)}
	}
	return f
}

// fits reports whether, on every side, the box's set is in the family or disjoint from all its
// sets, and whether its records are worth what the family's are.
func (f *Family) fits(x *Box, sides []*question.Side) bool {
	for s, classes := range x.Of {
		if _, known := f.Sets[s].number[setText(classes)]; known {
			continue
		}
		for class, in := range classes {
			if in && f.Sets[s].Of[class] != question.NoClass {
				return false
			}
		}
	}
	return x.Worth == nil || f.Worth == nil || f.Worth.agrees(x, sides)
}

// add adds a fitting box to the family.
func (f *Family) add(i int, x *Box, sides []*question.Side) {
	f.Boxes = append(f.Boxes, i)
	for s, classes := range x.Of {
		text := setText(classes)
		if _, known := f.Sets[s].number[text]; known {
			continue
		}
		n := uint32(len(f.Sets[s].number))
		f.Sets[s].number[text] = n
		for class, in := range classes {
			if in {
				f.Sets[s].Of[class] = n
			}
		}
	}
	if x.Worth == nil {
		return
	}
	if f.Worth == nil {
		f.Worth = newFamilyWorth(x, sides)
	}
	f.Worth.add(x, sides)
}

// Places returns the boxes by the numbers of their sets.
func (f *Family) Places(b *Boxes) map[string][]int {
	of := make(map[string][]int, len(f.Boxes))
	for _, box := range f.Boxes {
		place := fmt.Sprint(f.place(b.List[box]))
		of[place] = append(of[place], box)
	}
	return of
}

// place returns, by side, the number of the box's set.
func (f *Family) place(x *Box) []uint32 {
	place := make([]uint32, len(x.Of))
	for s, classes := range x.Of {
		place[s] = f.Sets[s].number[setText(classes)]
	}
	return place
}

// setText returns a text that identifies a set of classes.
func setText(classes []bool) string {
	text := make([]byte, len(classes))
	for i, in := range classes {
		if in {
			text[i] = 1
		}
	}
	return string(text)
}

// A familyWorth is what the records of a family's boxes are worth: a value that depends on one unit of one side.
type familyWorth struct {
	Side, Unit int // Unit is -1 if several units determine the value
	Value      map[uint32]float64
	// Worth has the values as whole numbers, multiplied by Scale.
	Worth Worth
	Scale float64           // a power of ten
	Of    map[int64]float64 // the values by those whole numbers
}

func newFamilyWorth(x *Box, sides []*question.Side) *familyWorth {
	w := &familyWorth{Side: x.Argument, Unit: -1, Value: make(map[uint32]float64)}
	for unit := range sides[x.Argument].Units {
		if eachWorth(x, sides, unit, func(uint32, float64) bool { return true }) {
			w.Unit = unit
			break
		}
	}
	return w
}

// eachWorth visits what the classes of a unit are worth. It returns false if another unit matters, too, or if visit stops.
func eachWorth(x *Box, sides []*question.Side, unit int, visit func(class uint32, value float64) bool) bool {
	stride, s := 1, sides[x.Argument]
	for _, u := range s.Units[:unit] {
		stride *= u.Classes
	}
	seen := make(map[uint32]float64)
	for class, in := range x.Of[x.Argument] {
		if !in {
			continue
		}
		of, value := uint32(class/stride%s.Units[unit].Classes), x.Worth[x.Argument][class]
		if known, ok := seen[of]; ok && known != value || !visit(of, value) {
			return false
		}
		seen[of] = value
	}
	return true
}

// agrees reports whether the box's records are worth what the family's are.
func (w *familyWorth) agrees(x *Box, sides []*question.Side) bool {
	return w.Side == x.Argument && w.Unit >= 0 && eachWorth(x, sides, w.Unit, func(class uint32, value float64) bool {
		known, ok := w.Value[class]
		return !ok || known == value
	})
}

func (w *familyWorth) add(x *Box, sides []*question.Side) {
	if w.Unit < 0 {
		return
	}
	eachWorth(x, sides, w.Unit, func(class uint32, value float64) bool {
		w.Value[class] = value
		return true
	})
}

func FloatOf(n *big.Int) float64 {
	f, _ := new(big.Float).SetInt(n).Float64()
	return f
}
