package estimate

// A cellPresence has the classes of a side in a group, with the tuples that may have
// them.
type cellPresence struct {
	*momentSide
	present []uint32
	chances []chanceList // by class
	space   shareScratch
	tuple   []float64 // by class
	met     []uint32
}

func newCellPresence(s *momentSide) *cellPresence {
	return &cellPresence{momentSide: s, chances: make([]chanceList, s.classes), tuple: make([]float64, s.classes)}
}

// collect reports whether group g has a class.
func (o *cellPresence) collect(g int, work *checkpoint) (ok bool, err error) {
	for _, class := range o.present {
		o.chances[class] = o.chances[class][:0]
	}
	o.present = o.present[:0]
	f := o.fragment
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		shares, whole := o.sharesOf(t, &o.space)
		if err := work.pass(1 + len(shares)); err != nil {
			return false, err
		}
		o.met = o.met[:0]
		for _, share := range shares {
			if o.tuple[share.class] == 0 {
				o.met = append(o.met, share.class)
			}
			o.tuple[share.class] += share.mass
		}
		for _, class := range o.met {
			p := min(1, o.tuple[class])
			if whole && len(o.met) == 1 {
				p = 1 // whatever its parts add up to
			}
			if o.tuple[class] = 0; len(o.chances[class]) == 0 {
				o.present = append(o.present, class)
			}
			o.chances[class] = append(o.chances[class], chance{p, int(f.Count[t])})
		}
	}
	return len(o.present) > 0, nil
}
