package fulldomain

// source returns the smallest remembered tuples of a finer node.
func (s *search) source(node int) *tuples {
	smallest := &s.base.tuples
	for _, t := range s.counted {
		if t.size() < smallest.size() && s.base.isFiner(t.node, node) {
			smallest = t
		}
	}
	return smallest
}

// remember keeps tuples that are worth it, and drops the oldest if all together exceed four
// times the table's.
func (s *search) remember(t *tuples) {
	if 2*t.size() > s.base.size() {
		return
	}
	s.counted = append(s.counted, t)
	s.memory += t.size()
	for s.memory > max(4*s.base.size(), 1<<20) || len(s.counted) > 1000 {
		s.memory -= s.counted[0].size()
		s.counted = s.counted[1:]
	}
}
