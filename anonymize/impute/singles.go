package impute

// If every fragment has one attribute, the tables of whole rows give a value's odds with the
// rest of its row as a product over joint attributes: theta is 0 within an attribute, so the
// row's current value adds nothing. A step then needs no odds of pairs of tuples, each of which
// it would use only once.

// looks are the table positions of a small group of such a release.
type looks struct {
	// start[k][s] is where the row of joint attribute k's value in slot s begins.
	start [][maxExact]int32
	// column[j][s] is the category of tuple s of fragment j as a column; negative if it is no
	// response.
	column [][maxExact]int32
}

// single sweeps a small group whose fragments have one attribute each.
func (w *sweeper) single(t *table, f *factors, first, size, rounds int) {
	if w.size = size; !w.opened(t, first) {
		return
	}
	w.hold(t, first)
	w.looks.take(t, first, size)
	for range rounds {
		for _, j := range w.open {
			w.weighAttribute(f, j)
			w.draw(w.random)
			w.looks.move(t.schema, j, w.holds[j][:size], w.drawn[:size])
			w.holds[j] = w.drawn
		}
	}
	w.store(t, first)
}

// take computes the positions of a group.
func (l *looks) take(t *table, first, size int) {
	if l.start == nil {
		l.start, l.column = make([][maxExact]int32, len(t.whole.all)), make([][maxExact]int32, len(t.attributes))
	}
	clear(l.start)
	n, width := int32(t.categories-t.responses), len(t.attributes)
	for s := range size {
		row, tuple := t.rows[(first+s)*width:][:width], t.slots.rows[(first+s)*width:][:width]
		for j, v := range row {
			l.start[t.whole.of[j]][s] += t.whole.offset[v] * n
			l.column[j][s] = int32(tuple[j]) - int32(t.responses)
		}
	}
}

// move updates the positions after the slots received other tuples of fragment j.
func (l *looks) move(s *schema, j int, from, to []uint8) {
	n, start, column := int32(s.categories-s.responses), &l.start[s.whole.of[j]], &l.column[j]
	for slot := range from {
		was, is := column[from[slot]]+int32(s.responses), column[to[slot]]+int32(s.responses)
		start[slot] += (s.whole.offset[is] - s.whole.offset[was]) * n
	}
}

// weighAttribute computes the weights of the tuples of fragment j, given the rest.
func (w *sweeper) weighAttribute(f *factors, j int) {
	if j == f.large {
		w.weighTuples(f, j)
	} else {
		w.weighValues(f, j)
	}
}

// weighValues computes the weights of a fragment whose attribute is a response.
func (w *sweeper) weighValues(f *factors, j int) {
	n, columns := len(f.bias), w.column[j][:w.size]
	for s := range columns {
		odds := [maxExact]float32{1, 1, 1, 1, 1, 1, 1}
		for k := range w.start {
			row := f.whole[w.start[k][s]:][:n]
			for i, v := range columns {
				odds[i] *= row[v]
			}
		}
		w.weighSingle(odds[:w.size], f, s, j)
	}
}

// weighTuples computes the weights of the fragment without responses: the rest of a row are
// responses to its tuples.
func (w *sweeper) weighTuples(f *factors, j int) {
	n := len(f.bias)
	var odds [maxExact][maxExact]float32
	for k, u := range w.column[j][:w.size] {
		row := f.pair[(int(u)+f.responses)*n:][:n]
		for s := range w.size {
			product := float32(1)
			for i := range w.column {
				if i != j {
					product *= row[w.column[i][w.holds[i][s]]]
				}
			}
			odds[s][k] = product
		}
	}
	for s := range w.size {
		w.weighSingle(odds[s][:w.size], f, s, j)
	}
}

// weighSingle uses odds as the weights of slot s; if a product is out of range, it uses
// energies.
func (w *sweeper) weighSingle(odds []float32, f *factors, s, j int) {
	if weight := w.weight[s][:len(odds)]; !taken(weight, odds) {
		w.weighEnergies(weight, f, s, j)
	}
}

// weighEnergies computes weights from energies.
func (w *sweeper) weighEnergies(weight []float64, f *factors, s, j int) {
	most := float32(-1e30)
	var energy [maxExact]float32
	for k := range weight {
		row := f.theta[(int(w.column[j][k])+f.responses)*f.categories:][:f.categories]
		for i := range w.column {
			if i != j {
				energy[k] += row[int(w.column[i][w.holds[i][s]])+f.responses]
			}
		}
		most = max(most, energy[k])
	}
	for k := range weight {
		weight[k] = max(float64(exponential(energy[k]-most)), minOdds)
	}
}
