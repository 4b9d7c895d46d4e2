package cells

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A cellDistinct computes the expected numbers of distinct values of one aggregate of a Kernel
// without counterfeits: see groups.CountDistinct for the formulas. It does not visit single
// values. A tuple has all values of a stretch with the same probability, so the probability of
// not meeting a value is piecewise constant, in a group and over all groups. It stores the
// changes only.
//
// Cost: per tuple, the stretches of its cell (one for an interval); per key, the values. With
// several fragments also, per group, the distinct ends of stretches times the records that may
// have such a value times the combinations of the other fragments' keys.
type cellDistinct struct {
	*Kernel
	own    *cellCollector // of the argument's fragment
	column int            // of the argument, in own
	values *cellPlaces
	others []*cellPresence
	// The current pass covers the combinations of keys from low to high-1; absent has their
	// probabilities.
	low, high int
	absent    []absence
	work      question.Checkpoint
	// Per tuple: what the cells beside the argument's leave open, and the argument's values by
	// class of own.
	chances []classChance
	pieces  []piece
	// Per group, by class of own: the stretches of its tuples.
	stretches [][]stretch
	present   []uint32
	merged    figures.ChanceList
	known     map[float64]float64
	spare     [2]figures.Distribution
	ends      []uint32
	active    []stretch
}

// A classChance is the probability that a record has a class of the side, given its class in
// the argument's column.
type classChance struct {
	column, class uint32
	mass          float64
}

// A stretch says that each of count records has each of some neighbouring values with
// probability p.
type stretch struct {
	first, end uint32
	figures.Chance
}

// Bounds on the stored changes, 24 bytes each, and on the number of passes.
const (
	maxAbsences       = 1 << 21
	maxDistinctPasses = 32
)

// distinctFits reports whether the product of an aggregate's values and the keys is small enough.
func (k *Kernel) distinctFits(a int) bool {
	at := k.aggregates[a]
	values := len(k.sides[at.side].arguments[at.argument].list) + 1
	return k.combinations <= max(1, maxAbsences/values)*maxDistinctPasses
}

// countDistinct writes the expected numbers of values of aggregate a into the kernel's rows.
func (k *Kernel) countDistinct(ctx context.Context, a int, rows []question.AnswerRow) error {
	d := k.newDistinct(ctx, a)
	expected := make([]float64, k.combinations)
	if err := d.values.prepare(ctx); err != nil {
		return err
	}
	n := len(d.values.list)
	chunk := max(1, maxAbsences/(n+1))
	for d.low = 0; d.low < k.combinations; d.low += chunk {
		d.high = min(k.combinations, d.low+chunk)
		d.absent = make([]absence, d.high-d.low)
		if err := d.pass(); err != nil {
			return err
		}
		for i := range d.absent {
			expected[d.low+i] = d.absent[i].expected()
		}
	}
	for _, row := range rows {
		row.Figures[a] = anonymize.RealValue(expected[k.combinationOf[k.numbering.Number(row.Keys)]])
	}
	return nil
}

func (k *Kernel) newDistinct(ctx context.Context, a int) *cellDistinct {
	at := k.aggregates[a]
	d := &cellDistinct{Kernel: k, work: question.Checkpoint{Ctx: ctx}, known: make(map[float64]float64)}
	for i, s := range k.sides {
		if i != at.side {
			d.others = append(d.others, newCellPresence(s))
			continue
		}
		d.own = newCellCollector(s)
		d.column = s.arguments[at.argument].column
		d.values = &cellPlaces{cellArgument: s.arguments[at.argument], column: s.Columns[d.column]}
		d.stretches = make([][]stretch, s.Classes)
	}
	return d
}

// pass visits the groups for the combinations from low to high-1.
func (d *cellDistinct) pass() error {
	f := d.own.Fragment
	if len(d.others) == 0 { // groups do not matter
		for t := range uint32(f.Tuples()) {
			if err := d.tuple(t, d.multiplyAbsence); err != nil {
				return err
			}
		}
		return nil
	}
	for g := range d.release.Groups() {
		if err := d.group(g); err != nil {
			return err
		}
	}
	return nil
}

// multiplyAbsence multiplies by the probability that no record of a tuple has a value.
func (d *cellDistinct) multiplyAbsence(class uint32, s stretch) {
	d.multiply(int(class)*d.own.stride, s.first, s.end, float64(s.Count)*math.Log1p(-s.P))
}

func (d *cellDistinct) multiply(combination int, first, end uint32, logarithm float64) {
	if combination >= d.low && combination < d.high {
		d.absent[combination-d.low].multiply(len(d.values.list), first, end, logarithm)
	}
}

// tuple visits the stretches of a tuple's values by class of the side.
func (d *cellDistinct) tuple(t uint32, visit func(class uint32, s stretch)) error {
	c := d.own
	if !c.enter(t) {
		return d.work.Pass(1)
	}
	d.chances = d.chances[:0]
	n := 0
	for more := true; more; more = c.advance() {
		code, mass := uint64(0), 1.0
		for i, column := range c.Columns {
			share := column.Shares[c.at[i]]
			code += uint64(share.Class) * c.strides[i]
			if i != d.column {
				mass *= share.Mass
			}
		}
		if class := c.Class(code); class != question.Dead {
			d.chances = append(d.chances, classChance{c.Columns[d.column].Shares[c.at[d.column]].Class, class, mass})
		}
		n++
	}
	d.addChances()
	count := int(c.Fragment.Count[t])
	d.pieces = d.pieces[:0]
	d.values.eachPiece(c.codes[d.column][t], func(p piece) {
		n++
		at, _ := slices.BinarySearchFunc(d.chances, p.class, func(x classChance, class uint32) int { return cmp.Compare(x.column, class) })
		for ; at < len(d.chances) && d.chances[at].column == p.class; at++ {
			d.pieces = append(d.pieces, piece{p.first, p.end, d.chances[at].class, p.mass * d.chances[at].mass})
			n++
		}
	})
	if d.values.shares() {
		d.pieces = addPieces(d.pieces)
	}
	for _, p := range d.pieces {
		visit(p.class, stretch{p.first, p.end, figures.Chance{P: min(1, p.mass), Count: count}})
	}
	return d.work.Pass(n)
}

// addChances sorts the chances and adds up those of equal classes.
func (d *cellDistinct) addChances() {
	if len(d.chances) < 2 {
		return
	}
	slices.SortFunc(d.chances, func(x, y classChance) int {
		return cmp.Or(cmp.Compare(x.column, y.column), cmp.Compare(x.class, y.class))
	})
	kept := d.chances[:1]
	for _, x := range d.chances[1:] {
		if last := &kept[len(kept)-1]; x.column == last.column && x.class == last.class {
			last.mass += x.mass
		} else {
			kept = append(kept, x)
		}
	}
	d.chances = kept
}

// group multiplies by the probabilities that no record of group g has a value.
func (d *cellDistinct) group(g int) error {
	if ok, err := d.collect(g); !ok || err != nil {
		return err
	}
	position, radix := make([]int, len(d.others)), make([]int, len(d.others))
	for i, o := range d.others {
		radix[i] = len(o.present)
	}
	for more := true; more; more = question.Advances(position, radix) {
		combination := 0
		for i, o := range d.others {
			combination += int(o.present[position[i]]) * o.stride
		}
		avoiding, err := d.avoidanceOf(int(d.release.GroupSizes[g]), position)
		if err != nil {
			return err
		}
		clear(d.known)
		for _, class := range d.present {
			if err := d.sweep(combination+int(class)*d.own.stride, d.stretches[class], avoiding); err != nil {
				return err
			}
		}
	}
	return nil
}

// collect finds the stretches of group g and the others' classes; ok is false if there are
// none.
func (d *cellDistinct) collect(g int) (ok bool, err error) {
	for _, o := range d.others {
		if ok, err := o.collect(g, &d.work); !ok || err != nil {
			return false, err
		}
	}
	for _, class := range d.present {
		d.stretches[class] = d.stretches[class][:0]
	}
	d.present = d.present[:0]
	f := d.own.Fragment
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		err := d.tuple(t, func(class uint32, s stretch) {
			if len(d.stretches[class]) == 0 {
				d.present = append(d.present, class)
			}
			d.stretches[class] = append(d.stretches[class], s)
		})
		if err != nil {
			return false, err
		}
	}
	return len(d.present) > 0, nil
}

// avoidanceOf covers the records that have the current classes of all others.
func (d *cellDistinct) avoidanceOf(m int, position []int) (*figures.Avoidance, error) {
	common := d.others[0].chances[d.others[0].present[position[0]]].Number(&d.spare)
	for i, o := range d.others[1:] {
		common.P = slices.Clone(common.P) // out of the spare
		var err error
		if common, err = common.Intersect(o.chances[o.present[position[i+1]]].Number(&d.spare), m, &d.work); err != nil {
			return nil, err
		}
	}
	return figures.NewAvoidance(m, common), nil
}

// sweep visits the values of a group, stretch by stretch.
func (d *cellDistinct) sweep(combination int, list []stretch, avoiding *figures.Avoidance) error {
	if combination < d.low || combination >= d.high {
		return nil
	}
	d.ends = d.ends[:0]
	for _, s := range list {
		d.ends = append(d.ends, s.first, s.end)
	}
	slices.Sort(d.ends)
	d.ends = slices.Compact(d.ends)
	slices.SortFunc(list, func(x, y stretch) int { return cmp.Compare(x.first, y.first) })
	d.active = d.active[:0]
	for i, first := range d.ends[:len(d.ends)-1] {
		d.active = slices.DeleteFunc(d.active, func(s stretch) bool { return s.end <= first })
		for len(list) > 0 && list[0].first == first {
			d.active, list = append(d.active, list[0]), list[1:]
		}
		if len(d.active) == 0 {
			continue
		}
		absent, err := d.probabilityOfNone(avoiding)
		if err != nil {
			return err
		}
		d.multiply(combination, first, d.ends[i+1], math.Log(absent))
	}
	return nil
}

// probabilityOfNone returns the probability that the records which the other fragments allow
// include none with a value of the active stretches.
func (d *cellDistinct) probabilityOfNone(avoiding *figures.Avoidance) (absent float64, err error) {
	alone := math.NaN()
	if len(d.active) == 1 && d.active[0].Count == avoiding.M { // the only tuple
		alone = d.active[0].P
		if absent, ok := d.known[alone]; ok {
			return absent, d.work.Pass(1)
		}
	}
	d.merged = d.merged[:0]
	for _, s := range d.active {
		d.merged = append(d.merged, s.Chance)
	}
	number := d.merged.Number(&d.spare)
	for i, p := range number.P {
		absent += p * avoiding.Probability(number.From+i)
	}
	if alone == alone {
		d.known[alone] = absent
	}
	return absent, d.work.Pass(len(d.active) + len(number.P)*(1+len(avoiding.Common)))
}
