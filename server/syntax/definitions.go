package syntax

import (
	"fmt"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// definitionsVariable bounds how many clauses one ALTER TABLE has, and how many
// keys and constraints one CREATE TABLE; columns do not count. The engine makes
// them one after the other, and reads the definition of the whole table for each,
// so that their time grows with the square of their number and more: 2,000 took
// longer than six seconds, 500 take less than one.
const definitionsVariable = "anon_max_definitions"

// definitions refuses what defines too much at once.
func (p *planned) definitions(what string, n int) {
	if most := bound(definitionsVariable); n > most && p.err == nil {
		p.err = sqlerror.New(sqlerror.Syntax, fmt.Sprintf("%s: %d, at most %d (%s): define the others in further statements, "+
			"or ask the owner for SET GLOBAL %s", what, n, most, definitionsVariable, definitionsVariable))
	}
}

// keysOf counts the keys and constraints of a table, also those that are written
// behind a column.
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
