package answer

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/tree"
)

// DescribePaths notes in every estimate of an explained plan how it will be answered. It needs the statement's context, which node texts do
// not get, and runs when EXPLAIN executes: the engine analyzes the explained statement separately.
func DescribePaths(ctx *sql.Context, node sql.Node) error {
	var err error
	tree.Inspect(node, func(n sql.Node) bool {
		if e, ok := n.(*Estimate); ok && err == nil {
			e.path, err = e.describePath(ctx)
		}
		return err == nil
	})
	return err
}

// describePath returns the estimator's path. It loads the release at its first use, and
// evaluates expressions once per dictionary value.
func (e *Estimate) describePath(ctx *sql.Context) (string, error) {
	if _, exact := e.Touched(); exact {
		return string(estimate.ExactPath) + " (no fragments to join)", nil
	}
	var err error
	if e.chosen, err = e.choose(ctx); err != nil {
		return "", err
	}
	if e.waits() {
		return "chosen when its parameters and subqueries are known", nil
	}
	if e.chosen.tables != nil {
		return "completed tables", nil
	}
	release, err := e.View.Prepared(ctx)
	if err != nil {
		return "", err
	}
	question, err := newQuestion(ctx, release.Release(), e, keyValues(e.Keys))
	if err != nil {
		return "", err
	}
	path, reason, err := release.Path(ctx, question)
	if err != nil {
		return "", err
	}
	if between, err := question.ReadsBetween(ctx, release.Release()); err != nil || between && path == estimate.ExactPath {
		return string(estimate.KernelPath), err
	}
	if reason != "" {
		return string(path) + " (" + reason + ")", nil
	}
	return string(path), nil
}

// waits reports whether an expression has a value only when the statement runs.
func (e *Estimate) waits() bool {
	for _, x := range e.Expressions() {
		if transform.InspectExpr(x, func(x sql.Expression) bool {
			switch x.(type) {
			case *plan.Subquery, *plan.ExistsSubquery, *plan.InSubquery,
				*expression.GetField, *expression.BindVar, *expression.ProcedureParam, *expression.UserVar:
				return true
			}
			return tree.Acts(x) // an explained SLEEP does not sleep
		}) {
			return true
		}
	}
	return false
}
