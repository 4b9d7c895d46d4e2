package impute

// A hand has up to maxExact rows, with the data for computing the odds of their tuples.
type hand struct {
	rows [maxExact][]uint16
	// start[unit][s] is where the row of a joint attribute's value begins in a table.
	start [][maxExact]int32
	// column[attribute][s] is the category of row s, as a table column, if the attribute is a
	// response.
	column [][maxExact]uint16
}

// take allocates a hand for a schema.
func (h *hand) take(s *schema) {
	if h.start == nil {
		h.start, h.column = make([][maxExact]int32, len(s.inside.all)), make([][maxExact]uint16, len(s.attributes))
	}
}

// put adds the tuple of fragment j in row s.
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

// odds computes the odds of one fragment's tuple in row s with the tuples of another fragment
// in all rows. The other's attributes must be responses.
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

// multiply multiplies odds by those of one fragment's tuple in row s with the tuples of another
// fragment in all rows. The other's attributes must be responses.
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

// energy returns the logarithm of the odds of two tuples.
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

// forward reports whether to compute the odds of two fragments from joint attributes of the
// first and attributes of the second, rather than the reverse. If both have responses, it
// chooses the order with fewer products.
func (s *schema) forward(one, other int) bool {
	if one == s.large || other == s.large {
		return one == s.large
	}
	products := func(i, j int) int { return (s.units[i+1] - s.units[i]) * (s.of[j+1] - s.of[j]) }
	return products(one, other) <= products(other, one)
}
