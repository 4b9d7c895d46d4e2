package server

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/wire"
)

// retype gives the columns of a prepared statement the types that its rows will have, and returns their display widths
// (wire.Widths). At PREPARE the engine only binds, so a type changed by a rule, such as the DOUBLE of an estimated COUNT(*),
// would appear only at EXECUTE, after some clients have made their buffers. retype costs one more binding.
func (s *instance) retype(ctx context.Context, c *mysql.Conn, query string, fields []*querypb.Field) (widths []uint32, err error) {
	sessions := s.sessions.Load()
	if len(s.provider.rules) == 0 || sessions == nil {
		return nil, nil
	}
	sqlContext, err := sessions.NewContextWithQuery(ctx, c, query)
	if err != nil {
		return nil, err
	}
	sqlContext, err = sqlContext.ProcessList.BeginOperation(sqlContext)
	if err != nil {
		return nil, err
	}
	defer sqlContext.ProcessList.EndOperation(sqlContext)
	if err := sql.SessionCommandBegin(sqlContext.Session); err != nil {
		return nil, err
	}
	defer sql.SessionCommandEnd(sqlContext.Session)

	node, err := s.ruled(sqlContext, sql.RemoveSpaceAndDelimiter(query, ';'))
	if err != nil || len(node.Schema()) != len(fields) {
		return nil, err
	}
	for i, column := range node.Schema() {
		fields[i].Type = column.Type.Type()
		fields[i].ColumnLength = column.Type.MaxTextResponseByteLength(sqlContext)
		if decimal, ok := column.Type.(sql.DecimalType); ok {
			fields[i].Decimals = uint32(decimal.Scale())
		}
	}
	return wire.Widths(node), nil
}

// ruled binds the query and applies the rules of Extensions to it.
func (s *instance) ruled(ctx *sql.Context, query string) (sql.Node, error) {
	statement, _, err := s.engine.Parser.ParseOneWithOptions(ctx, query, sql.LoadSqlMode(ctx).ParserOptions())
	if err != nil {
		return nil, err
	}
	binder := planbuilder.New(ctx, s.engine.Analyzer.Catalog, s.engine.EventScheduler, s.engine.Parser)
	node, flags, err := binder.BindOnly(statement, query, nil)
	if err != nil {
		return nil, err
	}
	for _, rule := range s.provider.rules {
		node, _, err = mappedRule(rule)(ctx, s.engine.Analyzer, node, nil, nil, flags)
		if err != nil {
			return nil, err
		}
	}
	return node, nil
}

// preparable reports whether a statement may be prepared by name. The engine reads the bodies of routines, triggers and views in
// the text of EXECUTE, and does not bind nested EXECUTEs.
func preparable(statement sqlparser.Statement) bool {
	switch own := statement.(type) {
	case *sqlparser.Prepare, *sqlparser.Execute, *sqlparser.Deallocate:
		return false
	case *sqlparser.DDL:
		return own.ProcedureSpec == nil && own.TriggerSpec == nil && own.EventSpec == nil && own.ViewSpec == nil
	}
	return true
}

// notPrepared is MySQL's error for other statements.
func notPrepared() error {
	return sqlerror.New(sqlerror.NotPrepared, "This command is not supported in the prepared statement protocol yet: send the statement itself")
}
