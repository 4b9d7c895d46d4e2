package answers

import (
	"context"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/answers/columns"
	"github.com/anonsql/anonsql/server/answers/existence"
	"github.com/anonsql/anonsql/server/answers/own"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// Text applies the rewrites of texts.
func Text(query string) string {
	for i := range rewrites {
		if do := rewrites[i].text; do != nil {
			query = do(query)
		}
	}
	return query
}

// Tree applies the rewrites of trees, in place. It costs one scan of the text for each word
// of the list, and a walk of the tree for each rewrite whose word occurs. text is the
// statement's, in lower case. ctx is the context of its parsing (package scope).
func Tree(ctx context.Context, statement sqlparser.Statement, text string, names own.Names) error {
	for i := range rewrites {
		r := &rewrites[i]
		if r.tree == nil || len(r.words) > 0 && !ContainsAny(text, r.words...) {
			continue
		}
		if err := r.tree(parsed{statement, ctx, text, names}); err != nil {
			return err
		}
	}
	return nil
}

// Bound applies the rewrites of bound plans.
func Bound(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	same := transform.SameTree
	bind := func(query string) (sql.Node, error) { return boundQuery(ctx, a, query) }
	for i := range rewrites {
		do := rewrites[i].bound
		if planned := rewrites[i].planned; planned != nil {
			do = func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
				return planned(ctx, n, bind)
			}
		}
		if do == nil {
			continue
		}
		changed, unchanged, err := do(ctx, n)
		if err != nil {
			return n, transform.SameTree, err
		}
		n, same = changed, same && unchanged
	}
	return n, same, nil
}

// boundQuery binds a query of ours about tables in the statement, without checking privileges.
func boundQuery(ctx *sql.Context, a *analyzer.Analyzer, query string) (sql.Node, error) {
	parsed, err := a.Parser.ParseSimple(query)
	if err != nil {
		return nil, err
	}
	binder := planbuilder.New(ctx, a.Catalog, nil, a.Parser)
	binder.DisableAuth()
	n, _, err := binder.BindOnly(parsed, query, nil)
	if err != nil {
		return nil, err
	}
	n, _, err = Bound(ctx, a, n)
	return n, err
}

// Functions returns the functions that replace the engine's.
func Functions() (list []sql.Function) {
	for i := range rewrites {
		if do := rewrites[i].functions; do != nil {
			list = append(list, do()...)
		}
	}
	return list
}

// superseded are rules of the engine that rewrites replace: "full groups" knows functional dependence on keys.
var superseded = []string{"validateGroupBy"}

// rules is more than the engine has. It does not export their ids.
const rules = 200

// Superseding removes those rules from an engine with the rewrites.
func Superseding(engine *analyzer.Builder) *analyzer.Builder {
	for id := range analyzer.RuleId(rules) {
		if slices.Contains(superseded, id.String()) {
			engine.RemoveValidationRule(id)
		}
	}
	return engine
}

// Install makes an engine rewrite every finished plan, once, before next
// executes it.
func Install(engine *analyzer.Analyzer, next sql.NodeExecBuilder) {
	columns.KeepComputed(engine)
	engine.ExecBuilder = executor{next}
}

// An executor stands between the engine's analysis and its execution: it gets every
// finished plan, including those of a routine's statements.
type executor struct{ next sql.NodeExecBuilder }

// Build implements sql.NodeExecBuilder.
func (e executor) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	rewritten, _, err := walker{ctx: ctx, next: e.next, reads: n.IsReadOnly()}.node(n)
	if err != nil {
		return nil, sqlerror.Typed(err)
	}
	rows, err := e.next.Build(ctx, rewritten, row)
	if call, ok := n.(*plan.Call); ok && err == nil { // whose columns are known when it has run, and the engine asks the node that it has
		call.SetSchema(rewritten.Schema())
	}
	return rows, err
}

// A walker rewrites one query. inside: the query is within an expression, so columns of
// the outer row come first in its rows. reads: the statement changes no data.
type walker struct {
	ctx           *sql.Context
	next          sql.NodeExecBuilder
	inside, reads bool
}

// does reports whether a rewrite of finished plans applies to this one.
func (w walker) does(r *rewrite) bool { return w.reads || !r.reading }

func (w walker) node(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		same := transform.SameTree
		var err error
		switch own := n.(type) {
		case *planner.Estimate: // it runs its subqueries, and reads its expressions
			alone := w
			alone.reads = false
			return transform.OneNodeExpressions(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
				if e, same, err := alone.subquery(e); err != nil || !same {
					return e, same, err
				}
				return columns.CheckedNumbers(w.ctx, e)
			})
		case *plan.InsertInto: // the source is not among its children
			source, unchanged, err := w.node(own.Source)
			if err != nil {
				return n, transform.SameTree, err
			}
			if same = unchanged; !same {
				n = own.WithSource(source)
			}
			if n, unchanged, err = transform.OneNodeExpressions(n, w.expression); err != nil {
				return n, transform.SameTree, err
			}
			same = same && unchanged
		case *plan.TableCopier: // CREATE TABLE ... AS SELECT: the same; it reads no table that it makes
			reading := w
			reading.reads = own.Source.IsReadOnly()
			source, same, err := reading.node(own.Source)
			if err != nil || same {
				return n, transform.SameTree, err
			}
			copier := *own
			copier.Source = source
			return &copier, transform.NewTree, nil
		case *plan.HashLookup, *plan.IndexedTableAccess: // their keys are rewritten as a whole
		case *plan.AddColumn, *plan.DropColumn, *plan.ModifyColumn, *plan.RenameColumn, *plan.AlterDefaultSet, *plan.AlterDefaultDrop, *plan.AlterIndex,
			*plan.AlterAutoIncrement, *plan.AlterTableCollation, *plan.CreateTable, *plan.ShowColumns, *plan.ShowCreateTable: // their defaults stay as written
		default:
			if n, same, err = transform.OneNodeExpressions(n, w.expression); err != nil {
				return n, transform.SameTree, err
			}
		}
		for i := range rewrites {
			if do := rewrites[i].node; do != nil && w.does(&rewrites[i]) {
				changed, unchanged, err := do(w.ctx, n, w.inside)
				if err != nil {
					return n, transform.SameTree, err
				}
				n, same = changed, same && unchanged
			}
		}
		return n, same, nil
	})
}

// subquery rewrites the query of a subquery, which the executor does not get separately, and what Varying has hidden.
func (w walker) subquery(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	subquery, ok := e.(*plan.Subquery)
	if !ok {
		return existence.RewriteHidden(e, w.expression)
	}
	w.inside = true
	query, same, err := w.node(subquery.Query)
	if err != nil {
		return e, transform.SameTree, err
	}
	if !same {
		subquery = subquery.WithQuery(query)
	}
	return subquery.WithExecBuilder(w.next), transform.NewTree, nil
}

// expression rewrites one expression, whose children are rewritten.
func (w walker) expression(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	e, same, err := w.subquery(e)
	if err != nil {
		return e, same, err
	}
	for i := range rewrites {
		if do := rewrites[i].expression; do != nil && w.does(&rewrites[i]) {
			changed, unchanged, err := do(w.ctx, e)
			if err != nil {
				return e, transform.SameTree, err
			}
			e, same = changed, same && unchanged
		}
	}
	return e, same, nil
}

// ContainsAny reports whether a text contains one of signs.
func ContainsAny(text string, signs ...string) bool {
	for _, sign := range signs {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}
