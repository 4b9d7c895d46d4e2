package arp

// A leftover is a record without a sub-block, and its block.
type leftover struct{ record, block uint32 }

// residuals is the paper's R_B: the remaining records of blocks, by sensitive value, in the
// order of the blocks.
type residuals struct {
	waiting [][]leftover // by value
	values  []uint32     // those with records, in order of their first record
}

func (r *residuals) add(value uint32, l leftover) {
	if len(r.waiting[value]) == 0 {
		r.values = append(r.values, value)
	}
	r.waiting[value] = append(r.waiting[value], l)
}

// take is Algorithm 2, line 14: one record of each of size values. The paper says only
// "neighbor blocks". It takes the values with the most records, so that few remain in the end,
// and of each the last record, which is from the nearest block.
func (r *residuals) take(size int) []leftover {
	taken := make([]leftover, 0, size)
	for i := range size {
		most := i
		for j := i + 1; j < len(r.values); j++ {
			if len(r.waiting[r.values[j]]) > len(r.waiting[r.values[most]]) {
				most = j
			}
		}
		r.values[i], r.values[most] = r.values[most], r.values[i]
		w := &r.waiting[r.values[i]]
		taken = append(taken, (*w)[len(*w)-1])
		*w = (*w)[:len(*w)-1]
	}
	kept := r.values[:0]
	for _, v := range r.values {
		if len(r.waiting[v]) > 0 {
			kept = append(kept, v)
		}
	}
	r.values = kept
	return taken
}
