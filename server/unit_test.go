package server

import (
	"errors"
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/server/sqlerror"
)

func TestPlainDouble(t *testing.T) {
	for given, want := range map[string]string{
		"1.88743e+06":            "1887430",
		"1.23456789012345e+14":   "123456789012345",
		"1e+15":                  "1e15",
		"1.5e+300":               "1.5e300",
		"1.25e-06":               "0.00000125",
		"1e-15":                  "0.000000000000001",
		"-2.5e-20":               "-2.5e-20",
		"1.2345678901234568e+18": "1.2345678901234568e18",
	} {
		if got := string(plainDouble([]byte(given))); got != want {
			t.Errorf("%s is written %s, want %s", given, got, want)
		}
	}
}

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
		rewriteTableFunctions(statement, names)
		if got := calls(statement); got != want {
			t.Errorf("%s:\n%s, want\n%s", query, got, want)
		}
	}
}

// calls prints the table functions below statement.
func calls(statement sqlparser.Statement) string {
	var list []string
	walkTree(reflect.ValueOf(statement), func(node any) {
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
		if err := boundSetOperations(statement); err != nil {
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

func TestOwnErrors(t *testing.T) {
	for _, c := range []struct {
		err    error
		number int
	}{
		{&anonymize.ParameterError{}, sqlerror.BadParameter},
		{fmt.Errorf("publishing: %w", &anonymize.DataError{}), sqlerror.BadData},
		{&anonymize.InfeasibleError{}, sqlerror.Infeasible},
		{sql.ErrTableNotFound.New("t"), 1146},
		{fmt.Errorf("context canceled"), 1317},
		{fmt.Errorf("what nobody foresaw"), 1105},
	} {
		var known *mysql.SQLError
		if !errors.As(sqlerror.ToClient(c.err), &known) || known.Num != c.number {
			t.Errorf("%v is %v to the client, want number %d", c.err, known, c.number)
		}
	}
}

// Clients that read error numbers as signed ones show others for those from 32,768 on.
func TestErrorNumbersAreSmall(t *testing.T) {
	source, err := goparser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	numbers := 0
	ast.Inspect(source, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.INT {
			return true
		}
		numbers++
		if n, err := strconv.Atoi(literal.Value); err != nil || n >= 1<<15 {
			t.Errorf("error number %s, must be below %d", literal.Value, 1<<15)
		}
		return true
	})
	if numbers < 100 {
		t.Errorf("%d numbers found in errors.go", numbers)
	}
}
