package exchange

// Ends are the two least and the two greatest positions of a class's items on one axis. With one item, the second ones are beyond all
// positions.
type Ends[T uint8 | float32] struct{ Low, Low2, High2, High T }

func (e *Ends[T]) Add(x T) {
	if x < e.Low {
		e.Low, e.Low2 = x, e.Low
	} else {
		e.Low2 = min(e.Low2, x)
	}
	if x > e.High {
		e.High, e.High2 = x, e.High
	} else {
		e.High2 = max(e.High2, x)
	}
}

// EndsWithout returns the ends without an item at x.
func (e *Ends[T]) EndsWithout(x T) (low, high T) {
	low, high = e.Low, e.High
	if x == low {
		low = e.Low2
	}
	if x == high {
		high = e.High2
	}
	return low, high
}
