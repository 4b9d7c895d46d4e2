package cells

import (
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A cellPresence has the classes of a side in a group, and for each the tuples that may have
// it.
type cellPresence struct {
	*momentSide
	present []uint32
	chances []figures.ChanceList // by class
	space   question.ShareScratch
	tuple   []float64 // by class
	met     []uint32
}

func newCellPresence(s *momentSide) *cellPresence {
	return &cellPresence{momentSide: s, chances: make([]figures.ChanceList, s.Classes), tuple: make([]float64, s.Classes)}
}

// collect finds the classes in group g; ok is false if there are none.
func (o *cellPresence) collect(g int, work *question.Checkpoint) (ok bool, err error) {
	for _, class := range o.present {
		o.chances[class] = o.chances[class][:0]
	}
	o.present = o.present[:0]
	f := o.Fragment
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		shares, whole := o.SharesOf(t, &o.space)
		if err := work.Pass(1 + len(shares)); err != nil {
			return false, err
		}
		o.met = o.met[:0]
		for _, share := range shares {
			if o.tuple[share.Class] == 0 {
				o.met = append(o.met, share.Class)
			}
			o.tuple[share.Class] += share.Mass
		}
		for _, class := range o.met {
			p := min(1, o.tuple[class])
			if whole && len(o.met) == 1 {
				p = 1 // exactly, despite rounding of its parts
			}
			if o.tuple[class] = 0; len(o.chances[class]) == 0 {
				o.present = append(o.present, class)
			}
			o.chances[class] = append(o.chances[class], figures.Chance{P: p, Count: int(f.Count[t])})
		}
	}
	return len(o.present) > 0, nil
}
