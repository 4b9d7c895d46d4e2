package tree_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

func field(id int) sql.Expression { return tree.Field(sql.ColumnId(id), types.Int32, "t", "c", true) }

func number(n int64) sql.Expression { return expression.NewLiteral(n, types.Int64) }

func alias(id int, e sql.Expression) sql.Expression {
	return expression.NewAlias("a", e).WithId(sql.ColumnId(id)).(sql.Expression)
}

// Inspect reaches the sources of INSERT, described queries, and subqueries in nested expressions; it skips what visit
// rejects.
func TestInspect(t *testing.T) {
	inside := plan.NewProject([]sql.Expression{field(1)}, &leaf{})
	subquery := plan.NewSubquery(inside, "select 1")
	for name, node := range map[string]sql.Node{
		"a child":             plan.NewFilter(number(1), inside),
		"a subquery":          plan.NewFilter(expression.NewNot(subquery), &leaf{}),
		"EXISTS":              plan.NewFilter(plan.NewExistsSubquery(subquery), &leaf{}),
		"a described query":   plan.NewDescribeQuery(sql.DescribeOptions{}, inside),
		"a source of INSERT":  plan.NewInsertInto(sql.UnresolvedDatabase(""), &leaf{}, inside, false, nil, nil, false),
		"a subquery's filter": plan.NewFilter(plan.NewSubquery(plan.NewFilter(subquery, &leaf{}), ""), &leaf{}),
	} {
		reached := func(stop sql.Node) bool {
			found := false
			tree.Inspect(node, func(n sql.Node) bool {
				found = found || n == inside
				return n != stop
			})
			return found
		}
		if !reached(nil) {
			t.Errorf("%s is not reached", name)
		}
		if reached(node) {
			t.Errorf("%s is reached though the walk stays out of the node above", name)
		}
	}
	tree.Inspect(nil, func(sql.Node) bool { t.Error("nothing is visited"); return true })
}

// Rebuilt expressions keep their id, and whether they can be referred to; the engine's own transform loses both.
func TestTransformKeepsIds(t *testing.T) {
	one := func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if f, ok := e.(*expression.GetField); ok && f.Id() == 3 {
			return number(1), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	}
	hidden := expression.NewAlias("a", field(3)).AsUnreferencable().WithId(8).(sql.Expression)
	sum := aggregation.NewSum(field(3)).WithId(9).(sql.Expression)
	for _, e := range []sql.Expression{alias(7, expression.NewPlus(field(3), field(4))), hidden, sum} {
		changed, same, err := tree.Transform(e, one)
		if err != nil || same != transform.NewTree || tree.ID(changed) != tree.ID(e) {
			t.Errorf("%s becomes %s under id %d, %v", e, changed, tree.ID(changed), err)
		}
		if a, ok := e.(*expression.Alias); ok && changed.(*expression.Alias).Unreferencable() != a.Unreferencable() {
			t.Errorf("%s becomes one that can be referred to: %v", e, !a.Unreferencable())
		}
		if again, same, err := tree.Transform(changed, one); err != nil || same != transform.SameTree || again != changed {
			t.Errorf("%s without a field 3 becomes %s, %v", changed, again, err)
		}
	}
}

func TestTransformExpressions(t *testing.T) {
	node := plan.NewProject([]sql.Expression{field(3), alias(7, field(4))}, &leaf{})
	changed, err := tree.TransformExpressions(node, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if f, ok := e.(*expression.GetField); ok && f.Id() == 4 {
			return number(1), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if ids := tree.OutputIDs(changed); !slices.Equal(ids, []sql.ColumnId{3, 7}) || changed.(*plan.Project).Projections[1].Children()[0].String() != "1" {
		t.Errorf("it becomes %v under %v", changed, ids)
	}
	keep := func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		return e, transform.SameTree, nil
	}
	if same, err := tree.TransformExpressions(node, keep); err != nil || same != node {
		t.Errorf("unchanged it is another node, %v", err)
	}
	if same, err := tree.TransformExpressions(&leaf{}, keep); err != nil || same.String() != "leaf" {
		t.Errorf("without expressions it becomes %v, %v", same, err)
	}
	failed := errors.New("failed")
	fail := func(sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		return nil, transform.SameTree, failed
	}
	if _, err := tree.TransformExpressions(node, fail); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if _, _, err := tree.Transform(alias(7, field(3)), fail); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}

// Errors of the engine's WithChildren are passed on.
func TestRebuildFails(t *testing.T) {
	if _, err := tree.Rebuild(alias(7, field(3)), nil); !sql.ErrInvalidChildrenNumber.Is(err) {
		t.Errorf("an alias of nothing: %v", err)
	}
	if changed, err := tree.Rebuild(expression.NewNot(field(3)), []sql.Expression{field(4)}); err != nil || !tree.Fields(changed).Contains(4) {
		t.Errorf("an expression without an id becomes %v, %v", changed, err)
	}
}

func TestUnaliasAndIds(t *testing.T) {
	if e := tree.Unalias(alias(7, alias(8, field(3)))); tree.ID(e) != 3 {
		t.Errorf("an alias of an alias is of %v", e)
	}
	if id := tree.ID(number(1)); id != 0 {
		t.Errorf("a literal has the id %d", id)
	}
	project := plan.NewProject([]sql.Expression{field(3), number(1), alias(7, number(1))}, &leaf{})
	aliased := plan.NewSubqueryAlias("s", "", project).WithColumns(sql.NewColSet(11, 12)).(sql.Node)
	for _, c := range []struct {
		node sql.Node
		want []sql.ColumnId
	}{
		{project, []sql.ColumnId{3, 7}},
		{plan.NewFilter(number(1), project), []sql.ColumnId{3, 7}},
		{plan.NewGroupBy([]sql.Expression{alias(9, field(3))}, nil, project), []sql.ColumnId{9}},
		{aliased, []sql.ColumnId{11, 12}},
		{&leaf{}, nil},
	} {
		if got := tree.OutputIDs(c.node); !slices.Equal(got, c.want) {
			t.Errorf("%s has the columns %v, want %v", c.node, got, c.want)
		}
	}
}

func TestFields(t *testing.T) {
	subquery := plan.NewSubquery(&leaf{}, "").WithCorrelated(sql.NewColSet(5))
	fields := tree.Fields(expression.NewAnd(expression.NewGreaterThan(field(3), number(1)), expression.NewEquals(field(4), subquery)))
	if !fields.Equals(sql.NewColSet(3, 4, 5)) {
		t.Errorf("got %s", fields)
	}
}

// Which expressions are evaluated in planning: not values of rows, parameters or several rows, and nothing with side
// effects.
func TestOneValue(t *testing.T) {
	sleep := function.NewSleep(number(1))
	for _, c := range []struct {
		name      string
		e         sql.Expression
		one, acts bool
	}{
		{"a literal", number(1), true, false},
		{"a computed constant", expression.NewPlus(number(1), number(2)), true, false},
		{"a system variable", expression.NewSystemVar("sql_mode", sql.GetMysqlScope(sql.SystemVariableScope_Session), "session"), true, false},
		{"a column", field(3), false, false},
		{"a parameter", expression.NewBindVar("v1"), false, false},
		{"a subquery", plan.NewSubquery(&leaf{}, ""), false, false},
		{"EXISTS", plan.NewExistsSubquery(plan.NewSubquery(&leaf{}, "")), false, false},
		{"an aggregate", aggregation.NewSum(number(1)), false, false},
		{"an unbound name", expression.NewUnresolvedColumn("x"), false, false},
		{"SLEEP", sleep, false, true},
		{"RAND", must(function.NewRand()), false, true},
		{"an assignment", expression.NewSetField(expression.NewUserVar("x"), number(1)), false, true},
	} {
		if got := tree.OneValue(c.e); got != c.one {
			t.Errorf("%s has one value: %v", c.name, got)
		}
		if got := tree.Acts(c.e); got != c.acts {
			t.Errorf("%s acts: %v", c.name, got)
		}
		if got := tree.OneValue(expression.NewNot(c.e)); got != c.one {
			t.Errorf("NOT %s has one value: %v", c.name, got)
		}
	}
}

func must(e sql.Expression, err error) sql.Expression {
	if err != nil {
		panic(err)
	}
	return e
}
