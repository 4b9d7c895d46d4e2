// Package grouping has what a grouped query means by its names, where the engine's binder
// takes one for another.
//
// It promises that aggregates, windows and keys of ORDER BY that differ in the case of a
// string are different, that one selected twice is the same, and that a name in HAVING is what the SELECT list calls so.
//
// It refuses DISTINCT in a window, * among other arguments, and partitions of tables that
// have none, which the binder drops.
package grouping

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/tree"
)

// Markers are functions that stand for what the grammar has no words for.
func Markers() []sql.Function {
	return []sql.Function{
		sql.Function2{Name: apartFunction, Fn: newAnother},
		sql.Function1{Name: havingFunction, Fn: func(e sql.Expression) sql.Expression { return &havingName{tree.NewStandin(e)} }},
	}
}
