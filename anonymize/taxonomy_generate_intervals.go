package anonymize

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// maxPoints is the greatest number of leaves for a narrowest interval whose values are too many
// to list: both ends and steps of a tenth of the width.
const maxPoints = 11

// IntervalPaths groups numbers into intervals of the given widths, counted from origin. Widths ascend,
// each a multiple of the one before. If the column's values cannot be listed ([Column.Spans]), the
// leaves are points of every narrowest interval from the least value to the greatest. The points
// include the interval's least and greatest possible values and do not depend on the table's values
// within it; [Taxonomy.Spanning] places the table's values among them.
func IntervalPaths(c *Column, widths []string, origin string, show func(Value) string) (paths [][]string, err error) {
	from, ok := decimalRat(origin)
	if !ok {
		return nil, &ParameterError{"origin", "'" + origin + "'", "must be a number"}
	}
	steps, err := readWidths(widths)
	if err != nil {
		return nil, err
	}
	values, err := occurring(c)
	if err != nil {
		return nil, err
	}
	w := &intervalWalk{from: from, widths: steps, whole: from.IsInt() && steps[0].IsInt(), show: show}
	for _, v := range values {
		if _, ok := decimalRat(v.String()); !ok || v.Kind == Text || v.Kind == Instant {
			return nil, &DataError{fmt.Sprintf("column %s is not numeric: intervals need numbers (date= is for dates, prefix= for codes)", c.Name)}
		}
		w.whole = w.whole && v.Kind == Integer
	}
	if c.Spans() {
		return w.span(c.Name, values)
	}
	leaves, err := leavesOf(c)
	for _, v := range leaves {
		paths = append(paths, w.path(v, exact(v)))
	}
	return paths, err
}

func exact(v Value) *big.Rat {
	x, _ := decimalRat(v.String()) // the caller has checked the values
	return x
}

// An intervalWalk makes the paths of numbers in ascending order.
type intervalWalk struct {
	from   *big.Rat
	widths []*big.Rat
	whole  bool
	show   func(Value) string
	at     []interval // by level: the interval of the previous number
}

// An interval is half-open: it excludes end. Its label is "[20-29]" for whole numbers and
// "[0.5,1)" for others.
type interval struct {
	label string
	end   *big.Rat
}

// path returns the path of a leaf at x. It computes an interval when the interval's first number comes.
func (w *intervalWalk) path(leaf Value, x *big.Rat) []string {
	if w.at == nil {
		w.at = make([]interval, len(w.widths))
	}
	path := []string{w.show(leaf)}
	for level, width := range w.widths {
		if at := &w.at[level]; at.end == nil || x.Cmp(at.end) >= 0 {
			low := w.start(x, width)
			*at = interval{end: new(big.Rat).Add(low, width)}
			at.label = w.label(low, at.end)
		}
		path = append(path, w.at[level].label)
	}
	return append(path, rootLabel)
}

// start returns the lower end of the interval of that width around x.
func (w *intervalWalk) start(x, width *big.Rat) *big.Rat {
	low := new(big.Rat).SetInt(w.number(x, width))
	return low.Add(w.from, low.Mul(low, width))
}

// number counts intervals from the origin. Euclidean division rounds down for positive divisors.
func (w *intervalWalk) number(x, width *big.Rat) *big.Int {
	steps := new(big.Rat).Quo(new(big.Rat).Sub(x, w.from), width)
	return new(big.Int).Div(steps.Num(), steps.Denom())
}

func (w *intervalWalk) label(low, end *big.Rat) string {
	if !w.whole {
		return "[" + decimalText(low) + "," + decimalText(end) + ")"
	}
	return rangeLabel(decimalText(low), decimalText(new(big.Rat).Sub(end, big.NewRat(1, 1))))
}

// span returns the paths of the points of all intervals from the least to the greatest value.
func (w *intervalWalk) span(column string, values []Value) (paths [][]string, err error) {
	width := w.widths[0]
	first, last := exact(values[0]), exact(values[len(values)-1])
	count := new(big.Int).Sub(w.number(last, width), w.number(first, width))
	if !count.IsInt64() || 2*(count.Int64()+1) > MaxListed {
		return nil, &ParameterError{"intervals", "'" + decimalText(width) + "'", fmt.Sprintf(
			"is too narrow for column %s: from %s to %s there would be more than %d intervals, too many to list, "+
				"and if only those that occur were published, readers would see which numbers occur. Begin with a wider interval",
			column, values[0], values[len(values)-1], MaxListed/2)}
	}
	points := min(maxPoints, MaxListed/(count.Int64()+1))
	between := pointsOf(values)
	end := w.start(first, width)
	for range count.Int64() + 1 {
		low := end
		end = new(big.Rat).Add(low, width)
		for _, v := range between(low, end, points) {
			paths = append(paths, w.path(v, low))
		}
	}
	return paths, nil
}

// pointsOf returns a function that lists values in [low, end), among them the least and the
// greatest that the values' kind has there. If all floating point numbers have single
// precision, it takes them as such.
func pointsOf(values []Value) func(low, end *big.Rat, points int64) []Value {
	if g, ok := gridOf(values); ok {
		return g.points
	}
	single := AreSingle(values)
	return func(low, end *big.Rat, points int64) []Value {
		var list []Value
		for _, x := range divideEvenly(low, end, points-1) {
			f, _ := x.Float64()
			if single {
				f = float64(float32(f))
			}
			list = append(list, RealValue(f))
		}
		f, _ := end.Float64()
		if single {
			f = float64(math.Nextafter32(float32(f), float32(math.Inf(-1))))
		} else {
			f = math.Nextafter(f, math.Inf(-1))
		}
		return sorted(append(list, RealValue(f)))
	}
}

func (g grid) points(low, end *big.Rat, points int64) []Value {
	var list []Value
	for _, x := range divideEvenly(low, end, points-1) {
		if at := g.ceil(x); new(big.Int).Sub(g.ceil(end), at).Sign() > 0 {
			list = append(list, g.value(at))
		}
	}
	last := g.ceil(end)
	if last.Sub(last, big.NewInt(1)); last.Cmp(g.ceil(low)) >= 0 {
		list = append(list, g.value(last))
	}
	return sorted(list)
}

// divideEvenly divides [low, end] into equal steps and returns their lower ends.
func divideEvenly(low, end *big.Rat, steps int64) (list []*big.Rat) {
	step := new(big.Rat).Quo(new(big.Rat).Sub(end, low), new(big.Rat).SetInt64(steps))
	x := low
	for range steps {
		list = append(list, x)
		x = new(big.Rat).Add(x, step)
	}
	return list
}

func sorted(values []Value) []Value {
	slices.SortFunc(values, Compare)
	return slices.Compact(values)
}
