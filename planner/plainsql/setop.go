package plainsql

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/tree"
)

// setOp writes UNION, INTERSECT or EXCEPT as a derived table.
func (w *writer) setOp(n *plan.SetOp) (*selection, error) {
	word, err := setOpWord(n)
	if err != nil {
		return nil, err
	}
	left, leftItems, err := w.branch(n.Left(), nil)
	if err != nil {
		return nil, err
	}
	right, rightItems, err := w.branch(n.Right(), leftItems)
	if err != nil {
		return nil, err
	}
	alias := w.alias()
	s := &selection{from: derived(left+"\n"+word+"\n"+right, alias)}
	ids := tree.OutputIDs(n)
	for i, it := range leftItems {
		it.text = quoting.Name(alias) + "." + quoting.Name(it.name)
		if i < len(rightItems) {
			it.kind = max(it.kind, rightItems[i].kind)
		}
		if i < len(ids) {
			it.id = ids[i]
		}
		s.items = append(s.items, it)
		w.define(it)
	}
	return s, w.setOpEnd(n, s)
}

// setOpEnd adds the clauses after the last branch.
func (w *writer) setOpEnd(n *plan.SetOp, s *selection) (err error) {
	if s.order, err = w.sortFields(n.SortFields); err != nil {
		return err
	}
	if n.Limit != nil {
		if s.limit, err = w.expression(n.Limit); err != nil {
			return err
		}
	}
	if n.Offset != nil {
		s.offset, err = w.expression(n.Offset)
	}
	s.isTable = len(s.order) == 0 && !s.cut()
	return err
}

func setOpWord(n *plan.SetOp) (string, error) {
	word := map[int]string{plan.UnionType: "UNION", plan.IntersectType: "INTERSECT", plan.ExceptType: "EXCEPT"}[n.SetOpType]
	if !n.Distinct {
		if n.SetOpType != plan.UnionType {
			return "", refusePlain("%s ALL", word)
		}
		return word + " ALL", nil
	}
	for _, c := range n.Schema() {
		if foldsCase(c.Type) {
			return "", refusePlain("%s over %s, a text under a collation that ignores case: write %s ALL", word, c.Name, word)
		}
	}
	return word, nil
}

// branch writes one side of a set operation, with the column names of the first side.
func (w *writer) branch(node sql.Node, first []item) (string, []item, error) {
	s, err := w.ownSelect(node)
	if err != nil {
		return "", nil, err
	}
	for i := range s.items {
		if i < len(first) {
			s.items[i].name = first[i].name
		}
	}
	s.uniqueNames()
	if len(s.order) > 0 || s.limited() {
		s = w.wrap(s)
	}
	return s.text(""), slices.Clone(s.items), nil
}
