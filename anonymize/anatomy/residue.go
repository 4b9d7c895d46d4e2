package anatomy

// assignResidue puts every remaining record into a random group among those that lack its
// value: n mod l records, at most l-1, of different values. So a group gets at most one record
// of a value, and has at most 2l-1 records. Such a group exists: the value has at most
// floor(n/l) records including this one, and there are floor(n/l) groups.
//
// O(floor(n/l)) per record, O(n) in total.
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
