package impute

// A hand is a few rows, up to exactly many, with all that their tuples' odds are
// computed from.
type hand struct {
	rows [maxExact][]uint16
	// start[unit][s] is where the row of a joint attribute's value begins in a table.
	start [][maxExact]int32
	// column[attribute][s] of a response attribute is the category of row s, as a
	// column of a table.
	column [][maxExact]uint16
}

// take makes room for the rows of a schema.
func (h *hand) take(s *schema) {
	if h.start == nil {
		h.start, h.column = make([][maxExact]int32, len(s.inside.all)), make([][maxExact]uint16, len(s.attributes))
	}
}

// put looks the tuple of fragment j up that row number s has.
func (h *hand) put(l *schema, s, j int, row []uint16) {
	h.rows[s] = row
	for u := l.units[j]; u < l.units[j+1]; u++ {
		h.start[u][s] = int32(l.inside.row(&l.inside.all[u], row) * (l.categories - l.responses))
	}
	if j == l.large {
		return
	}
	for i := l.of[j]; i < l.of[j+1]; i++ {
		h.column[i][s] = row[i] - uint16(l.responses)
	}
}

// odds computes those of the tuple of one fragment in row s with the tuples of another
// in all rows; the other's attributes are responses.
func (h *hand) odds(odds []float32, f *factors, s, one, other int) {
	if f.units[one+1] == f.units[one]+1 && f.of[other+1] == f.of[other]+1 {
		row := f.inside[h.start[f.units[one]][s]:][:len(f.bias)]
		for k, v := range h.column[f.of[other]][:len(odds)] {
			odds[k] = row[v]
		}
		return
	}
	for k := range odds {
		odds[k] = 1
	}
	h.multiply(odds, f, s, one, other)
}

// multiply multiplies odds by those of the tuple of one fragment in row s with the
// tuples of another in all rows; the other's attributes are responses.
func (h *hand) multiply(odds []float32, f *factors, s, one, other int) {
	n := len(f.bias)
	for u := f.units[one]; u < f.units[one+1]; u++ {
		row := f.inside[h.start[u][s]:][:n]
		for i := f.of[other]; i < f.of[other+1]; i++ {
			for k, v := range h.column[i][:len(odds)] {
				odds[k] *= row[v]
			}
		}
	}
}

// energy is the logarithm of the odds of two tuples.
func (h *hand) energy(f *factors, s, one, k, other int) float32 {
	sum := float32(0)
	for _, u := range h.rows[s][f.of[one]:f.of[one+1]] {
		row := f.theta[int(u)*f.categories:][:f.categories]
		for _, v := range h.rows[k][f.of[other]:f.of[other+1]] {
			sum += row[v]
		}
	}
	return sum
}

// forward says whether the odds of two fragments are computed from joint attributes of
// the first and attributes of the second, for a given order of the two: what takes
// fewer products, where both have responses.
func (s *schema) forward(one, other int) bool {
	if one == s.large || other == s.large {
		return one == s.large
	}
	products := func(i, j int) int { return (s.units[i+1] - s.units[i]) * (s.of[j+1] - s.of[j]) }
	return products(one, other) <= products(other, one)
}
