package assignments

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/catalog/declared"
	"github.com/anonsql/anonsql/tree"
)

// storedCheck is a CHECK on the values that an inserted row will store; the engine checks before it converts them. A row with a
// value that does not fit passes, since the engine refuses it afterwards.
type storedCheck struct {
	tree.Standin
	columns sql.Schema
	reads   []int
	lenient bool // IGNORE: what columns do not take becomes the nearest value, or zero
}

var _ sql.CollationCoercible = (*storedCheck)(nil)

func storedChecks(insert *plan.InsertInto, columns sql.Schema) *plan.InsertInto {
	checks := make(sql.CheckConstraints, len(insert.Checks()))
	for i, check := range insert.Checks() {
		stored := &storedCheck{Standin: tree.NewStandin(check.Expr), columns: columns, lenient: insert.Ignore}
		transform.InspectExpr(check.Expr, func(e sql.Expression) bool {
			if field, ok := e.(*expression.GetField); ok && field.Index() < len(columns) {
				stored.reads = append(stored.reads, field.Index())
			}
			return false
		})
		checks[i] = &sql.CheckConstraint{Name: check.Name, Expr: stored, Enforced: check.Enforced}
	}
	return insert.WithChecks(checks).(*plan.InsertInto)
}

func (s *storedCheck) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	stored := row.Copy()
	for _, at := range s.reads {
		if row[at] == nil {
			continue
		}
		typ := s.columns[at].Type
		v, inRange, err := typ.Convert(ctx, row[at])
		switch {
		case (err != nil || !bool(inRange)) && !s.lenient:
			return true, nil
		case err != nil && v == nil:
			v = typ.Zero()
		}
		stored[at] = allPlaces(v, declared.Read(typ))
	}
	return s.Child.Eval(ctx, stored)
}

func (s *storedCheck) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(s, children)
}
