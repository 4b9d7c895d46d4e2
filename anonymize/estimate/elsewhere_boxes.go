package estimate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// maxDistantBoxes bounds the combinations of classes of a question whose standard errors and
// bounds, or numbers of values, are asked over relations that are elsewhere.
const (
	maxDistantBoxes = 1 << 16
	ofBoxes         = "standard errors, bounds and COUNT(DISTINCT)"
)

// A family is a list of boxes whose sets of classes are equal or disjoint, on every side: a record
// is in one of them at most, by the numbers of its sets.
type family struct {
	boxes []int // of the list
	sets  []familySets
	worth *familyWorth // nil: only numbers of records are asked
}

// familySets are those of one side: of has the number of the set of every class, or NoClass.
type familySets struct {
	of     []uint32
	number map[string]uint32 // by the classes
}

// distantBoxes are the boxes of the question's aggregates whose kind is asked.
func (s *scan) distantBoxes(ctx context.Context, asked func(Kind) bool) (*boxes, error) {
	if s.sides == nil {
		if _, _, err := s.distantSides(ctx); err != nil {
			return nil, err
		}
	}
	combinations := 1
	for _, side := range s.sides {
		if combinations *= side.classes; combinations > maxDistantBoxes {
			return nil, &UnansweredError{fmt.Sprintf("%s of more than %d combinations of keys, arguments and conditions' outcomes", ofBoxes, maxDistantBoxes)}
		}
	}
	b := newBoxes(s.question, s.sides, asked)
	if b == nil {
		return nil, &UnansweredError{ofBoxes + " where a condition or key over several fragments is no product of conditions inside them, " +
			"or an expression fails for some values"}
	}
	return b, s.prepared.elsewhere.fits(2 * len(s.sides))
}

// asked are the classes of a family's boxes, fragment by fragment.
func (s *scan) asked(f *family) []Classes {
	asked := make([]Classes, len(s.sides))
	for i, fragment := range s.question.touched() {
		asked[i] = s.sides[i].asked(fragment)
		asked[i].Of = f.sets[i].of
	}
	return asked
}

// profiles visits, box by box of a family, how many groups have which numbers of records in a box, in a
// fixed order.
func (s *scan) profiles(ctx context.Context, b *boxes, f *family, visit func(box int, p *SumProfile)) error {
	store, asked := s.prepared.elsewhere.store, s.asked(f)
	var list []SumProfile
	var err error
	if f.worth != nil {
		list, err = store.Sums(ctx, asked, f.worth.worth)
	} else {
		var profiles []Profile
		profiles, err = store.Profiles(ctx, asked)
		for _, p := range profiles {
			list = append(list, SumProfile{Profile: p})
		}
	}
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b SumProfile) int {
		return cmp.Or(slices.Compare(a.Classes, b.Classes), cmp.Compare(a.Size, b.Size), slices.Compare(a.Counts, b.Counts))
	})
	of, counted := f.places(b), make(map[string]uint64)
	for i := range list {
		place := fmt.Sprint(list[i].Classes)
		if counted[place] += list[i].Groups; counted[place] > s.prepared.elsewhere.groups {
			return fmt.Errorf("the relations are not those of the release: they have more than %d groups", s.prepared.elsewhere.groups)
		}
		if err := s.prepared.elsewhere.checkProfile(&list[i].Profile, len(s.sides)); err != nil {
			return err
		}
		for _, box := range of[place] { // none where sets of several boxes meet in none
			visit(box, &list[i])
		}
	}
	return nil
}

// checkProfile refuses numbers that no group of the release has.
func (d *elsewhere) checkProfile(p *Profile, fragments int) error {
	if _, err := d.size(p.Size); err != nil {
		return err
	}
	if len(p.Counts) != fragments {
		return fmt.Errorf("counts of %d fragments came, %d were asked", len(p.Counts), fragments)
	}
	for _, n := range p.Counts {
		if n == 0 || n > p.Size {
			return fmt.Errorf("the relations are not those of the release: %d records in a group of %d", n, p.Size)
		}
	}
	return nil
}

// families puts every box into the first one that it fits in, those that add up first: numbers of records come with sums.
func (b *boxes) families(sides []*side) (list []*family) {
	for _, adds := range []bool{true, false} {
		for i, x := range b.list {
			if (x.worth != nil) != adds {
				continue
			}
			at := slices.IndexFunc(list, func(f *family) bool { return f.fits(x, sides) })
			if at < 0 {
				at = len(list)
				list = append(list, newFamily(x))
			}
			list[at].add(i, x, sides)
		}
	}
	return list
}

func newFamily(x *box) *family {
	f := &family{sets: make([]familySets, len(x.of))}
	for s, classes := range x.of {
		f.sets[s] = familySets{of: slices.Repeat([]uint32{NoClass}, len(classes)), number: make(map[string]uint32)}
	}
	return f
}

// fits reports whether the box's sets are, on every side, among the family's or disjoint to all of them, and what its records are
// worth is what the family has.
func (f *family) fits(x *box, sides []*side) bool {
	for s, classes := range x.of {
		if _, known := f.sets[s].number[setText(classes)]; known {
			continue
		}
		for class, in := range classes {
			if in && f.sets[s].of[class] != NoClass {
				return false
			}
		}
	}
	return x.worth == nil || f.worth == nil || f.worth.agrees(x, sides)
}

// add takes a box that fits into the family.
func (f *family) add(i int, x *box, sides []*side) {
	f.boxes = append(f.boxes, i)
	for s, classes := range x.of {
		text := setText(classes)
		if _, known := f.sets[s].number[text]; known {
			continue
		}
		n := uint32(len(f.sets[s].number))
		f.sets[s].number[text] = n
		for class, in := range classes {
			if in {
				f.sets[s].of[class] = n
			}
		}
	}
	if x.worth == nil {
		return
	}
	if f.worth == nil {
		f.worth = newFamilyWorth(x, sides)
	}
	f.worth.add(x, sides)
}

// places has the boxes by the numbers of their sets.
func (f *family) places(b *boxes) map[string][]int {
	of := make(map[string][]int, len(f.boxes))
	for _, box := range f.boxes {
		place := fmt.Sprint(f.place(b.list[box]))
		of[place] = append(of[place], box)
	}
	return of
}

// place has the number of the box's set of every side.
func (f *family) place(x *box) []uint32 {
	place := make([]uint32, len(x.of))
	for s, classes := range x.of {
		place[s] = f.sets[s].number[setText(classes)]
	}
	return place
}

// setText is a text that tells sets of classes apart.
func setText(classes []bool) string {
	text := make([]byte, len(classes))
	for i, in := range classes {
		if in {
			text[i] = 1
		}
	}
	return string(text)
}

// distantSpreads finds the moments and bounds of the question's COUNTs, SUMs and AVGs.
func (s *scan) distantSpreads(ctx context.Context) error {
	if s.looked {
		return nil
	}
	b, err := s.distantBoxes(ctx, Kind.hasSpread)
	if err != nil {
		return err
	}
	d := s.prepared.elsewhere
	l := &layout{groups: int(d.groups)}
	for _, size := range d.sizes {
		l.sizes = append(l.sizes, size.Size)
	}
	k := &kernel{layout: l, boxes: b}
	totals := k.newTotals()
	s.means = make([]steps, len(b.list))
	for _, f := range b.families(s.sides) {
		if err := f.scale(d, s.sides); err != nil {
			return err
		}
		if err := s.profiles(ctx, b, f, func(box int, p *SumProfile) {
			if b.list[box].worth != nil {
				totals.floats[box].addProfile(p, f.worth, b.list[box].argument)
				return
			}
			size, _ := d.size(p.Size)
			totals.moments[size*len(b.list)+box].addProfile(&p.Profile)
		}); err != nil {
			return err
		}
		if f.worth != nil {
			if err := s.takes(ctx, b, f, totals); err != nil {
				return err
			}
		}
	}
	s.kernel, s.totals, s.looked = k, totals, true
	return nil
}

// addProfile adds groups whose counts are alike.
func (t *boxMoments) addProfile(p *Profile) {
	product, pairs, total, high := uint64(1), uint64(1), uint64(0), uint64(p.Size)
	for _, n := range p.Counts {
		a := uint64(n)
		product *= a
		pairs *= a * (a - 1)
		total += a
		high = min(high, a)
	}
	others := uint64(len(p.Counts)-1) * uint64(p.Size)
	t.products += p.Groups * product
	t.pairs += p.Groups * pairs
	t.squares += p.Groups * product * product
	t.low += p.Groups * (max(total, others) - others)
	t.high += p.Groups * high
}

// distantDistinct replaces the Distinct figures of an answer.
func (s *scan) distantDistinct(ctx context.Context, rows []AnswerRow) error {
	b, err := s.distantBoxes(ctx, func(kind Kind) bool { return kind == Distinct })
	if err != nil {
		return err
	}
	floats := newFloats(b)
	for _, f := range b.families(s.sides) {
		if err := s.profiles(ctx, b, f, func(box int, p *SumProfile) {
			floats[box].absent *= math.Pow(p.probabilityOfNone(), float64(p.Groups))
		}); err != nil {
			return err
		}
	}
	b.countValues(floats, rows)
	return nil
}

// probabilityOfNone is the probability that a group has no record in the box, as [laneWorker.probabilityOfNone] has it.
func (p *Profile) probabilityOfNone() float64 {
	common, next := make([]float64, p.Size+1), make([]float64, p.Size+1)
	common[p.Size] = 1
	for _, n := range p.Counts {
		clear(next)
		for c, chance := range common {
			if chance > 0 {
				addHypergeometric(next, chance, int(p.Size), c, int(n))
			}
		}
		common, next = next, common
	}
	return common[0]
}
