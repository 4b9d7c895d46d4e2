package windowing

import (
	"strconv"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// nthFunction is what the binder knows NTH_VALUE as: it has a list of names that may stand
// before OVER, in which NTH_VALUE is not, and in which this one, that no engine has, is. The
// aggregates of bits are not there either: nthFunction has the name of one for its number.
const nthFunction = "count_distinct"

// ByKnown writes the functions over windows that the engine lacks, or panics over, by those that it has, in place. Named windows are
// written out before.
func ByKnown(statement sqlparser.Statement) {
	trees.Replace(statement, func(e sqlparser.Expr) sqlparser.Expr {
		call, ok := e.(*sqlparser.FuncExpr)
		if !ok || call.Over == nil {
			return e
		}
		switch name := call.Name.Lowered(); name {
		case "cume_dist":
			if len(call.Exprs) == 0 {
				return shareUpToPeers((*sqlparser.WindowDef)(call.Over))
			}
		case "bit_and", "bit_or", "bit_xor":
			if len(call.Exprs) == 1 {
				call.Name, call.Exprs = sqlparser.NewColIdent(nthFunction), append(call.Exprs, &sqlparser.AliasedExpr{Expr: trees.Text(name)})
			}
		case "ntile":
			oneParty((*sqlparser.WindowDef)(call.Over))
			nameNumber(call)
		case "nth_value":
			call.Name = sqlparser.NewColIdent(nthFunction)
			fallthrough
		case "lag", "lead", "first_value", "last_value", "rank", "dense_rank", "percent_rank":
			oneParty((*sqlparser.WindowDef)(call.Over))
		}
		return e
	})
}

// oneParty gives a window without PARTITION BY one that makes one partition of all rows: without it, some functions lose the window
// that has no parts, and have a row where there is none.
func oneParty(w *sqlparser.WindowDef) {
	if len(w.PartitionBy) == 0 && w.NameRef.IsEmpty() {
		w.PartitionBy = sqlparser.Exprs{&sqlparser.NullVal{}}
	}
}

// nameNumber puts the number of NTILE, which the engine does not write, into the text of its window, by which the binder knows it.
func nameNumber(call *sqlparser.FuncExpr) {
	if len(call.Exprs) != 1 {
		return
	}
	if given, ok := call.Exprs[0].(*sqlparser.AliasedExpr); ok {
		call.Over.PartitionBy = append(call.Over.PartitionBy, trees.Copy(given.Expr))
	}
}

// shareUpToPeers is CUME_DIST: the rows up to the last peer, of those of the partition, whatever the frame.
func shareUpToPeers(w *sqlparser.WindowDef) sqlparser.Expr {
	count := func(order sqlparser.OrderBy) *sqlparser.FuncExpr {
		over := sqlparser.Over{NameRef: w.NameRef, PartitionBy: trees.Copy(w.PartitionBy), OrderBy: trees.Copy(order)}
		return &sqlparser.FuncExpr{Name: sqlparser.NewColIdent("count"), Exprs: sqlparser.SelectExprs{&sqlparser.StarExpr{}}, Over: &over}
	}
	upTo := &sqlparser.ConvertExpr{Expr: count(w.OrderBy), Type: &sqlparser.ConvertType{Type: "double"}}
	return &sqlparser.ParenExpr{Expr: &sqlparser.BinaryExpr{Operator: sqlparser.DivStr, Left: upTo, Right: count(nil)}}
}

// OrderBySelected puts the places of columns into the ORDER BY of a node that is a SELECT, where it repeats a window of the SELECT
// list: the engine takes the two for one name of two columns.
func OrderBySelected(node any) {
	query, ok := node.(*sqlparser.Select)
	if !ok || len(query.OrderBy) == 0 {
		return
	}
	places := map[string]int{}
	for i, selected := range query.SelectExprs {
		aliased, ok := selected.(*sqlparser.AliasedExpr)
		if !ok { // *, which is more columns than one
			return
		}
		if hasWindow(aliased) {
			places[sqlparser.String(aliased.Expr)] = i + 1
		}
	}
	if len(places) == 0 {
		return
	}
	for _, order := range query.OrderBy {
		if at := places[sqlparser.String(order.Expr)]; at > 0 {
			order.Expr = sqlparser.NewIntVal(strconv.AppendInt(nil, int64(at), 10))
		}
	}
}
