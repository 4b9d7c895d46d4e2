package publication

// A part is a set of cells that are compared with each other, as items 0, 1, ..., with contiguous data.
type part struct {
	*clustering
	cells   []uint32
	records []int64 // by item
	at      []uint8 // by item, then attribute: its bin
	// The heavy values of item i are value[start[i]:start[i+1]], numbered within the part; count has their numbers of records.
	start  []int
	value  []uint32
	count  []int64
	values int // number of distinct ones
}

func newPart(g *clustering, cells []uint32) *part {
	p := &part{
		clustering: g,
		cells:      cells,
		records:    make([]int64, len(cells)),
		at:         make([]uint8, 0, len(cells)*len(g.Bins)),
		start:      make([]int, 1, len(cells)+1),
	}
	number := make([]uint32, len(g.Total)) // from 1
	for item, cell := range cells {
		p.records[item] = g.records[cell]
		for _, bins := range g.Bins {
			p.at = append(p.at, bins[cell])
		}
		for at := g.Start[cell]; at < g.Start[cell+1]; at++ {
			v := g.Sensitive[at]
			if v == light || g.l < 2 {
				continue
			}
			if number[v] == 0 {
				p.values++
				number[v] = uint32(p.values)
			}
			p.value, p.count = append(p.value, number[v]-1), append(p.count, g.Records[at])
		}
		p.start = append(p.start, len(p.value))
	}
	return p
}

// bins returns an item's bins, by attribute.
func (p *part) bins(item uint32) []uint8 {
	n := len(p.Bins)
	return p.at[int(item)*n : int(item)*n+n]
}

// isClass reports whether size records, of which have[v] have heavy value v, are a class.
func (p *part) isClass(size int64, have []int64) bool {
	if size < p.least {
		return false
	}
	for _, n := range have {
		if !p.isRareEnough(n, size) {
			return false
		}
	}
	return true
}

// classes grows classes and then trades cells between them.
func (p *part) classes() [][]uint32 {
	t := newTraders(p, newGrower(p).grow())
	t.Exchange(p.ctx, minSaving)
	return t.cellsOf()
}
