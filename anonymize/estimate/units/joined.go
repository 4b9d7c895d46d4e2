package units

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/groups"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A unitJoin adds up the units of groups by key if expressions read several fragments, or cells that stand for several values.
//
// A tuple has U units with r records each. A cell of a column that is constant in units is drawn once per unit, other cells once per
// record. With p_f for the classes f of the constant columns and q for the others given f, the expected number of units with a class is
//
//	U sum_f p_f (1 - (1 - q)^r)
//
// If a class has the key with any classes of the other sides, it counts alone. Otherwise the combinations that have the key count, and the
// units of a combination are those of [Prepared.Units]. Units have combinations independently: 1 - prod (1 - a / m) of them have any.
//
// A group has at least as many units as any tuple that must have the key, and as the least number of records fills. It
// has at most as many as its greatest number of records, and as the tuples that may have the key on one side.
type unitJoin struct {
	*groups.Bounds // of COUNT(*)
	release        *anonymize.Release
	parts          [][]unitPart // by side and position of a class among those in the group
	sums           unitSums     // by key
	drawn          unitScratch
	alike          alikeOrder
}

func NewUnitJoin(ctx context.Context, r *anonymize.Release, q *question.Question, sides []*question.Side) *unitJoin {
	bounds := &groups.Bounds{GroupTerms: groups.NewGroupTerms(ctx, q, sides), Thinned: figures.ThinningOf(r)}
	return &unitJoin{Bounds: bounds, release: r, parts: make([][]unitPart, len(sides))}
}

func (u *unitJoin) Answer(rows []question.AnswerRow) (*UnitFigures, error) {
	if err := u.EachGroup(u.release, u.addGroup); err != nil {
		return nil, err
	}
	return u.sums.figures(rows, func(keys []anonymize.Value) (int, bool) {
		key := int(u.Numbering.Number(keys))
		return key, key < len(u.sums)
	}), nil
}

func (u *unitJoin) addGroup(g int) error {
	u.Chain()
	u.PrepareGroup(g)
	in := newUnitGroup(u.release, g)
	for s := range u.Sides {
		u.gather(in, g, s)
	}
	for _, key := range u.KeysPresent {
		for len(u.sums) <= int(key) {
			u.sums = append(u.sums, unitSum{})
		}
		u.sums[key].add(in, u.partOf(in, g, key))
		if err := u.Work.Pass(len(u.Entries) + u.Worker.Steps); err != nil {
			return err
		}
	}
	return nil
}

// gather adds up the parts of a side's classes in a group.
func (u *unitJoin) gather(in *unitGroup, g, s int) {
	side := u.Sides[s]
	u.parts[s] = u.parts[s][:0]
	for range u.Worker.Present[s] {
		u.parts[s] = append(u.parts[s], unitPart{})
	}
	u.PlaceClasses(s)
	u.alike.visit(side.Fragment, g, in, func(t uint32, class alikeClass) {
		shares, whole := side.SharesOf(t, &u.Worker.Shares)
		if len(shares) == 0 {
			return
		}
		count, units := float64(side.Fragment.Count[t]), float64(side.Fragment.Units[t])
		for _, drawn := range drawUnits(side, t, shares, count/units, &u.drawn) {
			u.parts[s][u.At[drawn.class]].addShare(class, count, units, drawn, whole && isOneClass(shares))
		}
	})
	for i := range u.parts[s] {
		u.parts[s][i] = in.boundPart(side, u.parts[s][i])
	}
}

// isOneClass reports whether all shares are of one class.
func isOneClass(shares []question.Share) bool {
	return !slices.ContainsFunc(shares, func(s question.Share) bool { return s.Class != shares[0].Class })
}

// partOf returns the part of a group that has a key.
func (u *unitJoin) partOf(in *unitGroup, g int, key int32) unitPart {
	counted := u.Span(g, int(in.size), 0, key)
	p := unitPart{records: float64(counted.Low), possible: float64(counted.High), sum: min(in.members, float64(counted.High)), without: 1}
	u.markAlone(int(in.size))
	for s := range u.Views {
		must, may := u.unitsOfTuples(g, s)
		p.most, p.sum = max(p.most, must), min(p.sum, may)
		for _, at := range u.Views[s].Some {
			if u.Views[s].Every[at] {
				p.without *= 1 - u.parts[s][at].expected/in.members
			}
		}
	}
	for c := u.First[key]; c >= 0; c = u.Next[c] {
		p.mean += u.Weight[c]
		if one, isAlone := u.combination(in, int(c)); !isAlone {
			p.without *= 1 - one.expected/in.members
		}
	}
	p.expected = min(max(in.members*(1-p.without), p.mean/in.recordsPerUnit()), p.mean)
	return p
}

// markAlone keeps the marks of classes that have the key with any other class only if all records of the other sides have a class.
func (u *unitJoin) markAlone(m int) {
	for s := range u.Views {
		for other := range u.Views {
			if other != s && u.Views[other].Alive < m {
				u.Views[s].Unmark()
			}
		}
	}
}

// combination returns the part of a combination of classes; isAlone says that one of them has the key with any other class.
func (u *unitJoin) combination(in *unitGroup, c int) (p unitPart, isAlone bool) {
	p = in.everything()
	for s, classes := range u.Radix {
		at := c % classes
		c /= classes
		isAlone = isAlone || u.Views[s].Every[at]
		p = in.intersect(p, u.parts[s][at])
	}
	return p, isAlone
}

// unitsOfTuples follows [Bounds.Span] for a key. It returns the greatest number of units of a tuple of a side
// that has the key whatever the other sides have, and the sum of the units of those that may have it.
func (u *unitJoin) unitsOfTuples(g, s int) (must, may float64) {
	p, f := &u.Views[s], u.Sides[s].Fragment
	u.EachTuple(g, s, func(t uint32, shares []question.Share, whole bool) {
		possible, surely := false, whole
		for _, share := range shares {
			at := u.At[share.Class]
			possible = possible || p.Qualifying[at] > 0
			surely = surely && p.Every[at]
		}
		if possible {
			may += float64(f.Units[t])
		}
		if surely {
			must = max(must, float64(f.Units[t]))
		}
	})
	return must, may
}

// A tupleShare is the share of a tuple's records and units with a class.
type tupleShare struct {
	class  uint32
	mass   float64 // the probability of a record
	chance float64 // the probability that a unit has the class in any of its records in the tuple
}

// unitScratch is scratch space for the shares of a tuple.
type unitScratch struct {
	constant, varying question.ShareScratch
	list, once        []tupleShare
}

// drawUnits returns the shares of a tuple whose units have that many records in it, each class once; shares are those of its records.
func drawUnits(s *question.Side, t uint32, shares []question.Share, records float64, space *unitScratch) []tupleShare {
	space.list = space.list[:0]
	if s.Point {
		return append(space.list, tupleShare{shares[0].Class, 1, 1})
	}
	constant, _ := s.Cells.CombinationsOf(t, &space.constant, func(c *question.CellColumn) bool { return c.Constant })
	varying, _ := s.Cells.CombinationsOf(t, &space.varying, func(c *question.CellColumn) bool { return !c.Constant })
	for _, one := range constant {
		space.once = space.once[:0]
		for _, other := range varying {
			if class := s.Cells.Class(one.Code + other.Code); class != question.Dead {
				space.once = addShare(space.once, tupleShare{class, other.Mass, 0})
			}
		}
		for _, x := range space.once {
			space.list = addShare(space.list, tupleShare{x.class, one.Mass * x.mass, one.Mass * (1 - math.Pow(max(0, 1-x.mass), records))})
		}
	}
	return space.list
}

// addShare adds a share to the share of its class.
func addShare(list []tupleShare, s tupleShare) []tupleShare {
	i := slices.IndexFunc(list, func(known tupleShare) bool { return known.class == s.class })
	if i < 0 {
		return append(list, s)
	}
	list[i].mass, list[i].chance = list[i].mass+s.mass, list[i].chance+s.chance
	return list
}
