package locality

// A pool has the records left to distribute to its groups, at most one of a value per group.
type pool struct {
	groups int      // all that it serves
	made   int      // of them
	left   int      // A, the records left to hand out
	extra  []uint32 // by value: those of it
	must   []uint32 // the values with one record for every remaining group
	// due[g] are the values that must be taken from the pool's group g on unless
	// they were taken before.
	due   [][]uint32
	heads *heads   // the values, without must, by the place of their next record
	taken []uint32 // scratch
}

func newPool(groups, values int) *pool {
	return &pool{groups: groups, extra: make([]uint32, values), due: make([][]uint32, groups+1), heads: newHeads(values)}
}

// fill adds records of a value, at most one per group.
func (p *pool) fill(value, records uint32) {
	p.extra[value] = records
	p.left += int(records)
	p.file(value)
}

func (p *pool) file(value uint32) {
	g := p.groups - int(p.extra[value])
	p.due[g] = append(p.due[g], value)
}

// begin returns the number of records for the next group, ceil(A/t), and updates must. A value
// that was taken since it was filed has more time, one group for each: so filing costs no more
// than taking.
func (p *pool) begin() (size int) {
	togo := p.groups - p.made
	size = (p.left + togo - 1) / togo
	p.left -= size
	for _, v := range p.due[p.made] {
		switch {
		case p.extra[v] == 0:
		case int(p.extra[v]) == togo:
			p.heads.remove(v)
			p.must = append(p.must, v)
		default:
			p.file(v)
		}
	}
	p.due[p.made] = nil
	p.made++
	return size
}
