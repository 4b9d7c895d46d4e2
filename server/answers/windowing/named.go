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

// maxWrittenOut is how many nodes of trees the definitions of a SELECT's named windows may
// have where they are written out: as many as there are uses of each.
const maxWrittenOut = 100_000

// WriteOut puts the definitions of the named windows of a node that is a SELECT in the
// places where they are named, in place.
func WriteOut(node any) error {
	query, ok := node.(*sqlparser.Select)
	if !ok || len(query.Window) == 0 {
		return nil
	}
	named := namedWindows{defined: make(map[string]*sqlparser.WindowDef, len(query.Window)), open: map[string]bool{}}
	for _, w := range query.Window {
		named.defined[w.Name.Lowered()] = w
	}
	for _, w := range query.Window { // those that nothing uses are looked at too
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
	defined map[string]*sqlparser.WindowDef // by their names, in lower case
	open    map[string]bool                 // those that are being completed
	written int                             // nodes so far
}

// writeOut completes what a function looks at by what it names, as a copy: no rewrite of
// one use knows of the others.
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

// complete gives a window what it has from the one that it names.
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
