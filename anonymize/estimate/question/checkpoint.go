package question

import "context"

// A Checkpoint looks for the end of a context after some milliseconds of work, of
// which the caller tells how much he did: the cost of a group or of a cell is
// between one step and a hundred thousand. One goroutine's.
type Checkpoint struct {
	Ctx  context.Context
	work int
}

// Steps, of 1 to 50 ns: between two looks, and of an expression's evaluation.
const (
	WorkPerCheck      = 1 << 16
	WorkPerEvaluation = 16
)

// Pass counts steps; the error is the context's end.
func (c *Checkpoint) Pass(steps int) error {
	if c.work += steps; c.work < WorkPerCheck {
		return nil
	}
	c.work = 0
	if c.Ctx.Err() != nil {
		return context.Cause(c.Ctx)
	}
	return nil
}

// BlockGroups is the number of groups that one core takes at a time. It
// depends on nothing but the release, so that sums are formed in the same
// order on every machine.
const BlockGroups = 4096
