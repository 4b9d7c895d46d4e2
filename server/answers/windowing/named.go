package windowing

import (
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// MySQL's errors about WINDOW w AS (...).
const (
	erWindowNotDefined     = 3579 // ER_WINDOW_NO_SUCH_WINDOW
	erCircularWindows      = 3580 // ER_WINDOW_CIRCULARITY_IN_WINDOW_GRAPH
	erPartitionOfDependent = 3581 // ER_WINDOW_NO_CHILD_PARTITIONING
	erFrameInherited       = 3582 // ER_WINDOW_NO_INHERIT_FRAME
	erOrderInheritedTwice  = 3583 // ER_WINDOW_NO_REDEFINE_ORDER_BY
)

// maxWrittenOut bounds the tree nodes of a SELECT's named windows after WriteOut, which
// copies a definition for each use.
const maxWrittenOut = 100_000

// WriteOut replaces the names of windows by their definitions, in place, if node is a
// SELECT.
func WriteOut(node any) error {
	query, ok := node.(*sqlparser.Select)
	if !ok || len(query.Window) == 0 {
		return nil
	}
	named := namedWindows{defined: make(map[string]*sqlparser.WindowDef, len(query.Window)), open: map[string]bool{}}
	for _, w := range query.Window {
		named.defined[w.Name.Lowered()] = w
	}
	for _, w := range query.Window { // check unused ones, too
		if err := named.complete(w); err != nil {
			return err
		}
	}
	query.Window = nil
	if err := inOneSelect(query.SelectExprs, named.writeOut); err != nil {
		return err
	}
	return inOneSelect(query.OrderBy, named.writeOut)
}

// namedWindows are the windows of a SELECT.
type namedWindows struct {
	defined map[string]*sqlparser.WindowDef // by name in lower case
	open    map[string]bool                 // being completed, to find cycles
	written int                             // nodes so far
}

// writeOut replaces the window name of a call by a copy of the definition, so that later
// rewrites of one use do not affect others.
func (n *namedWindows) writeOut(node sqlparser.SQLNode) error {
	call, ok := node.(*sqlparser.FuncExpr)
	if !ok || call.Over == nil || call.Over.NameRef.IsEmpty() {
		return nil
	}
	window := (*sqlparser.WindowDef)(call.Over)
	if err := n.complete(window); err != nil {
		return err
	}
	if err := inOneSelect(window, n.count); err != nil {
		return err
	}
	window.PartitionBy, window.OrderBy, window.Frame = trees.Copy(window.PartitionBy), trees.Copy(window.OrderBy), trees.Copy(window.Frame)
	return nil
}

func (n *namedWindows) count(sqlparser.SQLNode) error {
	if n.written++; n.written > maxWrittenOut {
		return mysql.NewSQLError(mysql.ERNotSupportedYet, "42000",
			"named windows that have more than %d parts, with every use of each, are not supported: name columns of a derived table in them", maxWrittenOut)
	}
	return nil
}

// complete makes a window inherit from the window that it names.
func (n *namedWindows) complete(w *sqlparser.WindowDef) error {
	if w.NameRef.IsEmpty() {
		return nil
	}
	name := w.NameRef.Lowered()
	from := n.defined[name]
	switch simple := len(w.PartitionBy) == 0 && len(w.OrderBy) == 0 && w.Frame == nil; {
	case from == nil:
		return windowError(erWindowNotDefined, "Window name '%s' is not defined.", w.NameRef)
	case n.open[name]:
		return windowError(erCircularWindows, "There is a circularity in the window dependency graph.")
	case len(w.PartitionBy) > 0:
		return windowError(erPartitionOfDependent, "A window which depends on another cannot define partitioning.")
	case from.Frame != nil && !simple:
		return windowError(erFrameInherited, "Window '%s' has a frame definition, so cannot be referenced by another window.", w.NameRef)
	}
	n.open[name] = true
	if err := n.complete(from); err != nil {
		return err
	}
	delete(n.open, name)
	if len(from.OrderBy) > 0 && len(w.OrderBy) > 0 {
		return windowError(erOrderInheritedTwice, "Window '%s' cannot inherit '%s' since both contain an ORDER BY clause.", nameOfWindow(w), w.NameRef)
	}
	w.NameRef, w.PartitionBy = sqlparser.ColIdent{}, from.PartitionBy
	if len(w.OrderBy) == 0 {
		w.OrderBy = from.OrderBy
	}
	if w.Frame == nil {
		w.Frame = from.Frame
	}
	return nil
}

func nameOfWindow(w *sqlparser.WindowDef) string {
	if w.Name.IsEmpty() {
		return "<unnamed window>"
	}
	return w.Name.String()
}

func windowError(number int, format string, names ...any) error {
	return mysql.NewSQLError(number, "HY000", format, names...)
}
