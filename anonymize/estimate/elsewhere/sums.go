package elsewhere

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// maxPlaces is the greatest number of decimal places of values whose squares are added up as
// whole numbers, maxDigits the greatest number of digits of the sums.
const (
	maxPlaces = 15
	maxDigits = 38
)

// scale scales the family's values to whole numbers.
func scale(f *figures.Family, d *Relations, sides []*question.Side) error {
	w := f.Worth
	if w == nil {
		return nil
	}
	if w.Unit < 0 {
		return &question.UnansweredError{What: ofSums + " of an expression over several columns of a fragment"}
	}
	var err error
	if w.Scale, err = d.scaleOf(maps.Values(w.Value), 2); err != nil {
		return err
	}
	w.Of = make(map[int64]float64, len(w.Value))
	classOf := sides[w.Side].Units[w.Unit].ClassOf
	w.Worth = figures.Worth{Fragment: w.Side, Unit: w.Unit, Of: make([]int64, len(classOf))}
	for code, class := range classOf {
		if v, ok := w.Value[class]; ok {
			w.Worth.Of[code] = int64(math.Round(v * w.Scale))
			if known, ok := w.Of[w.Worth.Of[code]]; ok && known != v {
				return &question.UnansweredError{What: ofSums + " of values that differ in their last digits only"}
			}
			w.Of[w.Worth.Of[code]] = v
		}
	}
	return nil
}

// scaleOf returns the power of ten that makes values whole. It refuses values with too many
// decimal places, and values for which sums of their power (1 or 2) would have too many digits.
func (d *Relations) scaleOf(values iter.Seq[float64], power float64) (scale float64, err error) {
	places, greatest := 0, 0.0
	for v := range values {
		_, behind, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
		places, greatest = max(places, len(behind)), max(greatest, math.Abs(v))
	}
	scale = math.Pow10(places)
	largest := float64(d.sizes[len(d.sizes)-1].Size) * greatest * scale // of a group's sum
	if places > maxPlaces || greatest*scale >= 1<<53 || math.Log10(largest+1)*power+math.Log10(float64(d.groups)) > maxDigits-1 || largest >= 1<<62 {
		return 0, &question.UnansweredError{What: fmt.Sprintf("%s of values with so many digits that sums of their squares have more than %d", ofSums, maxDigits)}
	}
	return scale, nil
}

const ofSums = "standard errors and bounds of SUM and AVG"

// takes bounds a family's sums and means. It knows for each value which records the steps to an
// extreme mean take, so it asks the engine once.
func (s *Counter) takes(ctx context.Context, b *figures.Boxes, f *figures.Family, totals *figures.BoxSums) error {
	d := s.Relations
	list, err := d.store.Takes(ctx, s.asked(f), f.Worth.Worth)
	if err != nil {
		return err
	}
	of := f.Places(b)
	for _, t := range list {
		if most := max(t.LeastOfLow, t.LeastOfHigh, t.GreatestOfLow, t.GreatestOfHigh); bits.Len64(most) > 63 || most > uint64(s.Shape.Rows) {
			return fmt.Errorf("the relations are not those of the release: %d of its %d records are worth %d", most, s.Shape.Rows, t.Worth)
		}
		for _, box := range of[fmt.Sprint(t.Classes)] {
			if b.List[box].Worth == nil {
				continue // a COUNT, whose records may have no value
			}
			value, ok := f.Worth.Of[t.Worth]
			if !ok {
				return fmt.Errorf("the relations are not those of the release: a record is worth %d", t.Worth)
			}
			totals.Floats[box].Takes.Add(value, &t)
		}
	}
	return nil
}
