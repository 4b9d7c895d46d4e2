package assignments

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/tree"
)

var booleanType = types.Boolean

// A target is a table of a join, under one of its names, that the statement writes.
type target struct {
	database, name string // as columns of the join have them
	table          sql.Table
	schema         sql.Schema
	optional       bool      // on the nullable side of an outer join
	assigned       []int     // ordinals of columns
	stamps         []derived // ON UPDATE CURRENT_TIMESTAMP
	generated      []derived
	checks         sql.CheckConstraints
}

// derived is the value of a column that depends on assigned ones; its fields index a row of the table.
type derived struct {
	column int
	value  sql.Expression
}

// physical is the table's own name, not its alias.
func (t *target) physical() string { return strings.ToLower(t.database + "." + t.table.Name()) }

// is reports whether a column of the join is one of the target's.
func (t *target) is(database, source string) bool {
	return strings.EqualFold(t.name, source) && (database == "" || strings.EqualFold(t.database, database))
}

// findTarget finds a table of a join by its name there.
func findTarget(join sql.Node, database, name, verb string) (*target, error) {
	found := findTable(join, &target{database: database, name: name}, false)
	if found != nil {
		if _, writable := found.table.(sql.UpdatableTable); writable {
			return found, nil
		}
	}
	return nil, mysql.NewSQLError(1288, "HY000", "The target table %s of the %s is not updatable", name, verb)
}

// findTable finds what wanted names; optional is that an outer join makes rows of NULLs of what n has none of.
func findTable(n sql.Node, wanted *target, optional bool) *target {
	table, _ := n.(*plan.ResolvedTable)
	switch n := n.(type) {
	case *plan.SubqueryAlias:
		return nil
	case *plan.JoinNode:
		if found := findTable(n.Left(), wanted, optional || n.Op.IsFullOuter()); found != nil {
			return found
		}
		return findTable(n.Right(), wanted, optional || n.Op.IsFullOuter() || n.Op.IsLeftOuter())
	case *plan.TableAlias:
		table, _ = n.Child.(*plan.ResolvedTable)
	}
	if table == nil {
		for _, child := range n.Children() {
			if found := findTable(child, wanted, optional); found != nil {
				return found
			}
		}
		return nil
	}
	found := &target{database: table.Database().Name(), name: n.(sql.NameableNode).Name(), table: table.UnderlyingTable(), optional: optional}
	if !found.is(wanted.database, wanted.name) {
		return nil
	}
	found.schema = found.table.Schema()
	return found
}

// derive binds the columns that depend on assigned ones. added are the binder's additions to every UPDATE, such as generated
// columns.
func (t *target) derive(added []sql.Expression, bind func(query string) (sql.Node, error)) error {
	for _, e := range added {
		set, ok := e.(*expression.SetField)
		if !ok {
			continue
		}
		field, ok := set.LeftChild.(*expression.GetField)
		if !ok || !t.is(field.Database(), field.Table()) {
			continue
		}
		if at := t.schema.IndexOfColName(field.Name()); at >= 0 && t.schema[at].Generated != nil {
			value, _, err := Computed(nil, set.RightChild)
			if err != nil {
				return err
			}
			t.generated = append(t.generated, derived{at, ofRow(value, t.schema)})
		}
	}
	for at, c := range t.schema {
		if c.OnUpdate == nil || slices.Contains(t.assigned, at) {
			continue
		}
		stamp, err := t.bound(bind, []string{c.OnUpdate.String()})
		if err != nil {
			return err
		}
		t.stamps = append(t.stamps, derived{at, stamp[0]})
	}
	return nil
}

// ofRow makes the fields of an expression those of a row of the table.
func ofRow(e sql.Expression, schema sql.Schema) sql.Expression {
	changed, _, err := transform.Expr(e, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if field, ok := e.(*expression.GetField); ok {
			return field.WithIndex(schema.IndexOfColName(field.Name())), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
	if err != nil {
		return e
	}
	return changed
}

// constrain binds the table's CHECKs.
func (t *target) constrain(ctx *sql.Context, bind func(query string) (sql.Node, error)) error {
	checked, ok := t.table.(sql.CheckTable)
	if !ok {
		return nil
	}
	definitions, err := checked.GetChecks(ctx)
	if err != nil || len(definitions) == 0 {
		return err
	}
	texts := make([]string, len(definitions))
	for i, d := range definitions {
		texts[i] = d.CheckExpression
	}
	conditions, err := t.bound(bind, texts)
	for i, condition := range conditions {
		t.checks = append(t.checks, &sql.CheckConstraint{Name: definitions[i].Name, Expr: condition, Enforced: definitions[i].Enforced})
	}
	return err
}

// bound are expressions over a row of the table.
func (t *target) bound(bind func(query string) (sql.Node, error), texts []string) ([]sql.Expression, error) {
	bound, err := bind("SELECT " + strings.Join(texts, ", ") + " FROM " + quoting.Name(t.database, t.table.Name()))
	if err != nil {
		return nil, err
	}
	project, ok := bound.(*plan.Project)
	if !ok || len(project.Projections) != len(texts) {
		return nil, fmt.Errorf("what table %s has for its columns is no list of expressions: %s", t.table.Name(), strings.Join(texts, ", "))
	}
	expressions := make([]sql.Expression, len(texts))
	for i, e := range project.Projections {
		expressions[i] = ofRow(tree.Unalias(e), t.schema)
	}
	return expressions, nil
}

// refuseKeyConflict refuses, as MySQL does (error 1706), assigning a key while the table is also a target under another name.
func refuseKeyConflict(targets []*target) error {
	for i, t := range targets {
		for _, other := range targets[i+1:] {
			if t.physical() == other.physical() && (t.assignsKey() || other.assignsKey()) {
				return mysql.NewSQLError(1706, "HY000",
					"Primary key/partition key update is not allowed since the table is updated both as '%s' and '%s'.", t.name, other.name)
			}
		}
	}
	return nil
}

func (t *target) assignsKey() bool {
	for _, at := range t.assigned {
		if t.schema[at].PrimaryKey {
			return true
		}
	}
	return false
}
