package functions

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
)

// explainSQLSchema is a row with the whole statement.
var explainSQLSchema = sql.Schema{{Name: "statement", Type: types.LongText}}

// explainSQL is CALL explain_sql('SELECT ...'): the same statement as plain SQL over the published relations (published.<release>_qi1, ...,
// _sa, _gid), which this server and SQLite both run, with the same figures. Every estimate becomes a derived table: the weighted join of the
// fragments that it touches, in which a row stands for the product of its counts / size^(fragments - 1) records.
//
// Like EXPLAIN it needs the privileges of the SELECT, and runs nothing. Package planner replaces the call, binds the statement and recognises
// its estimates; the function behind the name is reached only if no analyzer rule runs.
func (e *Environment) explainSQL(*sql.Context, string) (sql.RowIter, error) {
	return nil, &anonymize.DataError{Reason: "explain_sql is answered as a statement of its own: CALL explain_sql('SELECT ...')"}
}
