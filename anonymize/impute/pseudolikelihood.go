package impute

// A score is the gradient of the log pseudo-likelihood (Besag 1975) of some rows of a completed
// table: of the conditional probability of every response attribute given the rest of its row,
// p(v | rest) ~ exp(bias[v] + sum_b theta[v, x_b]).
//
// Sums are whole multiples of 1/scoreUnit, so that their order does not matter.
type score struct {
	*schema
	// pair[u*responses+v] is the gradient for category u and response v, meaningless within an
	// attribute. finish computes it and bias.
	pair []float32
	bias []float32
	// chance has, for one row, the probability of every response times weight and scoreUnit.
	chance []float32
	// excess is chance minus the row's own responses. A word has two responses: v in the low
	// half, v+len(excess) in the high half.
	excess []uint64
	// lanes[row*len(excess)+i] adds up excess[i] over rows with that joint value. Nothing
	// overflows until the added weight reaches scoreFull.
	lanes []uint64
	added float32
	// sums[row*2*len(excess)+v] has the emptied lanes.
	sums []int64
	// rows and to are the rows of one row's joint attributes, in the factors and in the lanes.
	rows [][]float32
	to   [][]uint64
}

const (
	scoreUnit = 1 << 17
	scoreFull = 1<<31/scoreUnit - 1<<8 // with room for rounding
)

func (s *schema) newScore() *score {
	n := s.categories - s.responses
	half := (n + 1) / 2
	return &score{schema: s, pair: make([]float32, s.categories*n), bias: make([]float32, n), chance: make([]float32, 2*half),
		excess: make([]uint64, half), lanes: make([]uint64, s.whole.rows*half), sums: make([]int64, s.whole.rows*2*half),
		rows: make([][]float32, len(s.whole.all)), to: make([][]uint64, len(s.whole.all))}
}

// add adds the slots low .. high-1, which have one weight. Cost per slot: joint attributes
// times responses.
func (s *score) add(t *table, f *factors, low, high int, weight float32) {
	width := len(t.attributes)
	each := weight + 1.0/scoreUnit
	for slot := low; slot < high; slot++ {
		if s.added += each; s.added > scoreFull {
			s.empty()
			s.added = each
		}
		row := t.rows[slot*width:][:width]
		least, most := float32(1), float32(1)
		for k := range s.rows {
			at := s.whole.row(&s.whole.all[k], row)
			s.rows[k] = f.whole[at*len(s.bias):][:len(s.bias)]
			s.to[k] = s.lanes[at*len(s.excess):][:len(s.excess)]
			least *= f.least[at]
			most *= f.most[at]
		}
		s.chances(f, row, weight, least > 1e-25 && most < 1e25)
		s.pack(row, weight)
		s.spread()
	}
}

// chances computes the probabilities of all responses; safe says that no product leaves the
// range of float32.
func (s *score) chances(f *factors, row []uint16, weight float32, safe bool) {
	chance := s.chance[:len(s.bias)]
	if safe {
		multiplyAll(chance, f.rates, s.rows)
	} else {
		s.exponentials(f, row)
	}
	for i := range s.attributes {
		a := &s.attributes[i]
		if a.first < s.responses {
			continue
		}
		p := chance[a.first-s.responses : a.end-s.responses]
		sum := float32(0)
		for _, x := range p {
			sum += x
		}
		scale := weight * scoreUnit / sum
		for v := range p {
			p[v] *= scale
		}
	}
}

// exponentials computes the products up to one factor per attribute.
func (s *score) exponentials(f *factors, row []uint16) {
	chance := s.chance[:len(s.bias)]
	copy(chance, f.bias)
	for _, u := range row {
		add(chance, f.theta[int(u)*s.categories+s.responses:])
	}
	for i := range s.attributes {
		a := &s.attributes[i]
		if a.first < s.responses || a.first == a.end {
			continue
		}
		p := chance[a.first-s.responses : a.end-s.responses]
		most := p[0]
		for _, x := range p[1:] {
			most = max(most, x)
		}
		for v, x := range p {
			p[v] = exponential(x - most)
		}
	}
}

// multiplyAll multiplies numbers by rows, three rows per pass and up to five in the last; loads
// and stores limit its speed. Products of three rows come first, so the passes do not change
// any bit.
func multiplyAll(to, from []float32, rows [][]float32) {
	for ; len(rows) > 5; rows = rows[3:] {
		multiply(to, from, rows[:3])
		from = to
	}
	multiply(to, from, rows)
}

func multiply(to, from []float32, rows [][]float32) {
	n := len(to)
	from = from[:n]
	switch len(rows) {
	case 0:
		copy(to, from)
	case 1:
		a := rows[0][:n]
		for i := range to {
			to[i] = from[i] * a[i]
		}
	case 2:
		a, b := rows[0][:n], rows[1][:n]
		for i := range to {
			to[i] = from[i] * a[i] * b[i]
		}
	case 3:
		a, b, c := rows[0][:n], rows[1][:n], rows[2][:n]
		for i := range to {
			to[i] = from[i] * (a[i] * b[i] * c[i])
		}
	case 4:
		a, b, c, d := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n]
		for i := range to {
			to[i] = from[i] * (a[i] * b[i] * c[i]) * d[i]
		}
	case 5:
		a, b, c, d, e := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n], rows[4][:n]
		for i := range to {
			to[i] = from[i] * (a[i] * b[i] * c[i]) * d[i] * e[i]
		}
	}
}

// pack rounds the chances and subtracts the row's own responses.
func (s *score) pack(row []uint16, weight float32) {
	half := len(s.excess)
	low, high := s.chance[:half], s.chance[half:][:half]
	for i := range s.excess {
		s.excess[i] = uint64(int64(low[i]+0.5)) + uint64(int64(high[i]+0.5))<<32
	}
	whole := uint64(int64(float32(weight*scoreUnit) + 0.5))
	for _, x := range row {
		if v := int(x) - s.responses; v >= half {
			s.excess[v-half] -= whole << 32
		} else if v >= 0 {
			s.excess[v] -= whole
		}
	}
}

// spread adds the excess to the lanes of the row, up to five at a time.
func (s *score) spread() {
	excess, to := s.excess, s.to
	for ; len(to) >= 5; to = to[5:] {
		a, b, c, d, e := to[0][:len(excess)], to[1][:len(excess)], to[2][:len(excess)], to[3][:len(excess)], to[4][:len(excess)]
		for i, x := range excess {
			a[i] += x
			b[i] += x
			c[i] += x
			d[i] += x
			e[i] += x
		}
	}
	for ; len(to) >= 2; to = to[2:] {
		a, b := to[0][:len(excess)], to[1][:len(excess)]
		for i, x := range excess {
			a[i] += x
			b[i] += x
		}
	}
	for _, lane := range to {
		lane = lane[:len(excess)]
		for i, x := range excess {
			lane[i] += x
		}
	}
}

// empty moves the lanes into the sums.
func (s *score) empty() {
	half := len(s.excess)
	for row := range s.whole.rows {
		low, high := s.sums[row*2*half:][:half], s.sums[(row*2+1)*half:][:half]
		for i, x := range s.lanes[row*half:][:half] {
			v := int64(int32(x)) // the low half, signed; the high half has its borrow
			low[i] += v
			high[i] += int64(x-uint64(v)) >> 32
		}
	}
	clear(s.lanes)
	s.added = 0
}

// merge moves the sums of another score into s.
func (s *score) merge(other *score) {
	other.empty()
	for i, x := range other.sums {
		s.sums[i] += x
	}
	clear(other.sums)
}

// finish computes the gradient from the sums and clears them.
func (s *score) finish() {
	s.empty()
	clear(s.pair)
	clear(s.bias)
	n, wide := len(s.bias), 2*len(s.excess)
	for i := range s.whole.all {
		one := &s.whole.all[i]
		values := one.values
		for row := one.first; row < one.end; row++ {
			from := s.sums[row*wide:][:n]
			if i == 0 {
				subtract(s.bias, from)
			}
			for _, u := range values[:len(one.attributes)] {
				subtract(s.pair[int(u)*n:][:n], from)
			}
			values = values[len(one.attributes):]
		}
	}
	clear(s.sums)
}

func subtract(from []float32, sums []int64) {
	sums = sums[:len(from)]
	for i := range from {
		from[i] -= float32(float32(sums[i]) * (1.0 / scoreUnit))
	}
}

func add(to, other []float32) {
	other = other[:len(to)]
	for i := range to {
		to[i] += other[i]
	}
}
