package dynamic

import "context"

// modify is Algorithm 5. If quasi-identifiers change, with or without the sensitive value, the
// record is deleted and inserted (lines 3-7). If only the sensitive value changes, it changes
// in place (lines 8-15).
func (p *printer) modify(ctx context.Context, c change) error {
	r := &p.records[c.record]
	if !r.published() || !equal(p.quasi(), r.row, uint32(c.row)) {
		if err := p.delete(c.record); err != nil {
			return err
		}
		return p.insert(ctx, p.arrive(c.key, c.row))
	}
	gid := r.group
	p.gid[gid].remove(p, c.record)
	r.row, r.value = uint32(c.row), p.sensitive().Codes[c.row]
	p.gid[gid].add(p, c.record)
	p.protect(gid, r.value)
	return nil
}
