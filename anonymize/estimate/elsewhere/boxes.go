package elsewhere

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// maxDistantBoxes is the greatest number of combinations of classes in a question for standard
// errors, bounds or numbers of values over relations elsewhere.
const (
	maxDistantBoxes = 1 << 16
	ofBoxes         = "standard errors, bounds and COUNT(DISTINCT)"
)

// distantBoxes returns the boxes of the aggregates whose kind is asked.
func (s *Counter) distantBoxes(ctx context.Context, asked func(question.Kind) bool) (*figures.Boxes, error) {
	if err := s.Load(ctx); err != nil {
		return nil, err
	}
	combinations := 1
	for _, side := range s.Sides {
		if combinations *= side.Classes; combinations > maxDistantBoxes {
			return nil, &question.UnansweredError{What: fmt.Sprintf("%s of more than %d combinations of keys, arguments and conditions' outcomes. "+
				"Ask with fewer keys, or coarser ones such as pay DIV 1000", ofBoxes, maxDistantBoxes)}
		}
	}
	b := figures.NewBoxes(s.Question, s.Sides, asked)
	if b == nil {
		return nil, &question.UnansweredError{What: ofBoxes + " where one condition or key reads several relations and is no AND of conditions on one each, " +
			"or an expression fails for some values. Ask for the figure and its interval, or one question for each part"}
	}
	return b, s.Relations.fits(2 * len(s.Sides))
}

// asked returns the classes of a family's boxes, by fragment.
func (s *Counter) asked(f *figures.Family) []figures.Classes {
	asked := s.classesOf(s.Sides)
	for i := range asked {
		asked[i].Of = f.Sets[i].Of
	}
	return asked
}

// classesOf returns the classes of the touched fragments' sides, in the form in which the engine is asked.
func (s *Counter) classesOf(sides []*question.Side) (list []figures.Classes) {
	for i, fragment := range s.Question.Touched() {
		list = append(list, figures.Asked(sides[i], fragment))
	}
	return list
}

// profiles visits, for each box of a family and in a fixed order, the profiles of groups with
// records in the box.
func (s *Counter) profiles(ctx context.Context, b *figures.Boxes, f *figures.Family, visit func(box int, p *figures.Profile) error) error {
	var worth *figures.Worth
	if f.Worth != nil {
		worth = &f.Worth.Worth
	}
	list, err := s.Relations.store.Profiles(ctx, s.asked(f), worth)
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b figures.Profile) int {
		return cmp.Or(slices.Compare(a.Classes, b.Classes), cmp.Compare(a.Size, b.Size), slices.Compare(a.Counts, b.Counts))
	})
	of, counted := f.Places(b), make(map[string]uint64)
	for i := range list {
		place := fmt.Sprint(list[i].Classes)
		if counted[place] += list[i].Groups; counted[place] > s.Relations.groups {
			return fmt.Errorf("the relations are not those of the release: they have more than %d groups", s.Relations.groups)
		}
		if err := s.Relations.checkProfile(&list[i], len(s.Sides)); err != nil {
			return err
		}
		for _, box := range of[place] { // none if the sets, taken from several boxes, make up no box
			if err := visit(box, &list[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkProfile refuses numbers that no group of the release can have.
func (d *Relations) checkProfile(p *figures.Profile, fragments int) error {
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

// spreads computes, once, the sums over the boxes of the question's COUNTs, SUMs and AVGs.
func (s *Counter) spreads(ctx context.Context) (*figures.BoxSums, error) {
	if s.sums != nil {
		return s.sums, nil
	}
	b, err := s.distantBoxes(ctx, question.Kind.HasSpread)
	if err != nil {
		return nil, err
	}
	var sizes []uint32
	for _, size := range s.sizes {
		sizes = append(sizes, size.Size)
	}
	sums := figures.NewBoxSums(b, sizes, len(s.Sides))
	for _, f := range b.Families(s.Sides) {
		if err := scale(f, s.Relations, s.Sides); err != nil {
			return nil, err
		}
		if err := s.profiles(ctx, b, f, func(box int, p *figures.Profile) error {
			if b.List[box].Worth != nil {
				sums.Floats[box].AddProfile(p, f.Worth, b.List[box].Argument)
				return nil
			}
			size, _ := s.size(p.Size)
			sums.Moments[size*len(b.List)+box].AddProfile(p)
			return nil
		}); err != nil {
			return nil, err
		}
		if f.Worth != nil {
			if err := s.takes(ctx, b, f, &sums); err != nil {
				return nil, err
			}
		}
	}
	s.sums = &sums
	return s.sums, nil
}

// distinct sets the Distinct figures of an answer.
func (s *Counter) distinct(ctx context.Context, rows []question.AnswerRow) error {
	b, err := s.distantBoxes(ctx, func(kind question.Kind) bool { return kind == question.Distinct })
	if err != nil {
		return err
	}
	floats, work := figures.NewFloats(b), &question.Checkpoint{Ctx: ctx}
	for _, f := range b.Families(s.Sides) {
		if err := s.profiles(ctx, b, f, func(box int, p *figures.Profile) error {
			absent, err := p.ProbabilityOfNone(work)
			floats[box].Absent *= math.Pow(absent, float64(p.Groups))
			return err
		}); err != nil {
			return err
		}
	}
	b.CountValues(floats, rows)
	return nil
}
