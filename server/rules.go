package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/answers"
	"github.com/anonsql/anonsql/server/running"
)

// The numbers are outside the range of the engine's own rules.
const (
	serverRuleID   analyzer.RuleId = 10001
	manyRowsRuleID analyzer.RuleId = 10002
)

// The engine runs short statements (INSERT ... VALUES, UPDATE and DELETE of
// one table) without the rules of its builder; only the process-wide list
// analyzer.AlwaysBeforeDefault reaches those (process.go). It holds one rule
// for all servers, which finds its server through the analyzer that calls it.

// serverRules applies the guard, the rules of Extensions, and the rewrites of bound
// plans (package answers). For most statements it runs twice,
// before and after the engine's first rules.
func serverRules(
	ctx *sql.Context,
	a *analyzer.Analyzer,
	n sql.Node,
	scope *plan.Scope,
	sel analyzer.RuleSelector,
	flags *sql.QueryFlags,
) (sql.Node, transform.TreeIdentity, error) {
	provider, ok := a.Catalog.DbProvider.(*Provider)
	if !ok {
		return n, transform.SameTree, nil
	}
	if err := running.Ended(ctx); err != nil { // of a subquery too
		return n, transform.SameTree, err
	}
	if err := accounts.Guard(ctx, a.Catalog.MySQLDb, n); err != nil {
		return n, transform.SameTree, err
	}
	same := transform.SameTree
	for _, rule := range provider.rules {
		changed, unchanged, err := mappedRule(rule)(ctx, a, n, scope, sel, flags)
		if err != nil {
			return n, transform.SameTree, err
		}
		n, same = changed, same && unchanged
	}
	n, unchanged, err := answers.Bound(ctx, a, n)
	return n, same && unchanged, err
}

// manyRows takes back the promise of at most one row, on which the engine sends
// the result without a second goroutine. A branch of a UNION and the plan
// below an EXPLAIN make the promise for the whole statement, whose second row
// is then an error. The plan is whole here, so what it reads is noted.
func manyRows(
	ctx *sql.Context,
	_ *analyzer.Analyzer,
	n sql.Node,
	_ *plan.Scope,
	_ analyzer.RuleSelector,
	flags *sql.QueryFlags,
) (sql.Node, transform.TreeIdentity, error) {
	if err := running.Ended(ctx); err != nil {
		return n, transform.SameTree, err
	}
	flags.Unset(sql.QFlagMax1Row)
	noteReads(ctx, n)
	return n, transform.SameTree, nil
}
