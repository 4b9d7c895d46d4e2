package plainsql

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// subquery writes subqueries that are not correlated.
func (w *writer) subquery(e sql.Expression) (string, error) {
	outer := w.estimate
	defer func() { w.estimate = outer }()
	switch e := e.(type) {
	case *plan.ExistsSubquery:
		text, err := w.subqueryText(e.Query)
		return "(EXISTS " + text + ")", err
	case *plan.InSubquery:
		subquery, ok := e.RightChild.(*plan.Subquery)
		if _, rows := e.LeftChild.(expression.Tuple); !ok || rows {
			return "", refusePlain("%s", e)
		}
		return w.inSubquery(e.LeftChild, subquery)
	}
	return w.subqueryText(e.(*plan.Subquery))
}

// inSubquery writes IN over the rows of a subquery.
func (w *writer) inSubquery(left sql.Expression, subquery *plan.Subquery) (string, error) {
	l, err := w.expression(left)
	if err != nil {
		return "", err
	}
	if classOf(left.Type()) != classOf(subquery.Type()) {
		return "", refusePlain("%s compared with the rows of a subquery of another type", left)
	}
	fold := classOf(left.Type()) == textClass && (w.folds(left) || foldsCase(subquery.Type()))
	if fold {
		if !w.textsAre(left, asciiTexts) {
			return "", refusePlain("%s compared with the rows of a subquery under a collation that ignores case, with more than ASCII", left)
		}
		l = "LOWER(" + l + ")"
	}
	s, err := w.subquerySelection(subquery)
	if err != nil {
		return "", err
	}
	if fold {
		s = w.wrap(s)
		if s.items[0].kind == otherTexts {
			return "", refusePlain("%s compared with the rows of a subquery under a collation that ignores case, with more than ASCII", left)
		}
		w.assumes = w.assumes || s.items[0].kind == unknownTexts
		s.items[0].text = "LOWER(" + s.items[0].text + ")"
	}
	return "(" + l + " IN (\n  " + s.text("  ") + "\n))", nil
}

func (w *writer) subqueryText(e *plan.Subquery) (string, error) {
	s, err := w.subquerySelection(e)
	if err != nil {
		return "", err
	}
	return "(\n  " + s.text("  ") + "\n)", nil
}

// subquerySelection writes a subquery in a condition. The estimate around it is not visible in it.
func (w *writer) subquerySelection(e *plan.Subquery) (*selection, error) {
	if !e.Correlated().Empty() {
		return nil, refusePlain("a subquery that refers to an outer query: %s", e.QueryString)
	}
	w.estimate = nil
	return w.ownSelect(e.Query)
}
