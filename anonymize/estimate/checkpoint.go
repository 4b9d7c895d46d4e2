package estimate

import "context"

// A checkpoint looks for the end of a context after some milliseconds of work, of
// which the caller tells how much he did: the cost of a group or of a cell is
// between one step and a hundred thousand. One goroutine's.
type checkpoint struct {
	ctx  context.Context
	work int
}

// Steps, of 1 to 50 ns: between two looks, and of an expression's evaluation.
const (
	workPerCheck      = 1 << 16
	workPerEvaluation = 16
)

// pass counts steps; the error is the context's end.
func (c *checkpoint) pass(steps int) error {
	if c.work += steps; c.work < workPerCheck {
		return nil
	}
	c.work = 0
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	return nil
}
