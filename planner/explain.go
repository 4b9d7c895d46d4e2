package planner

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/plainsql"
	"github.com/anonsql/anonsql/tree"
)

// explainProcedure is CALL explain_sql('SELECT ...'), declared in package
// functions.
const explainProcedure = "explain_sql"

// explainCall answers the call: it binds the statement with the session's privileges,
// recognises its estimates, and runs nothing.
func explainCall(ctx *sql.Context, a *analyzer.Analyzer, call *plan.Call) (sql.Node, error) {
	explained := &explanation{}
	if !tree.OneValue(call.Params[0]) {
		return explained, nil // being prepared: only the columns matter
	}
	given, err := call.Params[0].Eval(ctx, nil)
	if err != nil {
		return nil, err
	}
	query, ok := given.(string)
	if !ok {
		return nil, answer.Refuse("explain_sql takes a SELECT as a text, such as CALL explain_sql('SELECT COUNT(*) FROM published.adult')")
	}
	explained.statement, err = plainText(ctx, a, query)
	return explained, err
}

// plainText rewrites a SELECT over published views as plain SQL over the published
// relations. It costs binding the statement, and plainsql.Write.
func plainText(ctx *sql.Context, a *analyzer.Analyzer, query string) (string, error) {
	parsed, _, _, err := a.Parser.Parse(ctx, query, false)
	if err != nil {
		return "", err
	}
	if _, ok := parsed.(sqlparser.SelectStatement); !ok {
		return "", answer.Refuse("explain_sql explains a SELECT")
	}
	bound, _, err := planbuilder.New(ctx, a.Catalog, nil, a.Parser).BindOnly(parsed, query, nil)
	if err != nil {
		return "", err
	}
	p := newPlanner(ctx)
	if bound, _, err = padComparisons(ctx, bound); err != nil {
		return "", err
	}
	node, err := p.recognise(&runner{engine: a}, bound)
	if err == nil {
		err = p.checkIds()
	}
	if err != nil {
		return "", err
	}
	if runsPerTable(node) {
		return "", answer.Refuse("explain_sql has no plain SQL for what runs on each completed table: " +
			"the rows of table d are those of published.<release>_imputed with draw = d, and EXPLAIN says how the answers are combined")
	}
	if p.estimates == 0 {
		return "", answer.Refuse("explain_sql explains estimates, and this statement has none: it aggregates no published view")
	}
	return plainsql.Write(ctx, node)
}

// An explanation is the node that answers the call: one row with the text.
type explanation struct {
	tree.Leaf
	statement string
}

var _ sql.ExecSourceRel = (*explanation)(nil)

// ShowsPlan marks a node that shows a plan.
func (e *explanation) ShowsPlan() {}

func (e *explanation) String() string { return "ExplainSQL" }

func (e *explanation) Schema() sql.Schema {
	return sql.Schema{{Name: "statement", Type: types.LongText}}
}

func (e *explanation) WithChildren(children ...sql.Node) (sql.Node, error) {
	return tree.WithoutChildren(e, children)
}

// RowIter implements sql.ExecSourceRel.
func (e *explanation) RowIter(*sql.Context, sql.Row) (sql.RowIter, error) {
	return sql.RowsToRowIter(sql.NewRow(e.statement)), nil
}
