// Package grouping resolves names of grouped queries where the engine's binder confuses
// them.
//
// Aggregates, windows and ORDER BY keys that differ in the case of a string are different; one selected twice is the
// same; a name in HAVING is an alias of the SELECT list.
//
// It refuses what the binder would drop: DISTINCT in a window, * among other arguments,
// and partitions of tables that have none.
package grouping

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/tree"
)

// Markers are functions that stand for constructs that the grammar lacks.
func Markers() []sql.Function {
	return []sql.Function{
		sql.Function2{Name: apartFunction, Fn: newAnother},
		sql.Function1{Name: havingFunction, Fn: func(e sql.Expression) sql.Expression { return &havingName{tree.NewStandin(e)} }},
	}
}
