package arp

// A leftover is a record that is in no sub-block yet, and its block.
type leftover struct{ record, block uint32 }

// residuals is the paper's R_B: what is left of blocks, by sensitive value, in
// the order of the blocks.
type residuals struct {
	waiting [][]leftover // by value
	values  []uint32     // those with records, the last that got its first one last
}

func (r *residuals) add(value uint32, l leftover) {
	if len(r.waiting[value]) == 0 {
		r.values = append(r.values, value)
	}
	r.waiting[value] = append(r.waiting[value], l)
}

// take is Algorithm 2, line 14: one record of each of size values. "Neighbor
// blocks" is all the paper says. Values with the most records are taken, so that
// few are left in the end, and of each the last record, which is of the nearest
// block.
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
