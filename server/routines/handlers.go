package routines

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// Handler rewrites the statement of a handler for the interpreter. It unwraps a block of one statement and replaces
// an empty block by a statement without effect. It refuses everything else that the interpreter cannot run in a
// handler: the interpreter runs only the first operation, opens blocks without closing them, ignores the condition of
// an IF, and restarts the routine if the operation returns rows.
//
// Handler also refuses unknown conditions and the handlers that [arrange] has marked as refused.
func Handler(handler *sqlparser.DeclareHandler) error {
	if _, ok := handler.Statement.(*refused); ok {
		return errNested
	}
	handler.ConditionValues = conditions(handler.ConditionValues)
	if len(handler.ConditionValues) != 1 || !slices.Contains(known, handler.ConditionValues[0].ValueType) {
		return errCondition
	}
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

// known are the conditions that the interpreter supports.
var known = []sqlparser.DeclareHandlerConditionValue{sqlparser.DeclareHandlerCondition_NotFound, sqlparser.DeclareHandlerCondition_SqlException}

var errCondition = sql.ErrUnsupportedFeature.New(
	"a handler for other conditions than SQLEXCEPTION and NOT FOUND: DECLARE CONTINUE HANDLER FOR SQLEXCEPTION is for every error",
)

// conditions returns the conditions of a handler without duplicates. SQLSTATE '02000' and error 1329 become NOT FOUND.
func conditions(given []sqlparser.DeclareHandlerCondition) (list []sqlparser.DeclareHandlerCondition) {
	for _, c := range given {
		noData := c.ValueType == sqlparser.DeclareHandlerCondition_SqlState && c.String == "02000"
		if noData || c.ValueType == sqlparser.DeclareHandlerCondition_MysqlErrorCode && string(c.MysqlErrorCode.Val) == "1329" {
			c = sqlparser.DeclareHandlerCondition{ValueType: sqlparser.DeclareHandlerCondition_NotFound}
		}
		same := func(other sqlparser.DeclareHandlerCondition) bool {
			return other.ValueType == c.ValueType && slices.Contains(known, c.ValueType)
		}
		if !slices.ContainsFunc(list, same) {
			list = append(list, c)
		}
	}
	return list
}

// A refused wraps the statement of a handler that Handler must refuse.
type refused struct{ sqlparser.Statement }

var errNested = sql.ErrUnsupportedFeature.New(
	"a handler for SQLEXCEPTION in a block within one that has such a handler, and an EXIT handler for NOT FOUND around a block that has handlers: " +
		"write the handlers of the inner block into a procedure of its own",
)

// arrange reorders the handlers of a block in place, so that the interpreter finds the one that MySQL takes. Inner blocks are arranged first. For
// NOT FOUND, the interpreter tries only the first handler of the innermost block with handlers. For SQLEXCEPTION, it takes the outermost handler.
func arrange(block *sqlparser.BeginEndBlock) {
	var others, found, excepted sqlparser.Statements
	at := -1
	for i, statement := range block.Statements {
		declare, ok := statement.(*sqlparser.Declare)
		if !ok || declare.Handler == nil {
			others = append(others, statement)
			continue
		}
		if at < 0 {
			at = i
		}
		for _, condition := range conditions(declare.Handler.ConditionValues) {
			one := trees.Copy(declare)
			one.Handler.ConditionValues = []sqlparser.DeclareHandlerCondition{condition}
			if condition.ValueType == sqlparser.DeclareHandlerCondition_NotFound {
				found = append(found, one)
			} else {
				excepted = append(excepted, one)
			}
		}
	}
	if at < 0 {
		return
	}
	block.Statements = slices.Concat(others[:at], found, excepted, others[at:])
	trees.Walk(others, func(node any) {
		if inner, ok := node.(*sqlparser.BeginEndBlock); ok {
			arrangeWithin(inner, found, excepted)
		}
	})
}

// arrangeWithin arranges a block inside another one, whose handlers are found for NOT FOUND and excepted for the rest.
func arrangeWithin(inner *sqlparser.BeginEndBlock, found, excepted sqlparser.Statements) {
	at := slices.IndexFunc(inner.Statements, isHandler)
	if at < 0 {
		return
	}
	first := inner.Statements[at].(*sqlparser.Declare).Handler
	if len(found) > 0 && first.ConditionValues[0].ValueType != sqlparser.DeclareHandlerCondition_NotFound {
		outer := found[0].(*sqlparser.Declare)
		if outer.Handler.Action != sqlparser.DeclareHandlerAction_Continue {
			first.Statement = &refused{first.Statement}
			return
		}
		inner.Statements = slices.Insert(inner.Statements, at, sqlparser.Statement(trees.Copy(outer)))
	}
	for _, statement := range inner.Statements {
		if isHandler(statement) && len(excepted) > 0 {
			handler := statement.(*sqlparser.Declare).Handler
			if handler.ConditionValues[0].ValueType != sqlparser.DeclareHandlerCondition_NotFound {
				handler.Statement = &refused{handler.Statement}
			}
		}
	}
}

func isHandler(statement sqlparser.Statement) bool {
	declare, ok := statement.(*sqlparser.Declare)
	return ok && declare.Handler != nil
}
