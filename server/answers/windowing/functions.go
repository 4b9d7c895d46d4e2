package windowing

import (
	"strconv"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// nthFunction stands for NTH_VALUE. The binder's list of window functions omits NTH_VALUE
// but contains this name, which no engine implements. The list also omits BIT_AND, BIT_OR
// and BIT_XOR: for them, the second argument of nthFunction is the name of the aggregate.
const nthFunction = "count_distinct"

// ByKnown rewrites window functions that the engine lacks, or on which it panics, in terms of others, in place. WriteOut must run
// before.
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

// oneParty gives a window without PARTITION BY a constant one. Without it, the engine drops the empty window of some functions, and
// returns a row for empty input.
func oneParty(w *sqlparser.WindowDef) {
	if len(w.PartitionBy) == 0 && w.NameRef.IsEmpty() {
		w.PartitionBy = sqlparser.Exprs{&sqlparser.NullVal{}}
	}
}

// nameNumber adds the argument of NTILE to PARTITION BY. The binder identifies windows by their text, which lacks that argument.
func nameNumber(call *sqlparser.FuncExpr) {
	if len(call.Exprs) != 1 {
		return
	}
	if given, ok := call.Exprs[0].(*sqlparser.AliasedExpr); ok {
		call.Over.PartitionBy = append(call.Over.PartitionBy, trees.Copy(given.Expr))
	}
}

// shareUpToPeers is CUME_DIST: the rows up to the last peer divided by the rows of the partition, whatever the frame.
func shareUpToPeers(w *sqlparser.WindowDef) sqlparser.Expr {
	count := func(order sqlparser.OrderBy) *sqlparser.FuncExpr {
		over := sqlparser.Over{NameRef: w.NameRef, PartitionBy: trees.Copy(w.PartitionBy), OrderBy: trees.Copy(order)}
		return &sqlparser.FuncExpr{Name: sqlparser.NewColIdent("count"), Exprs: sqlparser.SelectExprs{&sqlparser.StarExpr{}}, Over: &over}
	}
	upTo := &sqlparser.ConvertExpr{Expr: count(w.OrderBy), Type: &sqlparser.ConvertType{Type: "double"}}
	return &sqlparser.ParenExpr{Expr: &sqlparser.BinaryExpr{Operator: sqlparser.DivStr, Left: upTo, Right: count(nil)}}
}

// OrderBySelected replaces keys of ORDER BY that repeat a window of the SELECT list by the position of its column, if node is a
// SELECT. The engine would find the name ambiguous.
func OrderBySelected(node any) {
	query, ok := node.(*sqlparser.Select)
	if !ok || len(query.OrderBy) == 0 {
		return
	}
	places := map[string]int{}
	for i, selected := range query.SelectExprs {
		aliased, ok := selected.(*sqlparser.AliasedExpr)
		if !ok { // * has an unknown number of columns
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
