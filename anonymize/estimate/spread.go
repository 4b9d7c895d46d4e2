package estimate

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/cells"
	"github.com/anonsql/anonsql/anonymize/estimate/elsewhere"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/groups"
	"github.com/anonsql/anonsql/anonymize/estimate/planes"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// Limits of the kernels of spreads: as MaxKernelClasses and
// JoinCost, beside a general path that costs some ten times the weighted join.
const (
	maxBoxCombinations = 1 << 12
	generalCost        = 10 * planes.JoinCost
)

// A scan is what a Prepared keeps of a question between its answer, its
// standard errors and its bounds.
type scan struct {
	prepared *Prepared
	question *Question
	sides    []*question.Side
	// spreads says that standard errors and bounds are wanted by the pass that
	// answers; looked that it is known whether they come from a kernel.
	spreads, looked bool
	boxes           *figures.BoxSums // nil: no kernel fits
	distant         *elsewhere.Asked // the question to relations that are elsewhere
	// cells answers questions that read cells, or ask more than COUNTs; nil where no kernel of cells does.
	cells *cells.Scan
	// portions answer a question that reads cells which no kernel of cells does.
	portions []*portion
}

// AskWithSpread answers q as Ask does, for a caller who will ask for the
// standard errors or the bounds of the answer: where kernels fit, the pass that
// finds the answer finds these too, and StandardErrors and Bounds make none.
func (p *Prepared) AskWithSpread(ctx context.Context, q *Question) (*Answer, error) {
	return ask(ctx, p.release, q, &scan{prepared: p, question: q, spreads: true})
}

// join computes the weights by a kernel if one fits, else by the weighted join.
func (s *scan) join(ctx context.Context, r *anonymize.Release, sides []*question.Side) (*figures.Weights, error) {
	if s == nil {
		return groups.Join(ctx, r, sides)
	}
	s.sides = sides
	k := s.prepared.planes.NewKernel(sides)
	if k == nil {
		return groups.Join(ctx, r, sides)
	}
	if s.spreads && len(sides) > 1 && !s.question.AddsUp() {
		s.looked = true
		k.SetBoxes(figures.NewBoxes(s.question, sides, Kind.HasSpread))
	}
	totals, err := k.Total(ctx)
	if err != nil {
		return nil, err
	}
	if k.Boxes != nil {
		s.boxes = &totals.BoxSums
	}
	return &figures.Weights{Sides: sides, Dense: k.Divide(totals.Products)}, nil
}

// countBoxes runs a kernel over the boxes of COUNTs, where one fits.
func (s *scan) countBoxes(ctx context.Context) error {
	if len(s.sides) < 2 || s.question.AddsUp() {
		return nil
	}
	k := s.prepared.planes.NewKernelWithin(s.sides, maxBoxCombinations, generalCost)
	if k == nil || !k.SetBoxes(figures.NewBoxes(s.question, s.sides, Kind.HasSpread)) {
		return nil
	}
	k.Weighs = false
	totals, err := k.Total(ctx)
	if err == nil {
		s.boxes = &totals.BoxSums
	}
	return err
}

// scanOf returns the scan of an answer to q, with the sums of the boxes where
// a kernel fits.
func (p *Prepared) scanOf(ctx context.Context, q *Question, answer *Answer) (*scan, error) {
	s, _ := answer.Kept.(*scan)
	if s == nil || s.prepared != p || s.question != q {
		s = &scan{prepared: p, question: q}
	}
	if s.portions != nil {
		return s, nil
	}
	if p.elsewhere != nil {
		return s, s.distantSpreads(ctx)
	}
	if s.cells == nil && q.AddsUp() && !question.ReadsCells(p.release, q) {
		if s.portions = spreadPortion(q); s.portions != nil {
			return s, nil
		}
	}
	if err := s.cellSpreads(ctx); s.cells != nil || err != nil {
		return s, err
	}
	if s.portions = portions(q, p.release); s.portions != nil {
		return s, nil
	}
	if s.sides == nil {
		sides, err := question.SidesOf(ctx, p.release, q)
		if err != nil {
			return nil, err
		}
		s.sides = sides
	}
	if s.looked {
		return s, nil
	}
	err := s.countBoxes(ctx)
	s.looked = err == nil
	return s, err
}

// askValues answers what asks more of points than COUNTs by a kernel of cells, where planes would not do; nil where none fits.
func (s *scan) askValues(ctx context.Context, r *anonymize.Release, q *Question, sides []*question.Side) (*Answer, error) {
	if s == nil || len(sides) < 2 || !q.AsksValues() {
		return nil, nil
	}
	if !(s.spreads && q.AddsUp()) && !q.AsksDistinct() {
		if _, reason := s.prepared.planes.PlanKernel(sides, planes.MaxKernelClasses, planes.JoinCost); reason == "" {
			return nil, nil
		}
	}
	return s.askCells(ctx, r, q)
}

// askCells answers by a kernel of cells; nil where none fits.
func (s *scan) askCells(ctx context.Context, r *anonymize.Release, q *Question) (*Answer, error) {
	k, reason, err := cells.NewKernel(ctx, r, q)
	if reason != "" || err != nil {
		return nil, err
	}
	cells := &cells.Scan{Kernel: k}
	answer, err := cells.Ask(ctx, s.spreads)
	if err == nil && !answer.Exact {
		s.cells, answer.Kept = cells, s
	}
	return answer, err
}

// cellSpreads finds the sums behind the standard errors and bounds of an answer over cells, or of more than COUNTs, where a kernel of cells fits.
func (s *scan) cellSpreads(ctx context.Context) error {
	if s.cells == nil {
		if !question.ReadsCells(s.prepared.release, s.question) && (len(s.question.Touched()) < 2 || !s.question.AddsUp()) {
			return nil
		}
		k, reason, err := cells.NewKernel(ctx, s.prepared.release, s.question)
		if reason != "" || err != nil {
			return err
		}
		s.cells = &cells.Scan{Kernel: k}
	}
	return s.cells.Spread(ctx)
}

// StandardErrors returns what the function [StandardErrors] does, faster where
// the records of every key are conditions inside fragments of points.
func (p *Prepared) StandardErrors(ctx context.Context, q *Question, answer *Answer) ([][]anonymize.Value, error) {
	if answer.Exact {
		return question.ExactDeviations(q, answer), nil
	}
	p, s, source, err := p.spreadsOf(ctx, q, answer)
	switch {
	case err != nil:
		return nil, err
	case s.portions != nil:
		return spreadsApart(s, answer, func(q *Question, part *Answer) ([][]anonymize.Value, error) { return p.StandardErrors(ctx, q, part) })
	case source == nil:
		return groups.StandardErrors(ctx, p.release, q, answer, s.sides)
	}
	return figures.ThinningOf(p.release).Deviations(q, answer, source.MomentsOf), nil
}

// Bounds returns what the function [Bounds] does, faster where StandardErrors
// is.
func (p *Prepared) Bounds(ctx context.Context, q *Question, answer *Answer) ([][]Bound, error) {
	switch {
	case answer.Exact:
		return question.ExactBounds(q, answer), nil
	case q.ReadsNoise(p.release):
		return question.NoBounds(q, answer), nil
	}
	p, s, source, err := p.spreadsOf(ctx, q, answer)
	switch {
	case err != nil:
		return nil, err
	case s.portions != nil:
		return spreadsApart(s, answer, func(q *Question, part *Answer) ([][]Bound, error) { return p.Bounds(ctx, q, part) })
	case source == nil:
		return groups.HardBounds(ctx, p.release, q, answer, s.sides, p.planes.CountRanges)
	}
	return figures.ThinningOf(p.release).AllBounds(q, answer, source.TotalOf), nil
}

// spreadsOf finds the sums behind the spreads of an answer: source is nil where no kernel has them, or portions do.
func (p *Prepared) spreadsOf(ctx context.Context, q *Question, answer *Answer) (of *Prepared, s *scan, source figures.Source, err error) {
	if of, err = p.spreadSource(ctx, q, answer); err == nil {
		s, err = of.scanOf(ctx, q, answer)
	}
	switch {
	case err != nil:
	case s.cells != nil:
		source = s.cells
	case s.boxes != nil:
		source = s.boxes
	}
	return of, s, source, err
}
