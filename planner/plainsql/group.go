package plainsql

import (
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/tree"
)

// groupBy writes an aggregation over derived and ordinary tables. Aggregates over weighted rows use the weights. Keys
// that are not columns first become columns of a derived table; nodes above the aggregation refer to these columns.
func (w *writer) groupBy(n *plan.GroupBy) (*selection, error) {
	s, err := w.selectionBelow(n.Child, (*selection).cut)
	if err != nil {
		return nil, err
	}
	s.order = nil // the order below an aggregation means nothing
	s, keys, err := w.groupKeys(n, s)
	if err != nil {
		return nil, err
	}
	s.items, s.grouped = nil, true
	for _, key := range keys {
		folded, err := w.keyText(key.of, key.text)
		if err != nil {
			return nil, err
		}
		s.group = append(s.group, folded)
		it := w.keyItem(key.of, key.text)
		it.id, it.name = tree.ID(key.of), fmt.Sprintf("k%d", len(s.items)+1)
		s.items = append(s.items, it)
	}
	for _, e := range n.SelectedExprs {
		aggregate, ok := tree.Unalias(e).(sql.Aggregation)
		if !ok {
			continue // a key, or an operand for a node above
		}
		text, err := w.aggregated(aggregate)
		if err != nil {
			return nil, err
		}
		s.items = append(s.items, item{id: tree.ID(e), text: text, name: fmt.Sprintf("n%d", len(s.items)+1)})
	}
	s = w.wrapGroups(s, len(n.GroupByExprs) > 0 && len(keys) == 0)
	for i, key := range keys {
		if _, column := key.of.(*expression.GetField); !column {
			w.groupedBy = append(w.groupedBy, written{key.of, s.items[i].text})
		}
	}
	return s, nil
}

// A written is an expression and its text.
type written struct {
	of   sql.Expression
	text string
}

// writtenList has expressions that others repeat.
type writtenList []written

// find returns the text of an expression of the list; false for others.
func (l writtenList) find(e sql.Expression) (string, bool) {
	at := slices.IndexFunc(l, func(w written) bool { return tree.Same(w.of, e) })
	if at < 0 {
		return "", false
	}
	return l[at].text, true
}

// text returns the text of an expression of the list, empty for others.
func (l writtenList) text(e sql.Expression) string {
	text, _ := l.find(e)
	return text
}

// groupKeys writes the distinct keys that are not constant.
func (w *writer) groupKeys(n *plan.GroupBy, s *selection) (*selection, writtenList, error) {
	var keys writtenList
	columns := len(s.items)
	for _, e := range n.GroupByExprs {
		e = tree.Unalias(e)
		text, err := w.expression(e)
		if err != nil {
			return nil, nil, err
		}
		if _, seen := keys.find(e); seen || oneValue(e) {
			continue
		}
		keys = append(keys, written{e, text})
		if _, column := e.(*expression.GetField); !column {
			it := w.item(e, text, fmt.Sprintf("k%d", len(keys)))
			it.id = 0
			s.items = append(s.items, it)
		}
	}
	if len(s.items) == columns {
		return s, keys, nil
	}
	s = w.wrap(s)
	for i, key := range keys {
		if _, column := key.of.(*expression.GetField); column {
			text, err := w.expression(key.of)
			if err != nil {
				return nil, nil, err
			}
			keys[i].text = text
			continue
		}
		keys[i].text = s.items[columns].text
		columns++
	}
	return s, keys, nil
}

// aggregated writes an aggregate of the engine or a weighted one.
func (w *writer) aggregated(e sql.Aggregation) (string, error) {
	if weighted, ok := e.(*answer.Weighted); ok {
		return w.weightedAggregate(weighted)
	}
	return w.plainAggregate(e)
}

func (w *writer) weightedAggregate(e *answer.Weighted) (string, error) {
	weight, err := w.expression(e.Weight)
	if err != nil {
		return "", err
	}
	if e.Argument == nil {
		return roundedText(e.Aggregate, "COALESCE(SUM("+weight+"), 0)"), nil
	}
	x, err := w.expression(e.Argument)
	if err != nil {
		return "", err
	}
	text, err := w.weighted(e.Aggregate, x, weight, false)
	return roundedText(e.Aggregate, text), err
}

// plainAggregate writes an aggregate over rows of weight 1, such as SUM(n) over a derived table.
func (w *writer) plainAggregate(e sql.Aggregation) (string, error) {
	a, err := answer.AggregateOf(e)
	if err != nil {
		return "", refusePlain("%s", e)
	}
	if a.Argument == nil {
		return "COUNT(*)", nil
	}
	x, err := w.expression(a.Argument)
	switch {
	case err != nil:
		return "", err
	case a.Kind == estimate.Count:
		return "COUNT(" + x + ")", nil
	}
	return w.weighted(a, x, "1e0", true)
}
