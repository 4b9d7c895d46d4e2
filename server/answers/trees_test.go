package answers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/own"
	"github.com/anonsql/anonsql/server/answers/trees"
)

func TestRewriteTableFunctions(t *testing.T) {
	names := map[string]bool{"slppa": true}
	for query, want := range map[string]string{
		"select * from slppa(adult, 0.5, k = 3)":           "slppa(__anon_ref('', 'adult'), 0.5, __anon_named('k', 3))",
		"select * from SLPPA(census.adult)":                "SLPPA(__anon_ref('census', 'adult'))",
		"select * from slppa(`my table`)":                  "slppa(__anon_ref('', 'my table'))",
		"select * from slppa('adult', sens = job)":         "slppa('adult', __anon_named('sens', __anon_ref('', 'job')))",
		"select * from other(k = 3)":                       "other(k = 3)",
		"create table x as select * from slppa(adult)":     "slppa(__anon_ref('', 'adult'))",
		"create view v as select * from slppa(adult) as s": "slppa(__anon_ref('', 'adult'))",
		"select 1 in (select k from slppa(adult)) from t":  "slppa(__anon_ref('', 'adult'))",
	} {
		statement, err := sqlparser.Parse(query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if err := rewriteTableFunctions(parsed{statement, t.Context(), strings.ToLower(query), own.Names{TableFunctions: names}}); err != nil {
			t.Fatal(err)
		}
		if got := calls(statement); got != want {
			t.Errorf("%s:\n%s, want\n%s", query, got, want)
		}
	}
}

// calls prints the table functions below statement.
func calls(statement sqlparser.Statement) string {
	var list []string
	trees.Walk(statement, func(node any) {
		if call, ok := node.(*sqlparser.TableFuncExpr); ok {
			list = append(list, call.Name+"("+sqlparser.String(call.Exprs)+")")
		}
	})
	return strings.Join(list, " ")
}

func TestBalancedUnions(t *testing.T) {
	for _, c := range []struct {
		branches, depth int
	}{{2, 1}, {3, 2}, {4, 2}, {8, 3}, {43, 6}, {64, 6}} {
		branches := make([]string, c.branches)
		for i := range branches {
			branches[i] = fmt.Sprintf("select %d", i)
		}
		statement, err := sqlparser.Parse(strings.Join(branches, " union all "))
		if err != nil {
			t.Fatal(err)
		}
		if err := boundSetOperations(parsed{Statement: statement}); err != nil {
			t.Fatal(err)
		}
		if depth := setDepth(statement.(sqlparser.SelectStatement), map[*sqlparser.SetOp]bool{}); depth != c.depth {
			t.Errorf("%d branches: depth %d, want %d", c.branches, depth, c.depth)
		}
		order := strings.NewReplacer("(", "", ")", "").Replace(sqlparser.String(statement))
		if want := strings.Join(branches, " union all "); order != want {
			t.Errorf("the order of branches changed: %s", order)
		}
	}
}

// The engine has every superseded rule under its name, once, below the greatest id that is asked.
func TestSupersededRulesExist(t *testing.T) {
	for _, name := range superseded {
		found := 0
		for id := range analyzer.RuleId(rules) {
			if id.String() == name {
				found++
			}
		}
		if found != 1 {
			t.Errorf("the engine has %d rules %s below the id %d: it has been renamed or numbered beyond, and is not removed", found, name, rules)
		}
	}
}

// No function is defined twice: the later definition would win.
func TestFunctionsAreDefinedOnce(t *testing.T) {
	defined := map[string]bool{}
	for _, f := range Functions() {
		name := strings.ToLower(f.FunctionName())
		if defined[name] {
			t.Errorf("%s is defined twice", name)
		}
		defined[name] = true
	}
}
