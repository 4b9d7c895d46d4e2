package anatomy

// assignResidue puts every record that is left into a group drawn at random
// among those that lack its value: n mod l records, at most l-1, of different
// values. So a group gets one of a value at most, and has 2l-1
// records at most. There is such a group: the value has at most floor(n/l)
// records, one of which is this one, and there are floor(n/l) groups.
//
// O(floor(n/l)) a record, O(n) in all.
func (c *creation) assignResidue() {
	for bucket, left := range c.left {
		if left == 0 {
			continue
		}
		first := c.Start[bucket]
		has := make([]bool, c.groups)
		for _, g := range c.group[first:c.next(bucket)] {
			has[g] = true
		}
		lacking := make([]uint32, 0, c.groups)
		for g := range has {
			if !has[g] {
				lacking = append(lacking, uint32(g))
			}
		}
		c.group[c.next(bucket)] = lacking[c.random.IntN(len(lacking))]
	}
}
