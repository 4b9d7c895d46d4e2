package estimate

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// A familyWorth is what the records of a family's boxes are worth: values of one unit of one side.
type familyWorth struct {
	side, unit int // unit is -1 where several decide the value
	value      map[uint32]float64
	// worth has the values times a power of ten, which are whole.
	worth Worth
	scale float64           // that power
	of    map[int64]float64 // the values by those numbers
}

func newFamilyWorth(x *box, sides []*side) *familyWorth {
	w := &familyWorth{side: x.argument, unit: -1, value: make(map[uint32]float64)}
	for unit := range sides[x.argument].units {
		if eachWorth(x, sides, unit, func(uint32, float64) bool { return true }) {
			w.unit = unit
			break
		}
	}
	return w
}

// eachWorth visits what the classes of a unit are worth; false where another unit has a say, or visit stops.
func eachWorth(x *box, sides []*side, unit int, visit func(class uint32, value float64) bool) bool {
	stride, s := 1, sides[x.argument]
	for _, u := range s.units[:unit] {
		stride *= u.classes
	}
	seen := make(map[uint32]float64)
	for class, in := range x.of[x.argument] {
		if !in {
			continue
		}
		of, value := uint32(class/stride%s.units[unit].classes), x.worth[x.argument][class]
		if known, ok := seen[of]; ok && known != value || !visit(of, value) {
			return false
		}
		seen[of] = value
	}
	return true
}

// agrees reports whether the box's records are worth what the family's are.
func (w *familyWorth) agrees(x *box, sides []*side) bool {
	return w.side == x.argument && w.unit >= 0 && eachWorth(x, sides, w.unit, func(class uint32, value float64) bool {
		known, ok := w.value[class]
		return !ok || known == value
	})
}

func (w *familyWorth) add(x *box, sides []*side) {
	if w.unit < 0 {
		return
	}
	eachWorth(x, sides, w.unit, func(class uint32, value float64) bool {
		w.value[class] = value
		return true
	})
}

// maxPlaces bounds the places behind the point of values whose squares are added up as whole numbers, maxDigits the
// digits of the sums.
const (
	maxPlaces = 15
	maxDigits = 38
)

// scale finds the whole numbers.
func (f *family) scale(d *elsewhere, sides []*side) error {
	w := f.worth
	if w == nil {
		return nil
	}
	if w.unit < 0 {
		return &UnansweredError{ofSums + " of an expression over several columns of a fragment"}
	}
	var err error
	if w.scale, err = d.scaleOf(maps.Values(w.value), 2); err != nil {
		return err
	}
	w.of = make(map[int64]float64, len(w.value))
	classOf := sides[w.side].units[w.unit].classOf
	w.worth = Worth{Fragment: w.side, Unit: w.unit, Of: make([]int64, len(classOf))}
	for code, class := range classOf {
		if v, ok := w.value[class]; ok {
			w.worth.Of[code] = int64(math.Round(v * w.scale))
			if known, ok := w.of[w.worth.Of[code]]; ok && known != v {
				return &UnansweredError{ofSums + " of values that differ in their last digits only"}
			}
			w.of[w.worth.Of[code]] = v
		}
	}
	return nil
}

// scaleOf is the power of ten that makes values whole. It refuses values that are not with so many places, and those of whose
// power, 1 or 2, the sums would have too many digits.
func (d *elsewhere) scaleOf(values iter.Seq[float64], power float64) (scale float64, err error) {
	places, greatest := 0, 0.0
	for v := range values {
		_, behind, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
		places, greatest = max(places, len(behind)), max(greatest, math.Abs(v))
	}
	scale = math.Pow10(places)
	largest := float64(d.sizes[len(d.sizes)-1].Size) * greatest * scale // of a group's sum
	if places > maxPlaces || greatest*scale >= 1<<53 || math.Log10(largest+1)*power+math.Log10(float64(d.groups)) > maxDigits-1 || largest >= 1<<62 {
		return 0, &UnansweredError{fmt.Sprintf("%s of values with so many digits that sums of their squares have more than %d", ofSums, maxDigits)}
	}
	return scale, nil
}

const ofSums = "standard errors and bounds of SUM and AVG"

// addProfile adds groups whose counts are alike, as addSums does one group.
func (f *boxFloats) addProfile(p *SumProfile, w *familyWorth, argument int) {
	one, two, m := 1.0, 1.0, int(p.Size)
	for s, n := range p.Counts {
		if a := int(n); s != argument {
			one *= float64(a) / float64(m)
			two *= float64(a*(a-1)) / float64(max(1, m*(m-1)))
		}
	}
	groups, n := float64(p.Groups), float64(p.Counts[argument])
	sum, squared, squares := floatOf(p.Sum)/w.scale, floatOf(p.SquaredSums)/w.scale/w.scale, floatOf(p.Squares)/w.scale/w.scale
	f.sums.add(secondMoments{
		meanN: groups * n * one, meanS: sum * one,
		varN:       groups * (n*one + n*(n-1)*two - n*one*n*one),
		varS:       squares*one + (squared-squares)*two - squared*one*one,
		covariance: sum*one + (n-1)*sum*two - n*one*sum*one,
		squares:    squares * one,
	})
}

func floatOf(n *big.Int) float64 {
	f, _ := new(big.Float).SetInt(n).Float64()
	return f
}

// A taken is a Take with its value.
type taken struct {
	Take
	value float64
}

// takes finds the bounds of a family's sums, and of its means: which records the steps to an extreme mean take is known of each
// value, so that the engine is asked once.
func (s *scan) takes(ctx context.Context, b *boxes, f *family, totals *kernelTotals) error {
	d := s.prepared.elsewhere
	list, err := d.store.Takes(ctx, s.asked(f), f.worth.worth)
	if err != nil {
		return err
	}
	of, byBox := f.places(b), make(map[int][]taken)
	for _, t := range list {
		if most := max(t.LeastOfLow, t.LeastOfHigh, t.GreatestOfLow, t.GreatestOfHigh); bits.Len64(most) > 63 || most > uint64(s.prepared.release.Rows) {
			return fmt.Errorf("the relations are not those of the release: %d of its %d records are worth %d", most, s.prepared.release.Rows, t.Worth)
		}
		for _, box := range of[fmt.Sprint(t.Classes)] {
			if b.list[box].worth == nil {
				continue // a COUNT, perhaps of records that have no value
			}
			value, ok := f.worth.of[t.Worth]
			if !ok {
				return fmt.Errorf("the relations are not those of the release: a record is worth %d", t.Worth)
			}
			byBox[box] = append(byBox[box], taken{t, value})
		}
	}
	for _, box := range f.boxes {
		x, values := b.list[box], byBox[box]
		if x.worth == nil {
			continue
		}
		slices.SortFunc(values, func(a, b taken) int {
			if a.value < b.value {
				return -1
			}
			return 1
		})
		totals.floats[box].takeBounds(values, x.steps)
		s.means[box] = extremeMean(values, x.steps, totals.floats[box])
	}
	return nil
}

// takeBounds sets the least and the greatest sum, as addBounds adds those of one group. Values are ascending.
func (f *boxFloats) takeBounds(values []taken, at steps) {
	f.low, f.high, f.lowRecords, f.highRecords = 0, 0, 0, 0
	for _, v := range values {
		take := v.LeastOfLow // what does not help is taken only where it must be
		if v.value < at.low {
			take = v.LeastOfHigh
		}
		f.low += v.value * float64(take)
		f.lowRecords += float64(take)
	}
	for _, v := range slices.Backward(values) {
		take := v.GreatestOfLow
		if v.value > at.high {
			take = v.GreatestOfHigh
		}
		f.high += v.value * float64(take)
		f.highRecords += float64(take)
	}
}

// extremeMean is the iteration of extremeMeans, for one box.
func extremeMean(values []taken, at steps, f boxFloats) steps {
	for {
		next := at.next(&f)
		if next == at {
			return at
		}
		at = next
		f.takeBounds(values, at)
	}
}
