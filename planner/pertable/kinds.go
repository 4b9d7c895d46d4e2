package pertable

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/arithmetic"
	"github.com/anonsql/anonsql/tree"
)

// Kinds are the figures of a SELECT: by id, and those of windows also by text, since
// the binder gives their second use an id of its own.
type Kinds struct {
	byID   map[sql.ColumnId]Figure
	byText map[string]Figure
	own    []sql.Node // the SELECT without its FROM
	node   sql.Node   // whose expressions are learned
}

// A Figure is an expression that is a key, or differs between the tables.
type Figure struct {
	Kind
	Whole  bool     // a count, or a sum over whole numbers
	totals []*total // each COUNT and SUM from which it is computed, once
}

// A total is a COUNT or a SUM.
type total struct {
	node sql.Node         // that computes it
	by   []sql.Expression // the PARTITION BY of a window
}

// KindsBelow learns the figures of a SELECT; own are its nodes down to its GROUP BY or its FROM.
func KindsBelow(node sql.Node, own []sql.Node) *Kinds {
	k := &Kinds{byID: make(map[sql.ColumnId]Figure), byText: make(map[string]Figure), own: own}
	k.learn(node)
	return k
}

// learn collects the figures that node and all nodes below define: an
// expression over an aggregate, a window or a subquery over a view is a figure.
func (k *Kinds) learn(node sql.Node) {
	for _, child := range node.Children() {
		k.learn(child)
	}
	k.node = node
	switch n := node.(type) {
	case *plan.SetOp:
		left, right := tree.OutputIDs(n.Left()), tree.OutputIDs(n.Right())
		for i, id := range right {
			if figure, ok := k.byID[id]; ok && i < len(left) {
				k.byID[left[i]] = figure
			}
		}
	case *plan.Window:
		k.define(n.SelectExprs)
		for _, e := range n.SelectExprs {
			k.byText[strings.ToLower(e.String())] = k.FigureOf(e)
		}
	case *plan.GroupBy:
		k.define(n.SelectedExprs)
	case sql.Projector:
		k.define(n.ProjectedExprs())
	case plan.TableIdNode:
		if len(node.Children()) != 1 {
			return
		}
		below := tree.OutputIDs(node.Children()[0])
		for i, id := range tree.OutputIDs(node) {
			if i < len(below) && k.byID[below[i]].Kind != Key {
				k.byID[id] = k.byID[below[i]]
			}
		}
	}
}

// define collects the figures among expressions.
func (k *Kinds) define(expressions []sql.Expression) {
	for _, e := range expressions {
		if figure := k.FigureOf(e); figure.Kind != Key && tree.ID(e) != 0 {
			k.byID[tree.ID(e)] = figure
		}
	}
}

// FigureOf is the figure that an expression is.
func (k *Kinds) FigureOf(e sql.Expression) Figure {
	e = tree.Unalias(e)
	if field, ok := e.(*expression.GetField); ok {
		if figure, ok := k.byID[field.Id()]; ok {
			return figure
		}
		return k.byText[strings.ToLower(field.String())]
	}
	if computed, ok := e.(sql.WindowAdaptableExpression); ok {
		if figure, ok := k.byID[tree.ID(e)]; ok {
			return figure
		}
		return k.computed(computed)
	}
	parts := k.parts(e)
	totals := totalsOf(parts)
	switch {
	case len(parts) == 0:
		return Figure{}
	case isNumber(e.Type()) && slices.ContainsFunc(parts, func(part Figure) bool { return part.Kind == Place }):
		return Figure{Kind: Place, totals: totals}
	case isNumber(e.Type()):
		return Figure{Kind: Mean, totals: totals}
	}
	return Figure{Kind: Value}
}

// totalsOf are the totals of all parts, each once.
func totalsOf(parts []Figure) (totals []*total) {
	for _, part := range parts {
		for _, t := range part.totals {
			if !slices.Contains(totals, t) {
				totals = append(totals, t)
			}
		}
	}
	return totals
}

// parts are the figures from which an expression is computed. A subquery that reads nothing of its outer query has its figure in every table.
func (k *Kinds) parts(e sql.Expression) (parts []Figure) {
	switch e := e.(type) {
	case *plan.Subquery:
		if len(Views(e.Query)) > 0 {
			var selected []Figure
			if inside := KindsBelow(e.Query, nil); !e.Correlated().Empty() {
				for _, s := range tree.Selected(e.Query, 0) {
					selected = append(selected, inside.FigureOf(s))
				}
			}
			parts = append(parts, Figure{Kind: Mean, totals: totalsOf(selected)})
		}
		return parts
	case *expression.GetField, sql.WindowAdaptableExpression:
		if figure := k.FigureOf(e); figure.Kind != Key {
			parts = append(parts, figure)
		}
		return parts
	}
	for _, child := range e.Children() {
		parts = append(parts, k.parts(child)...)
	}
	return parts
}

// computed is the figure that an aggregate or a window function is.
func (k *Kinds) computed(e sql.WindowAdaptableExpression) Figure {
	figure := KindOf(e)
	if figure.Kind == Count || figure.Kind == Sum {
		of := &total{node: k.node}
		if window := e.Window(); window != nil {
			of.by = window.PartitionBy
		}
		figure.totals = []*total{of}
	}
	return figure
}

// Combined is how a figure is combined if a table may lack a row with the keys. A COUNT or SUM over the rows
// with the keys is 0 there. A window over more rows is not, and is the mean of the other tables.
// everywhere: the figure is unknown there, so every table must have the row.
func (k *Kinds) Combined(f Figure, keys []sql.Expression) (kind Kind, everywhere bool) {
	kind = f.Kind
	isTotal := kind == Count || kind == Sum
	for _, t := range f.totals {
		_, window := t.node.(*plan.Window)
		switch {
		case !slices.Contains(k.own, t.node):
			everywhere = true
		case window && slices.ContainsFunc(keys, func(key sql.Expression) bool { return !decides(t.by, tree.Unalias(key)) }):
			if isTotal {
				kind = Mean
			}
		default:
			everywhere = everywhere || !isTotal
		}
	}
	return kind, everywhere
}

// decides reports whether rows that agree in some expressions agree in e.
func decides(by []sql.Expression, e sql.Expression) bool {
	if slices.ContainsFunc(by, func(known sql.Expression) bool { return tree.Same(tree.Unalias(known), e) }) {
		return true
	}
	switch e.(type) {
	case *expression.Literal:
		return true
	case *expression.GetField, *plan.Subquery:
		return false
	}
	children := e.Children()
	return len(children) > 0 && !slices.ContainsFunc(children, func(child sql.Expression) bool { return !decides(by, child) })
}

// KindOf is the kind of an aggregate or a window function. Bits, and values of single
// rows, are not averaged.
func KindOf(e sql.WindowAdaptableExpression) Figure {
	if _, persons := e.(*answer.PersonCount); persons {
		return Figure{Kind: Sum, Whole: true}
	}
	name := ""
	if call, ok := e.(sql.FunctionExpression); ok {
		name = strings.ToLower(call.FunctionName())
	}
	switch strings.ReplaceAll(name, "_", "") {
	case "count", "countdistinct":
		return Figure{Kind: Count, Whole: true}
	case "sum":
		return Figure{Kind: Sum, Whole: addsWhole(e)}
	case "min", "max", "percentiledisc":
		return Figure{Kind: Extreme}
	case "rownumber", "rank", "denserank", "percentrank", "cumedist", "ntile":
		return Figure{Kind: Place}
	case "bitand", "bitor", "bitxor", "anyvalue", "first", "last", "firstvalue", "lastvalue", "nthvalue", "lag", "lead":
		return Figure{Kind: Value}
	case "avg", "varpop", "varsamp", "stddevpop", "stddevsamp":
		return Figure{Kind: Mean} // the engine gives them the type of their argument
	}
	if isNumber(e.Type()) {
		return Figure{Kind: Mean}
	}
	return Figure{Kind: Value}
}

// addsWhole reports whether a SUM is over integers.
func addsWhole(e sql.Expression) bool {
	argument := e.Children()[0]
	if distinct, ok := argument.(*expression.DistinctExpression); ok {
		argument = distinct.Child
	}
	return arithmetic.ClassOf(argument).IsWhole()
}

// isNumber reports whether values of a type can be averaged.
func isNumber(typ sql.Type) bool {
	return types.IsNumber(typ) && !types.IsYear(typ) && !types.IsBit(typ)
}
