package routines

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Handler prepares what a handler does for the interpreter, which runs the first
// operation of it only, and runs the whole routine again where that has rows: it opens a
// block and never closes it, and evaluates the condition of an IF for nothing. A block of
// one statement is that statement, and an empty one is nothing.
func Handler(handler *sqlparser.DeclareHandler) error {
	statement := handler.Statement
	for {
		block, ok := statement.(*sqlparser.BeginEndBlock)
		if !ok {
			break
		}
		if len(block.Statements) == 0 {
			handler.Statement = &sqlparser.Declare{} // of nothing
			return nil
		}
		if len(block.Statements) > 1 {
			return errHandler
		}
		statement = block.Statements[0]
	}
	switch s := statement.(type) {
	case *sqlparser.Set:
		if len(s.Exprs) != 1 || s.Exprs[0].Scope != sqlparser.SetScope_None || strings.HasPrefix(s.Exprs[0].Name.String(), "@") {
			return errHandler
		}
	case *sqlparser.Signal, *sqlparser.OpenCursor, *sqlparser.FetchCursor, *sqlparser.CloseCursor:
	case *sqlparser.Select:
		if s.Into == nil {
			return errHandler
		}
	default:
		return errHandler
	}
	handler.Statement = statement
	return nil
}

var errHandler = sql.ErrUnsupportedFeature.New(
	"a handler that does more than set one variable of the routine, SIGNAL, SELECT ... INTO, OPEN, FETCH or CLOSE: " +
		"DECLARE done INT DEFAULT 0; DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = 1, and IF done behind the statement does the rest",
)
