package slicing

// minPart bounds the imbalance of splits away from the median: the smaller part has at least
// one in minPart of the rows. So a row takes part in O(log n) splits; without the bound,
// splitting off l rows at a time would make it O(n/l).
const minPart = 16

// mostEvenCut returns the most even cut of b along the candidates with l-diverse parts; ties go
// to the earlier candidate and to the upper cut. For each candidate it makes two passes over
// the rows in the order of their codes.
func (c *cutter) mostEvenCut(b bucket, candidates []int) (best cut, ok bool) {
	size := b.size()
	greatest := max(int(c.l), (size+minPart-1)/minPart) - 1 // smaller part so far
	for _, q := range candidates {
		c.sort(b, q)
		c.markLeft()
		broken, row := 0, size
		for i := len(c.ends) - 2; i >= 0; i-- {
			for ; row > c.ends[i]; row-- {
				broken += c.add(row - 1)
			}
			smaller := min(c.ends[i], size-c.ends[i])
			if broken == 0 && c.leftDiverse[i] && smaller > greatest {
				best, greatest, ok = cut{q, c.codes[i]}, smaller, true
			}
		}
		c.forget()
	}
	return best, ok
}

// sort puts class and pair of b's rows into c.sorted by their codes of q, the
// codes into c.codes and where the rows of each end into c.ends.
func (c *cutter) sort(b bucket, q int) {
	cells, size := c.cellsOf(b), b.size()
	c.codes, c.ends = c.codes[:0], c.ends[:0]
	if cap(c.sorted) < 2*size {
		c.sorted = make([]uint32, 2*size)
	}
	c.sorted = c.sorted[:2*size]
	place := func(to uint32, row []uint32) {
		c.sorted[2*to], c.sorted[2*to+1] = row[c.m], row[c.m+1]
	}
	count := c.histogram(b, q)
	if count == nil {
		for i, key := range c.byCode(b, q) {
			place(uint32(i), cells[int(uint32(key))*c.stride:][:c.stride])
			if i == size-1 || key>>32 != c.keys[i+1]>>32 {
				c.codes, c.ends = append(c.codes, uint32(key>>32)), append(c.ends, i+1)
			}
		}
		return
	}
	next := uint32(0)
	for code, n := range count {
		count[code] = next
		if next += n; n > 0 {
			c.codes, c.ends = append(c.codes, c.low[q]+uint32(code)), append(c.ends, int(next))
		}
	}
	for at := 0; at < len(cells); at += c.stride {
		row := cells[at:][:c.stride]
		code := row[q] - c.low[q]
		place(count[code], row)
		count[code]++
	}
	clear(count)
}

// markLeft marks the ends up to which the sorted rows are l-diverse.
func (c *cutter) markLeft() {
	c.leftDiverse = c.leftDiverse[:0]
	broken, row := 0, 0
	for _, end := range c.ends {
		for ; row < end; row++ {
			broken += c.add(row)
		}
		c.leftDiverse = append(c.leftDiverse, broken == 0)
	}
	c.forget()
}

// add counts one sorted row and returns the change of the number of classes that are not
// l-diverse.
func (c *cutter) add(row int) int {
	class, pair := c.sorted[2*row], c.sorted[2*row+1]
	before := c.broken(class)
	c.inClass[0][class]++
	c.inPair[0][pair]++
	c.most[class] = max(c.most[class], c.inPair[0][pair])
	return c.broken(class) - before
}

// broken is 1 for a class that is not l-diverse, else 0.
func (c *cutter) broken(class uint32) int {
	if uint64(c.most[class])*c.l > uint64(c.inClass[0][class]) {
		return 1
	}
	return 0
}

// forget clears the counts of the sorted rows.
func (c *cutter) forget() {
	for i := 0; i < len(c.sorted); i += 2 {
		class, pair := c.sorted[i], c.sorted[i+1]
		c.inClass[0][class], c.inPair[0][pair], c.most[class] = 0, 0, 0
	}
}
