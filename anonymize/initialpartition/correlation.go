package initialpartition

// split is Algorithm 1 for the block member[first:end] and the attribute A_i, i from 0. It does
// not try blocks of fewer than 2l records, which cannot be two l-diverse blocks.
func (d *division) split(first, end, i int) error {
	if i == len(d.columns) || end-first < 2*d.L {
		d.output(end)
		return nil
	}
	if err := d.ended(end - first); err != nil {
		return err
	}
	parts := d.parts(first, end, i)
	divided := len(parts) > 1
	parts, err := d.merge(parts)
	if err != nil {
		return err
	}
	collapsed := divided && len(parts) == 1 && d.Collapse == Skip
	for _, p := range parts {
		if p.merged && !collapsed && d.Collapse != Continue { // line 7
			d.output(p.end)
			continue
		}
		if err := d.split(p.first, p.end, i+1); err != nil { // line 10
			return err
		}
	}
	return nil
}

// parts is Algorithm 1, line 1: the records by their value of A_i, in order.
func (d *division) parts(first, end, i int) []part {
	records, codes := d.member[first:end], d.columns[i].Codes
	d.sortBy(records, d.columns[i])
	var parts []part
	from := 0
	for to := 1; to <= len(records); to++ {
		if to == len(records) || codes[records[to]] != codes[records[from]] {
			parts = append(parts, part{first: first + from, end: first + to, most: d.greatestCount(records[from:to])})
			from = to
		}
	}
	return parts
}
