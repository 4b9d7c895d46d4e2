package routines

import (
	"github.com/dolthub/go-mysql-server/sql/procedures"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// A look is a step that we insert between the procedure's operations.
type look struct {
	operation *procedures.InterpreterOperation
	next      int // the index of the operation after it
	depth     int // the number of blocks around it
	// before is set only for a step after a block's end: it is the step before that end.
	before *look
}

// look returns a new step. Its condition is true if the procedure goes on with the next operation.
func (r *Run) look() *procedures.InterpreterOperation {
	return r.newLook(&look{})
}

func (r *Run) newLook(l *look) *procedures.InterpreterOperation {
	condition := &sqlparser.Select{SelectExprs: r.shown}
	l.operation = &procedures.InterpreterOperation{OpCode: procedures.OpCode_If, PrimaryData: condition}
	r.looks[condition] = l
	return l.operation
}

// landing returns the step after a block. Only an EXIT handler of the block jumps there. The interpreter then leaves neither this block nor the
// inner ones between it and the error, so their handlers would catch later errors. goesOn detects the jump and leaves the blocks.
func (r *Run) landing(end *procedures.InterpreterOperation) *procedures.InterpreterOperation {
	return r.newLook(&look{before: r.looks[end.PrimaryData]})
}

// exits describes how to leave blocks after a handler's jump: enough block ends follow all other operations.
type exits struct {
	deepest int   // the greatest nesting depth of blocks
	ends    int   // the index after the last of these block ends
	end     *look // the step at the end of the procedure, before the block ends
	back    *look // the step after the block ends
	to      int   // the operation to continue with
}

// ladder appends the block ends of [exits] to a procedure's operations. The procedure itself stops before them.
func (r *Run) ladder(list []*procedures.InterpreterOperation) []*procedures.InterpreterOperation {
	r.leave.end = &look{}
	list = append(list, r.newLook(r.leave.end))
	for range r.leave.deepest {
		list = append(list, &procedures.InterpreterOperation{OpCode: procedures.OpCode_ScopeEnd})
	}
	r.leave.ends, r.leave.back = len(list), &look{}
	list = append(list, r.newLook(r.leave.back))
	r.leave.end.operation.Index = len(list)
	return list
}

// goesOn reports whether the procedure goes on with the next operation. Otherwise goesOn sets the index to jump to in the step's operation.
func (r *Run) goesOn(l *look) bool {
	seen := r.seen
	r.seen = l
	switch {
	case l == r.leave.end:
		return false
	case l == r.leave.back:
		l.operation.Index = r.leave.to
		return false
	case l.before != nil && seen != l.before:
		l.operation.Index, r.leave.to = r.leave.ends-(seen.depth-l.depth), l.next
		return false
	}
	return true
}
