package estimate

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate/cells"
	"github.com/anonsql/anonsql/anonymize/estimate/elsewhere"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/planes"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Path names the algorithm that answers a question.
type Path string

const (
	// ExactPath: the question touches at most one fragment, whose cells leave nothing open that
	// is asked, and there are no counterfeits. There is nothing to join.
	ExactPath Path = "exact"
	// KernelPath: bit planes, 64 groups at a time; for cells that stand for several values, and
	// for arguments with many values, sums of probabilities by group.
	KernelPath Path = "kernel"
	// JoinPath: the weighted join, group by group.
	JoinPath Path = "weighted join"
	// ElsewherePath: the engine that keeps the relations sums counts by group size.
	ElsewherePath Path = "counts in the engine"
)

// A way is the counter that was chosen for a question.
type way struct {
	figures.Counter
	prepared *Prepared
	question *Question
	figures  bool // chosen for figures, not only for standard errors and bounds
	exact    bool // the answer is certain, except for noise
}

// Path returns the path on which [Prepared.Ask] answers q, and for the weighted join a short
// reason why no kernel fits. It builds no planes. It evaluates conditions, keys and arguments
// once per dictionary value, or per combination of values if they read several columns; if
// these are many, it reads the tuples.
func (p *Prepared) Path(ctx context.Context, q *Question) (path Path, reason string, err error) {
	w, err := p.choose(ctx, q, true, false)
	if err != nil {
		return "", "", err
	}
	path, reason = w.path()
	return path, reason, nil
}

// path returns the name of the way and, for the weighted join, the reason.
func (w *way) path() (Path, string) {
	if w.exact {
		return ExactPath, ""
	}
	switch c := w.Counter.(type) {
	case *elsewhere.Counter, *byGroup:
		return ElsewherePath, ""
	case *apart:
		return c.path()
	case *planes.Counter:
		if reason := c.Reason(); reason != "" {
			return JoinPath, reason
		}
	}
	return KernelPath, ""
}

// choose returns the first counter that fits q: for its figures, for its standard errors and bounds, or for both.
func (p *Prepared) choose(ctx context.Context, q *Question, figured, spreads bool) (*way, error) {
	r, touched := p.release, q.Touched()
	if err := q.Check(r); err != nil {
		return nil, err
	}
	w, thinned := &way{prepared: p, question: q, figures: figured}, figures.ThinningOf(r)
	readsCells, whyNoCells := question.ReadsCells(r, q), ""
	switch {
	case slices.ContainsFunc(touched, func(f int) bool { return question.IsElsewhere(r.Fragments[f]) }):
		return w, w.chooseElsewhere(len(touched))
	case len(touched) == 0 || thinned.LeavesNone():
		w.exact, w.Counter = true, p.planes.NewCounter(r, q, nil)
		return w, nil
	case readsCells:
		var err error
		if whyNoCells, err = w.chooseCells(ctx); w.Counter != nil || err != nil {
			return w, err
		}
		if parts := portions(q, r); parts != nil {
			return w, w.chooseApart(ctx, parts, spreads)
		}
	case !figured && q.AddsUp():
		if part := spreadPortion(q); part != nil {
			return w, w.chooseApart(ctx, part, spreads)
		}
	}
	sides, err := question.SidesOf(ctx, r, q)
	if err != nil {
		return nil, err
	}
	codes := p.planes.NewCounter(r, q, sides)
	if readsCells {
		codes.NoKernel = "cells stand for several values, and " + whyNoCells
	} else if len(sides) > 1 && (spreads && q.AddsUp() || figured && q.AsksValues() && (q.AsksDistinct() || codes.Reason() != "")) {
		if _, err := w.chooseCells(ctx); w.Counter != nil || err != nil {
			return w, err
		}
	}
	w.exact, w.Counter = question.Decided(sides) && thinned.IsNone(), codes
	return w, nil
}

// chooseElsewhere chooses a counter for a question that touches relations elsewhere.
func (w *way) chooseElsewhere(touched int) error {
	e := w.prepared.elsewhere
	switch {
	case e == nil:
		return &UnansweredError{What: "a question for the tuples"}
	case e.ReadsHere(w.question):
		w.Counter = &byGroup{of: w.prepared, question: w.question}
	default:
		w.exact, w.Counter = touched == 1, w.prepared.distantQuestion(w.question)
	}
	return nil
}

// chooseCells chooses a kernel of cells, or returns the reason why none fits.
func (w *way) chooseCells(ctx context.Context) (reason string, err error) {
	k, reason, err := cells.NewKernel(ctx, w.prepared.release, w.question)
	if k != nil {
		w.exact, w.Counter = k.Exact, &cells.Counter{Kernel: k}
	}
	return reason, err
}

// answer returns the rows; with spreads, the counter also prepares standard errors and bounds.
func (w *way) answer(ctx context.Context, spreads bool) (*Answer, error) {
	rows, err := w.Rows(ctx, spreads)
	if err != nil {
		return nil, err
	}
	answer := &Answer{Fragments: w.question.Touched(), Exact: w.isExact(), Rows: rows}
	if !answer.Exact {
		answer.Kept = w
	}
	return answer, nil
}

// isExact reports whether the figures are the true ones.
func (w *way) isExact() bool { return w.exact && !w.question.ReadsNoise(w.prepared.release) }

// toSpreads returns the way to standard errors and bounds: w itself, unless planes or groups count sums of values.
func (w *way) toSpreads(ctx context.Context) (*way, error) {
	if _, codes := w.Counter.(*planes.Counter); !codes || !w.figures || !w.question.AddsUp() {
		return w, nil
	}
	return w.prepared.choose(ctx, w.question, false, true)
}

// spreadsOf returns the way to the standard errors and bounds of an answer and keeps it in the answer.
func (p *Prepared) spreadsOf(ctx context.Context, q *Question, answer *Answer) (w *way, err error) {
	if kept, ok := answer.Kept.(*way); ok && kept.prepared == p && kept.question == q {
		w, err = kept.toSpreads(ctx)
	} else {
		w, err = p.choose(ctx, q, false, true)
	}
	if err == nil {
		answer.Kept = w
	}
	return w, err
}
