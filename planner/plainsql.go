package planner

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// explainProcedure is CALL explain_sql('SELECT ...'), declared in package
// functions.
const explainProcedure = "explain_sql"

// Plain SQL: a statement over published views as one over the published
// relations, in words that mean the same to this server, to MySQL and to SQLite.
//
// Steps, a file each:
//
//	plainsql.go             the call: bind, recognise, write
//	plainsql_select.go      the nodes of a plan as SELECTs inside each other
//	plainsql_from.go        derived tables, ordinary tables, joins
//	plainsql_setop.go       UNION and its like
//	plainsql_estimate.go    an Estimate as an aggregate over the weighted join
//	plainsql_group.go       GROUP BY over derived and ordinary tables
//	plainsql_expression.go  logic and CASE
//	plainsql_number.go      arithmetic and casts
//	plainsql_subquery.go    subqueries in conditions
//	plainsql_function.go    functions
//	plainsql_compare.go     comparisons, by collation and type
//	plainsql_literal.go     values
//	plainsql_values.go      an expression without a portable form, as the table
//	                        of its values per dictionary value
//
// What has no form that both read alike is refused by name.

// explainCall answers the call: the statement is bound with the rights of the
// session, its estimates are recognised, and nothing is run.
func explainCall(ctx *sql.Context, a *analyzer.Analyzer, call *plan.Call) (sql.Node, error) {
	answer := &explanation{}
	if !oneValue(call.Params[0]) {
		return answer, nil // being prepared: only the columns matter
	}
	given, err := call.Params[0].Eval(ctx, nil)
	if err != nil {
		return nil, err
	}
	query, ok := given.(string)
	if !ok {
		return nil, refuse("explain_sql takes a SELECT as a text, such as CALL explain_sql('SELECT COUNT(*) FROM published.adult')")
	}
	answer.statement, err = PlainSQL(ctx, a, query)
	return answer, err
}

// PlainSQL is a SELECT over published views as plain SQL over the published
// relations. Cost: that of binding the statement; conditions that become tables
// of values, and texts under a collation that ignores case, look at the release's
// dictionaries.
func PlainSQL(ctx *sql.Context, a *analyzer.Analyzer, query string) (string, error) {
	parsed, _, _, err := a.Parser.Parse(ctx, query, false)
	if err != nil {
		return "", err
	}
	if _, ok := parsed.(sqlparser.SelectStatement); !ok {
		return "", refuse("explain_sql explains a SELECT")
	}
	bound, _, err := planbuilder.New(ctx, a.Catalog, nil, a.Parser).BindOnly(parsed, query, nil)
	if err != nil {
		return "", err
	}
	node, estimates, err := recognise(ctx, bound)
	if err != nil {
		return "", err
	}
	if estimates == 0 {
		return "", refuse("explain_sql explains estimates, and this statement has none: it aggregates no published view")
	}
	w := &sqlWriter{ctx: ctx, fields: make(map[sql.ColumnId]string), kinds: make(map[sql.ColumnId]textKind), groupedBy: make(map[string]string)}
	s, err := w.selection(node)
	if err != nil {
		return "", err
	}
	s.rename(node.Schema())
	if w.assumes {
		return assumption + s.text(""), nil
	}
	return s.text(""), nil
}

// A sqlWriter writes one statement.
type sqlWriter struct {
	ctx     *sql.Context
	aliases int
	// fields are the columns of plan nodes, as they are written where they can
	// be seen.
	fields map[sql.ColumnId]string
	// kinds say of which characters the texts of the fields consist.
	kinds map[sql.ColumnId]textKind
	// assumes says that the statement depends on the assumption about the texts
	// of ordinary tables.
	assumes bool
	// groupedBy are the keys of the SELECT being written, where they are no
	// columns: what stands above the aggregation refers to them by their text.
	groupedBy map[string]string
	// unrounded says that quotients of exact numbers keep all places.
	unrounded bool
	// estimate is the one being written: view columns are its.
	estimate *estimateWriter
}

// alias is a new name for a derived table.
func (w *sqlWriter) alias() string {
	w.aliases++
	return fmt.Sprintf("t%d", w.aliases)
}

// refusePlain refuses what the text cannot say.
func refusePlain(format string, arguments ...any) error {
	return refuse("explain_sql has no plain SQL, the same for SQLite and MySQL, for %s", fmt.Sprintf(format, arguments...))
}

// An explanation is the node that answers the call: one row with the text.
type explanation struct{ statement string }

var _ sql.ExecSourceRel = (*explanation)(nil)

func (e *explanation) Resolved() bool       { return true }
func (e *explanation) IsReadOnly() bool     { return true }
func (e *explanation) String() string       { return "ExplainSQL" }
func (e *explanation) Children() []sql.Node { return nil }

// Schema implements sql.Node.
func (e *explanation) Schema() sql.Schema {
	return sql.Schema{{Name: "statement", Type: types.LongText}}
}

// WithChildren implements sql.Node.
func (e *explanation) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) > 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(e, len(children), 0)
	}
	return e, nil
}

// RowIter implements sql.ExecSourceRel.
func (e *explanation) RowIter(*sql.Context, sql.Row) (sql.RowIter, error) {
	return sql.RowsToRowIter(sql.NewRow(e.statement)), nil
}
