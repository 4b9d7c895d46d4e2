package scope

import (
	"context"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// ExpandStars replaces the stars of every SELECT over JOIN ... USING or NATURAL JOIN by columns, in place.
func ExpandStars(ctx context.Context, statement sqlparser.Statement) {
	b := binderOf(ctx)
	if b == nil {
		return
	}
	with := withs(statement)
	trees.WalkUp(statement, func(node any) { // so that the binder gets derived tables without stars
		query, ok := node.(*sqlparser.Select)
		if !ok || !slices.ContainsFunc(query.SelectExprs, isStar) || !sharesColumns(query.From) {
			return
		}
		if from, ok := (&reader{b, with[query]}).list(query.From); ok {
			query.SelectExprs = from.expanded(query.SelectExprs)
		}
	})
}

// withs returns the common table expressions that each SELECT can name.
func withs(statement sqlparser.Statement) map[*sqlparser.Select]*sqlparser.With {
	all := map[*sqlparser.Select]*sqlparser.With{}
	trees.Walk(statement, func(node any) { // outermost first
		var own *sqlparser.With
		switch node := node.(type) {
		case *sqlparser.Select:
			own = node.With
		case *sqlparser.SetOp:
			own = node.With
		case *sqlparser.Insert:
			own = node.With
		case *sqlparser.Update:
			own = node.With
		case *sqlparser.Delete:
			own = node.With
		}
		if own == nil {
			return
		}
		defined := map[*sqlparser.Select]*sqlparser.With{} // inside each CTE: the CTEs defined before it
		for i, cte := range own.Ctes {
			before := &sqlparser.With{Ctes: own.Ctes[:i], Recursive: own.Recursive}
			if own.Recursive {
				before.Ctes = own.Ctes[:i+1]
			}
			eachSelect(cte, func(query *sqlparser.Select) { defined[query] = before })
		}
		eachSelect(node, func(query *sqlparser.Select) {
			sees := defined[query]
			if sees == nil {
				sees = own
			}
			all[query] = visible(all[query], sees)
		})
	})
	return all
}

func eachSelect(below any, visit func(*sqlparser.Select)) {
	trees.Walk(below, func(node any) {
		if query, ok := node.(*sqlparser.Select); ok {
			visit(query)
		}
	})
}

func isStar(selected sqlparser.SelectExpr) bool {
	_, ok := selected.(*sqlparser.StarExpr)
	return ok
}

// sharesColumns recognises a FROM with JOIN ... USING or NATURAL JOIN.
func sharesColumns(from sqlparser.TableExprs) (found bool) {
	trees.WalkOutside(from, func(node any) {
		join, ok := node.(*sqlparser.JoinTableExpr)
		found = found || ok && (len(join.Condition.Using) > 0 || isNatural(join))
	})
	return found
}

func isNatural(join *sqlparser.JoinTableExpr) bool { return strings.HasPrefix(join.Join, "natural") }

// A column of a FROM is a column of one of its tables.
type column struct {
	table sqlparser.TableName // qualifies the name
	name  string
}

// A row holds the columns of a part of a FROM: star those of *, tables those of each table in declared order.
type row struct {
	star   []column
	tables [][]column
}

// expanded returns a SELECT list with its stars expanded. The star of an unknown table stays.
func (r row) expanded(list sqlparser.SelectExprs) sqlparser.SelectExprs {
	var all sqlparser.SelectExprs
	for _, selected := range list {
		star, ok := selected.(*sqlparser.StarExpr)
		if !ok {
			all = append(all, selected)
			continue
		}
		columns := r.columnsOf(star.TableName)
		if len(columns) == 0 {
			all = append(all, selected)
		}
		for _, c := range columns {
			all = append(all, &sqlparser.AliasedExpr{Expr: &sqlparser.ColName{Name: sqlparser.NewColIdent(c.name), Qualifier: c.table}})
		}
	}
	return all
}

// columnsOf returns the columns of a star.
func (r row) columnsOf(table sqlparser.TableName) []column {
	if table.IsEmpty() {
		return r.star
	}
	for _, columns := range r.tables {
		if len(columns) > 0 && strings.EqualFold(columns[0].table.Name.String(), table.Name.String()) {
			return columns
		}
	}
	return nil
}

// A reader reads the parts of one FROM. Its methods return false if the columns are not known.
type reader struct {
	*binder
	with *sqlparser.With
}

func (r *reader) list(from sqlparser.TableExprs) (all row, ok bool) {
	for _, of := range from {
		one, ok := r.read(of)
		if !ok {
			return row{}, false
		}
		all = row{slices.Concat(all.star, one.star), slices.Concat(all.tables, one.tables)}
	}
	return all, true
}

func (r *reader) read(of sqlparser.TableExpr) (row, bool) {
	switch of := of.(type) {
	case *sqlparser.ParenTableExpr:
		return r.list(of.Exprs)
	case *sqlparser.JoinTableExpr:
		left, ok := r.read(of.LeftExpr)
		right, also := r.read(of.RightExpr)
		if !ok || !also {
			return row{}, false
		}
		return joined(left, right, of)
	case *sqlparser.AliasedTableExpr:
		name := sqlparser.TableName{Name: of.As}
		if table, ok := of.Expr.(sqlparser.TableName); ok && of.As.IsEmpty() {
			name.Name = table.Name
		}
		return r.table(of, name)
	case *sqlparser.TableFuncExpr:
		return r.table(of, sqlparser.TableName{Name: of.Alias})
	case *sqlparser.JSONTableExpr:
		return r.table(of, sqlparser.TableName{Name: of.Alias})
	}
	return row{}, false
}

// table reads one table. As in the engine, table names have no database.
func (r *reader) table(of sqlparser.TableExpr, name sqlparser.TableName) (row, bool) {
	names, ok := r.columns(of, r.with)
	if !ok || name.Name.IsEmpty() {
		return row{}, false
	}
	columns := make([]column, len(names))
	for i := range names {
		columns[i] = column{name, names[i]}
	}
	return row{columns, [][]column{columns}}, true
}

// joined joins two rows: the common columns once, taken from the preserved side, then the other columns of that side, then
// those of the other side (SQL:1992, 7.5). As in MySQL, RIGHT JOIN is LEFT JOIN with the sides exchanged.
func joined(left, right row, join *sqlparser.JoinTableExpr) (row, bool) {
	tables := slices.Concat(left.tables, right.tables)
	if len(join.Condition.Using) == 0 && !isNatural(join) {
		return row{slices.Concat(left.star, right.star), tables}, true
	}
	first, second := left.star, right.star
	if join.Join == sqlparser.RightJoinStr || join.Join == sqlparser.NaturalRightJoinStr {
		first, second = second, first
	}
	shared := map[string]bool{}
	for _, name := range join.Condition.Using {
		shared[name.Lowered()] = true
	}
	if isNatural(join) {
		for _, c := range second {
			shared[strings.ToLower(c.name)] = true
		}
	}
	var both, besides, others []column
	counted := map[string]bool{}
	for _, c := range first {
		if name := strings.ToLower(c.name); !shared[name] || !slices.ContainsFunc(second, c.isNamesake) {
			besides = append(besides, c)
		} else if counted[name] {
			return row{}, false // ambiguous: the binder reports it
		} else {
			both, counted[name] = append(both, c), true
		}
	}
	for _, c := range second {
		if !counted[strings.ToLower(c.name)] {
			others = append(others, c)
		}
	}
	return row{slices.Concat(both, besides, others), tables}, true
}

func (c column) isNamesake(other column) bool { return strings.EqualFold(c.name, other.name) }
