package question

import "context"

// A Checkpoint checks a context after some milliseconds of work. The caller reports the work,
// since a group or a cell costs between one step and a hundred thousand. It belongs to one
// goroutine.
type Checkpoint struct {
	Ctx  context.Context
	work int
}

// Steps take 1 to 50 ns each: between two checks, and for an expression's evaluation.
const (
	WorkPerCheck      = 1 << 16
	WorkPerEvaluation = 16
)

// Pass counts steps. Its only error is the context's.
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

// BlockGroups is the number of groups of a parallel task. It is the same everywhere, so that
// sums are formed in the same order on every machine.
const BlockGroups = 4096
