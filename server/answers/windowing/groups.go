package windowing

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// groupedTable is the name of the derived table. Its unnamed columns have the same name,
// followed by their number.
const groupedTable = "__anon_grouped"

// erAliasOfWindow is MySQL's ER_WINDOW_INVALID_WINDOW_FUNC_ALIAS_USE.
const erAliasOfWindow = 3594

// OverGroups moves GROUP BY and HAVING of a SELECT with windows into a derived table, in place: they apply before the windows do.
func OverGroups(node any) error {
	query, ok := node.(*sqlparser.Select)
	if ok {
		if err := refuseWithin(query); err != nil {
			return err
		}
	}
	if !ok || query.Having == nil && !isGrouped(query) || !hasWindow(query.SelectExprs) && !hasWindow(query.OrderBy) {
		return nil
	}
	for _, selected := range query.SelectExprs {
		if _, isStar := selected.(*sqlparser.StarExpr); isStar { // its columns are unknown here
			what := "a window over groups"
			if !isGrouped(query) {
				what = "a window behind HAVING"
			}
			return mysql.NewSQLError(mysql.ERNotSupportedYet, "42000",
				"%s is not supported beside *: name the columns, or put the SELECT with * into a derived table", what)
		}
	}
	return groupBelow(query)
}

// erMisplacedWindow is MySQL's ER_WINDOW_INVALID_WINDOW_FUNC_USE.
const erMisplacedWindow = 3593

// refuseWithin refuses a window inside an aggregate or another window, as MySQL does.
func refuseWithin(query *sqlparser.Select) error {
	visit := func(node sqlparser.SQLNode) error {
		if call, ok := node.(*sqlparser.FuncExpr); ok && (call.Over != nil || isAggregate(call)) {
			if inner := windowIn(call.Exprs); inner != nil {
				return misplaced(inner)
			}
			if call.Over != nil {
				if inner := windowIn((*sqlparser.WindowDef)(call.Over)); inner != nil {
					return misplaced(inner)
				}
			}
		}
		if concat, ok := node.(*sqlparser.GroupConcatExpr); ok && windowIn(concat) != nil {
			return misplaced(windowIn(concat))
		}
		return nil
	}
	if err := inOneSelect(query.SelectExprs, visit); err != nil {
		return err
	}
	return inOneSelect(query.OrderBy, visit)
}

func misplaced(window *sqlparser.FuncExpr) error {
	return mysql.NewSQLError(erMisplacedWindow, "HY000",
		"You cannot use the window function '%s' in this context: compute it in a derived table first", window.Name.Lowered())
}

// windowIn returns the first window function at or below a node, or nil.
func windowIn(node sqlparser.SQLNode) (window *sqlparser.FuncExpr) {
	_ = inOneSelect(node, func(n sqlparser.SQLNode) error { // which has none
		if call, ok := n.(*sqlparser.FuncExpr); ok && call.Over != nil && window == nil {
			window = call
		}
		return nil
	})
	return window
}

// isGrouped reports whether a SELECT has GROUP BY or aggregates.
func isGrouped(query *sqlparser.Select) bool {
	return len(query.GroupBy) > 0 || hasAggregate(query.SelectExprs) || hasAggregate(query.OrderBy) || query.Having != nil && hasAggregate(query.Having.Expr)
}

// A groupedSelect is a derived table under construction, which computes the groups of a SELECT.
type groupedSelect struct {
	*sqlparser.Select                 // the derived table
	columns           map[string]int  // its column indexes, by the text of their expressions
	names             map[string]bool // names of its columns, in lower case
	aliases           map[string]bool // aliases of the SELECT above, in lower case, while they are visible
}

func groupBelow(query *sqlparser.Select) error {
	g := &groupedSelect{&sqlparser.Select{Comments: query.Comments, From: query.From, Where: query.Where, GroupBy: query.GroupBy, Having: query.Having},
		map[string]int{}, map[string]bool{}, nil}
	g.QueryOpts.StraightJoinHint = query.QueryOpts.StraightJoinHint
	aliases, err := g.addSelected(query.SelectExprs)
	if err != nil {
		return err
	}
	g.lift(reflect.ValueOf(query.SelectExprs))
	g.aliases = aliases
	for _, order := range query.OrderBy {
		if _, isNumber := ordinalOf(order.Expr); !isNumber {
			g.lift(reflect.ValueOf(order))
		}
	}
	if len(g.SelectExprs) == 0 { // COUNT(*) OVER () reads no column of a group
		g.column(sqlparser.NewIntVal([]byte("1")), "")
	}
	query.From = sqlparser.TableExprs{&sqlparser.AliasedTableExpr{Expr: &sqlparser.Subquery{Select: g.Select},
		As: sqlparser.NewTableIdent(groupedTable), Auth: sqlparser.AuthInformation{AuthType: sqlparser.AuthType_IGNORE}}}
	query.Where, query.GroupBy, query.Having, query.QueryOpts.StraightJoinHint = nil, nil, nil, false
	return nil
}

// addSelected adds the selected expressions without windows as columns, under the names
// that GROUP BY and HAVING use. It gives every selected column the name that clients see.
func (g *groupedSelect) addSelected(selected sqlparser.SelectExprs) (aliases map[string]bool, err error) {
	aliases, windowed := map[string]bool{}, map[string]bool{}
	positions, err := g.positions(selected)
	if err != nil {
		return nil, err
	}
	for i, of := range selected {
		column := of.(*sqlparser.AliasedExpr)
		given, ofTable := column.As.String(), false
		if name, ok := column.Expr.(*sqlparser.ColName); ok {
			given, ofTable = cmp.Or(given, name.Name.String()), true
		}
		name := cmp.Or(given, column.InputExpression, sqlparser.String(column.Expr))
		aliases[strings.ToLower(name)] = true
		switch keys := positions[i+1]; {
		case hasWindow(column.Expr) && len(keys) > 0:
			return nil, mysql.NewSQLError(mysql.ERWrongGroupField, "42000", "Can't group on '%s'", name)
		case hasWindow(column.Expr):
			windowed[strings.ToLower(name)] = true
		case len(keys) > 0 || ofTable || given != "" || !steady(column.Expr):
			at := g.column(column.Expr, given)
			for _, key := range keys {
				g.GroupBy[key] = sqlparser.NewIntVal([]byte(strconv.Itoa(at + 1)))
			}
			column.Expr = g.reference(at)
		}
		column.As, column.InputExpression = sqlparser.NewColIdent(name), ""
	}
	return aliases, g.refuseInHaving(windowed)
}

// positions maps the positions of selected columns to the keys of GROUP BY that are these numbers.
func (g *groupedSelect) positions(selected sqlparser.SelectExprs) (map[int][]int, error) {
	positions := map[int][]int{}
	for i, key := range g.GroupBy {
		n, isNumber := ordinalOf(key)
		if isNumber && (n < 1 || n > len(selected)) {
			return nil, mysql.NewSQLError(mysql.ERBadFieldError, "42S22", "Unknown column '%s' in 'group statement'", sqlparser.String(key))
		}
		if isNumber {
			positions[n] = append(positions[n], i)
		}
	}
	return positions, nil
}

// refuseInHaving refuses aliases of windows in HAVING, as MySQL does.
func (g *groupedSelect) refuseInHaving(windowed map[string]bool) error {
	if g.Having == nil {
		return nil
	}
	return inOneSelect(g.Having.Expr, func(node sqlparser.SQLNode) error {
		if name, ok := node.(*sqlparser.ColName); ok && name.Qualifier.IsEmpty() && windowed[name.Name.Lowered()] {
			return mysql.NewSQLError(erAliasOfWindow, "HY000",
				"You cannot use the alias '%s' of an expression containing a window function in this context: HAVING looks at groups before windows do, "+
					"so put the SELECT into a derived table, and WHERE over it", name.Name.String())
		}
		return nil
	})
}

// lift replaces the largest window-free expressions below v by columns of the derived
// table.
func (g *groupedSelect) lift(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		if e, ok := v.Interface().(sqlparser.Expr); ok && v.Type() == reflect.TypeFor[sqlparser.Expr]() {
			if column := g.inPlaceOf(e); column != nil {
				v.Set(reflect.ValueOf(column))
				return
			}
		}
		g.lift(v.Elem())
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		switch node := v.Interface().(type) {
		case *sqlparser.Frame: // has constants
		case *sqlparser.ComparisonExpr:
			g.lift(reflect.ValueOf(&node.Left).Elem())
			if _, isSubquery := node.Right.(*sqlparser.Subquery); !isSubquery || node.Operator != sqlparser.InStr && node.Operator != sqlparser.NotInStr {
				g.lift(reflect.ValueOf(&node.Right).Elem())
			}
		default:
			g.lift(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				g.lift(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			g.lift(v.Index(i))
		}
	}
}

// inPlaceOf returns the replacement of e above the derived table, nil if its parts are
// replaced one by one.
func (g *groupedSelect) inPlaceOf(e sqlparser.Expr) sqlparser.Expr {
	switch e := e.(type) {
	case *sqlparser.IntervalExpr, sqlparser.ValTuple: // no values
		return nil
	case *sqlparser.ColName:
		if e.Qualifier.Name.String() == groupedTable || g.isAlias(e) {
			return e
		}
	}
	switch {
	case isAggregate(e):
	case hasWindow(e), g.hasAlias(e):
		return nil
	case steady(e):
		return e
	}
	return g.reference(g.column(e, ""))
}

// column returns the index of an expression in the derived table, and adds it if
// needed. HAVING may use its name, if it has one.
func (g *groupedSelect) column(e sqlparser.Expr, name string) int {
	text := sqlparser.String(e)
	at, found := g.columns[text]
	if found && (name == "" || g.names[strings.ToLower(name)]) {
		return at
	}
	at = len(g.SelectExprs)
	if name == "" || g.names[strings.ToLower(name)] {
		name = groupedTable + strconv.Itoa(at+1)
	}
	g.names[strings.ToLower(name)], g.columns[text] = true, at
	g.SelectExprs = append(g.SelectExprs, &sqlparser.AliasedExpr{Expr: e, As: sqlparser.NewColIdent(name)})
	return at
}

// reference refers to a column of the derived table.
func (g *groupedSelect) reference(at int) sqlparser.Expr {
	return &sqlparser.ColName{Name: g.SelectExprs[at].(*sqlparser.AliasedExpr).As, Qualifier: sqlparser.TableName{Name: sqlparser.NewTableIdent(groupedTable)}}
}

func (g *groupedSelect) isAlias(name *sqlparser.ColName) bool {
	return name.Qualifier.IsEmpty() && g.aliases[name.Name.Lowered()]
}

// hasAlias reports whether an expression of ORDER BY uses an alias of the SELECT list.
func (g *groupedSelect) hasAlias(e sqlparser.Expr) bool {
	return anyNode(e, func(node sqlparser.SQLNode) bool {
		name, ok := node.(*sqlparser.ColName)
		return ok && g.isAlias(name)
	})
}

// steady reports whether an expression has the same value in every group.
func steady(e sqlparser.Expr) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) { // which has no error
		switch node.(type) {
		case *sqlparser.ColName, *sqlparser.Subquery:
			found = true
		}
		return !found, nil
	}, e)
	return !found && !hasAggregate(e)
}

// ordinalOf returns the value of an integer literal.
func ordinalOf(e sqlparser.Expr) (n int, isNumber bool) {
	value, ok := e.(*sqlparser.SQLVal)
	if !ok || value.Type != sqlparser.IntVal {
		return 0, false
	}
	n, _ = strconv.Atoi(string(value.Val)) // 0, which is no column, on overflow
	return n, true
}

func hasWindow(node sqlparser.SQLNode) bool { return windowIn(node) != nil }

func hasAggregate(node sqlparser.SQLNode) bool { return anyNode(node, isAggregate) }

// isAggregate recognises an aggregate that is not over a window.
func isAggregate(node sqlparser.SQLNode) bool {
	switch node := node.(type) {
	case *sqlparser.GroupConcatExpr:
		return true
	case *sqlparser.FuncExpr:
		return trees.IsAggregate(node)
	}
	return false
}

// anyNode reports whether such holds for a node or one below it, outside subqueries.
func anyNode(node sqlparser.SQLNode, such func(sqlparser.SQLNode) bool) bool {
	found := false
	_ = inOneSelect(node, func(n sqlparser.SQLNode) error { // which has none
		found = found || such(n)
		return nil
	})
	return found
}

// inOneSelect calls visit with a node and those below it, outside subqueries. It stops
// at the first error.
func inOneSelect(node sqlparser.SQLNode, visit func(sqlparser.SQLNode) error) error {
	return sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if _, isSubquery := n.(*sqlparser.Subquery); isSubquery {
			return false, nil
		}
		return true, visit(n)
	}, node)
}
