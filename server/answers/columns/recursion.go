package columns

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/server/answers/coercion"
)

// recursion gives the dates and times of a recursive query the types of its first part, widened for the second: the engine makes
// them all DATETIMEs.
func (r *retyper) recursion(n *plan.RecursiveCte) (sql.Node, error) {
	before := r.same
	r.same = transform.SameTree
	initial, err := r.node(n.Left())
	if err != nil {
		return nil, err
	}
	schema := n.Schema().Copy()
	narrowed := asColumns(schema, func(i int) sql.Type { return initial.Schema()[i].Type })
	first := r.same
	recursive, err := r.second(n.Right(), schema)
	if err != nil {
		return nil, err
	}
	if narrowed && asColumns(schema, func(i int) sql.Type { return coercion.Common(schema[i].Type, recursive.Schema()[i].Type) }) {
		r.same = first
		if recursive, err = r.second(n.Right(), schema); err != nil {
			return nil, err
		}
	}
	if bool(r.same) && !narrowed {
		r.same = before
		return n, nil
	}
	r.same = transform.NewTree
	made, err := n.WithChildren(initial, recursive)
	if err != nil {
		return nil, err
	}
	return made.(*plan.RecursiveCte).WithSchema(schema), nil
}

// asColumns sets the types of a schema's dates and times, and reports whether one has changed.
func asColumns(schema sql.Schema, of func(i int) sql.Type) (changed bool) {
	for i, c := range schema {
		if coercion.IsInstant(c.Type) {
			if typ := of(i); coercion.IsInstant(typ) && !typ.Equals(c.Type) {
				c.Type, changed = typ, true
			}
		}
	}
	return changed
}

// second is the recursive part of a recursive query, over rows of a schema. The binder gives their columns ids that no node
// has, so they are found by name.
func (r *retyper) second(n sql.Node, schema sql.Schema) (sql.Node, error) {
	outside := r.working
	r.working = map[string]sql.Type{}
	defer func() { r.working = outside }()
	note := func(table string) {
		for _, c := range schema {
			r.working[columnName(table, c.Name)] = c.Type
		}
	}
	transform.Inspect(n, func(n sql.Node) bool {
		switch own := n.(type) {
		case *plan.RecursiveTable:
			note(own.Name())
		case *plan.TableAlias:
			if _, ok := own.Child.(*plan.RecursiveTable); ok {
				note(own.Name())
			}
		}
		return true
	})
	return r.node(n)
}

func columnName(table, column string) string { return strings.ToLower(table + "." + column) }

// ofRecursion is the type of a column that a recursive query reads of its own rows.
func (r *retyper) ofRecursion(e *expression.GetField) (sql.Type, bool) {
	typ, ok := r.working[columnName(e.Table(), e.Name())]
	return typ, ok && e.Database() == ""
}
