package routines

import (
	"github.com/dolthub/go-mysql-server/sql/procedures"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// A look is a step of ours.
type look struct {
	operation *procedures.InterpreterOperation
	next      int // the operation behind it
	depth     int // how many blocks it is in
	// before is, of a step behind a block's end, the step before that end.
	before *look
}

// look is a step, whose condition is true where the procedure goes on behind it.
func (r *Run) look() *procedures.InterpreterOperation {
	return r.newLook(&look{})
}

func (r *Run) newLook(l *look) *procedures.InterpreterOperation {
	condition := &sqlparser.Select{SelectExprs: r.shown}
	l.operation = &procedures.InterpreterOperation{OpCode: procedures.OpCode_If, PrimaryData: condition}
	r.looks[condition] = l
	return l.operation
}

// landing is the step behind a block, to which the interpreter jumps from an EXIT handler of the block, and where nothing else jumps to. It leaves
// neither the block then nor those within that the error was in, so that their handlers would wait for errors behind them.
func (r *Run) landing(end *procedures.InterpreterOperation) *procedures.InterpreterOperation {
	return r.newLook(&look{before: r.looks[end.PrimaryData]})
}

// exits are how blocks are left that a handler has jumped out of: by as many ends of blocks, behind all operations, as there are blocks.
type exits struct {
	deepest int   // the most blocks in each other
	ends    int   // the first operation behind the ends
	end     *look // the step at the end of the procedure, before them
	back    *look // the step behind them
	to      int   // the operation to go back to
}

// ladder adds the ends of blocks to a procedure's operations, which end before them.
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

// goesOn reports whether a procedure goes on behind a step. If not, it goes on at the index that the step's operation is given.
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
