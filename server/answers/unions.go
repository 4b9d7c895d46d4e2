package answers

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/tree"
)

// The engine walks both sides of a UNION again for every UNION above them, so its time
// grows with the number of branches times the depth of the tree, and a chain of n
// branches parses into a tree of depth n-1. So chains of one operator are balanced, to
// depth log2 n, and trees that are still too deep are refused.
const (
	// maxUnionBranches is the longest chain that is balanced: 64 branches are
	// six levels.
	maxUnionBranches = 64
	// maxSetDepth is the deepest tree of set operations that is analysed.
	maxSetDepth = 7
	// balanceFrom is the shortest chain worth changing.
	balanceFrom = 4
)

// setOperators are the words of set operations.
var setOperators = []string{"union", "intersect", "except"}

// boundSetOperations balances every chain of UNIONs, in place.
func boundSetOperations(t parsed) error {
	var err error
	inside := map[*sqlparser.SetOp]bool{}
	trees.Walk(t.Statement, func(node any) {
		op, ok := node.(*sqlparser.SetOp)
		if !ok || err != nil || inside[op] {
			return
		}
		if balanceErr := balance(op); balanceErr != nil {
			err = balanceErr
			return
		}
		if depth := setDepth(op, inside); depth > maxSetDepth {
			err = mysql.NewSQLError(mysql.ERNotSupportedYet, "42000",
				"set operations are nested %d deep, at most %d are supported", depth, maxSetDepth)
		}
	})
	return err
}

// balance turns ((a u b) u c) u d into (a u b) u (c u d). It is the same
// relation when all operators are UNION ALL, or all UNION DISTINCT; mixed
// chains are left as they are.
func balance(op *sqlparser.SetOp) error {
	branches := chain(op)
	if len(branches) > maxUnionBranches {
		return mysql.NewSQLError(mysql.ERNotSupportedYet, "42000",
			"a UNION of %d branches, at most %d are supported", len(branches), maxUnionBranches)
	}
	if len(branches) < balanceFrom {
		return nil
	}
	half := len(branches) / 2
	op.Left = balanced(op.Type, branches[:half])
	op.Right = parenthesized(balanced(op.Type, branches[half:]))
	return nil
}

// chain is the operands of a left-deep chain of one operator, in order.
func chain(op *sqlparser.SetOp) []sqlparser.SelectStatement {
	if kindOfUnion(op.Type) == "" {
		return []sqlparser.SelectStatement{op.Left, op.Right}
	}
	left, ok := op.Left.(*sqlparser.SetOp)
	if !ok || kindOfUnion(left.Type) != kindOfUnion(op.Type) || hasTail(left) {
		return []sqlparser.SelectStatement{op.Left, op.Right}
	}
	return append(chain(left), op.Right)
}

// kindOfUnion is "all" or "distinct", "" for other operators.
func kindOfUnion(operator string) string {
	switch operator {
	case sqlparser.UnionAllStr:
		return "all"
	case sqlparser.UnionStr, sqlparser.UnionDistinctStr:
		return "distinct"
	}
	return ""
}

func hasTail(op *sqlparser.SetOp) bool {
	return len(op.OrderBy) > 0 || op.Limit != nil || op.With != nil || op.Into != nil || op.Lock != ""
}

func balanced(operator string, branches []sqlparser.SelectStatement) sqlparser.SelectStatement {
	if len(branches) == 1 {
		return branches[0]
	}
	half := len(branches) / 2
	return &sqlparser.SetOp{
		Type:  operator,
		Left:  balanced(operator, branches[:half]),
		Right: parenthesized(balanced(operator, branches[half:])),
	}
}

func parenthesized(s sqlparser.SelectStatement) sqlparser.SelectStatement {
	if op, ok := s.(*sqlparser.SetOp); ok {
		return &sqlparser.ParenSelect{Select: op}
	}
	return s
}

// setDepth is the depth of the tree of set operations at s; it adds the visited
// operations to passed.
func setDepth(s sqlparser.SelectStatement, passed map[*sqlparser.SetOp]bool) int {
	switch s := s.(type) {
	case *sqlparser.ParenSelect:
		return setDepth(s.Select, passed)
	case *sqlparser.SetOp:
		passed[s] = true
		return 1 + max(setDepth(s.Left, passed), setDepth(s.Right, passed))
	}
	return 0
}

// erWrongNumberOfColumns and erWrongList are MySQL's ER_WRONG_NUMBER_OF_COLUMNS_IN_SELECT and ER_VIEW_WRONG_LIST.
const (
	erWrongNumberOfColumns = 1222
	erWrongList            = 1353
)

// countColumns refuses a set operation whose SELECTs have different numbers of columns, and WITH with too many or too few names:
// on recursive ones the engine panics, or never ends. The width of * is unknown here.
func countColumns(t parsed) (err error) {
	trees.Walk(t.Statement, func(node any) {
		switch node := node.(type) {
		case *sqlparser.SetOp:
			left, right := width(node.Left), width(node.Right)
			if left > 0 && right > 0 && left != right {
				err = errWidths()
			}
		case *sqlparser.CommonTableExpr:
			query, ok := node.Expr.(*sqlparser.Subquery)
			if n := len(node.Columns); ok && n > 0 && err == nil && width(query.Select) > 0 && width(query.Select) != n {
				err = mysql.NewSQLError(erWrongList, mysql.SSUnknownSQLState,
					"In definition of view, derived table or common table expression, SELECT list and column names list have different column counts")
			}
		}
	})
	return err
}

func errWidths() error {
	return mysql.NewSQLError(erWrongNumberOfColumns, "21000", "The used SELECT statements have a different number of columns")
}

// countRecursive is countColumns for bound recursive queries, whose columns are known.
func countRecursive(_ *sql.Context, n sql.Node) (_ sql.Node, _ transform.TreeIdentity, err error) {
	tree.Inspect(n, func(n sql.Node) bool {
		if recursive, ok := n.(*plan.RecursiveCte); ok && len(recursive.Left().Schema()) != len(recursive.Right().Schema()) {
			err = errWidths()
		}
		return err == nil
	})
	return n, transform.SameTree, err
}

// width is the number of columns of a query, 0 if unknown.
func width(query sqlparser.SelectStatement) int {
	switch query := query.(type) {
	case *sqlparser.ParenSelect:
		return width(query.Select)
	case *sqlparser.SetOp:
		return width(query.Left)
	case *sqlparser.Select:
		for _, selected := range query.SelectExprs {
			if _, star := selected.(*sqlparser.StarExpr); star {
				return 0
			}
		}
		return len(query.SelectExprs)
	}
	return 0
}
