package syntax

import (
	"fmt"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// definitionsVariable bounds the clauses of an ALTER TABLE, and the keys and
// constraints of a CREATE TABLE; columns do not count. The engine makes them one by
// one, and reads the definition of the whole table for each, so the time grows more
// than quadratically: 2,000 took longer than six seconds, 500 take less than one.
const definitionsVariable = "anon_max_definitions"

// definitions refuses a statement with too many definitions.
func (p *planned) definitions(what string, n int) {
	if most := bound(definitionsVariable); n > most && p.err == nil {
		p.err = sqlerror.New(sqlerror.Syntax, fmt.Sprintf("%s: %d, at most %d (%s): define the others in further statements, "+
			"or ask the owner for SET GLOBAL %s", what, n, most, definitionsVariable, definitionsVariable))
	}
}

// keysOf counts the keys and constraints of a table, including those after a column.
func keysOf(table *sqlparser.TableSpec) int {
	n := len(table.Indexes) + len(table.Constraints)
	for _, c := range table.Columns {
		if c.Type.KeyOpt != 0 {
			n++
		}
		if c.Type.ForeignKeyDef != nil {
			n++
		}
	}
	return n
}
