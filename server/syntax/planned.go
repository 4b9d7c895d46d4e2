package syntax

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/answers"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// The engine plans a common table expression again for each use of its name, a subquery in
// an expression about twice for each enclosing one, and the input of a GROUP BY WITH
// ROLLUP once per level. So a statement with n subqueries may plan 2^n of them. Therefore
// the planned queries are counted, not the written ones, before any is planned.
const (
	// maxTables is MySQL's limit of the tables of one join. The engine's is 64.
	maxTables = 61
	// maxWidth bounds the columns of VALUES and JSON_TABLE, for which the engine takes
	// quadratic time.
	maxWidth = 1000
	// maxColumns is MySQL's limit of the columns of a table or a query.
	maxColumns = 4096
)

// boundPlanned refuses statements that would plan too many queries, that are too wide, evaluate
// an operand too often (doubling.go), or have too many definitions (definitions.go). It walks the
// tree, and each common table expression, once.
func boundPlanned(statement sqlparser.Statement) error {
	p := planned{most: float64(bound(subqueriesVariable)), named: map[string]float64{}}
	p.walk(reflect.ValueOf(statement), 1)
	return p.err
}

// planned counts queries.
type planned struct {
	most  float64
	total float64
	// named has the numbers of queries behind common table expressions, by name. If
	// independent queries use a name twice, the greater number counts.
	named map[string]float64
	// doublings counts the nested nodes around the current one whose first operand the
	// engine evaluates twice (doubling.go).
	doublings int
	err       error
}

// walk walks v, whose queries are each planned times times.
func (p *planned) walk(v reflect.Value, times float64) {
	if p.err != nil {
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			p.walk(v.Elem(), times)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			p.visit(v, times)
		}
	case reflect.Struct:
		p.fields(v, times)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			p.walk(v.Index(i), times)
		}
	}
}

// fields walks a struct, WITH first.
func (p *planned) fields(v reflect.Value, times float64) {
	if with, ok := v.Type().FieldByName("With"); ok && with.IsExported() {
		p.walk(v.FieldByIndex(with.Index), times)
	}
	for i := range v.NumField() {
		if field := v.Type().Field(i); field.IsExported() && field.Name != "With" {
			p.walk(v.Field(i), times)
		}
	}
}

func (p *planned) visit(v reflect.Value, times float64) {
	switch n := v.Interface().(type) {
	case *sqlparser.With:
		p.expressions(n)
		return
	case *sqlparser.AliasedTableExpr:
		if query, ok := n.Expr.(*sqlparser.Subquery); ok { // a derived table
			p.walk(reflect.ValueOf(query).Elem(), times)
			return
		}
		if name, ok := n.Expr.(sqlparser.TableName); ok && name.DbQualifier.IsEmpty() {
			p.add(p.named[strings.ToLower(name.Name.String())] * times)
		}
	case *sqlparser.Subquery: // of an expression
		times *= 2
	case *sqlparser.Select:
		times *= levels(n.GroupBy)
		p.add(times)
		p.width("SELECT", len(n.SelectExprs), maxColumns)
		p.tables(n.From)
	case *sqlparser.Update:
		p.tables(n.TableExprs)
	case *sqlparser.Delete:
		p.tables(n.TableExprs)
	case *sqlparser.ValuesStatement:
		for _, row := range n.Rows {
			p.width("VALUES", len(row), maxWidth)
		}
	case *sqlparser.SQLVal: // a leaf, of which there may be a million
		return
	case *sqlparser.RangeCond:
		p.walkTwice(times, n.Left, n.From, n.To)
		return
	case *sqlparser.UnaryExpr:
		if n.Operator == sqlparser.UMinusStr {
			p.walkTwice(times, n.Expr)
			return
		}
	case *sqlparser.FuncExpr:
		if isNullif(n) {
			p.walkTwice(times, n.Exprs[0], n.Exprs[1])
			return
		}
	case *sqlparser.AlterTable:
		p.definitions("clauses of ALTER TABLE", len(n.Statements))
	case *sqlparser.TableSpec:
		p.definitions("keys and constraints of CREATE TABLE", keysOf(n))
	case *sqlparser.JSONTableSpec:
		p.width("JSON_TABLE", len(n.Columns), maxWidth)
	}
	p.walk(v.Elem(), times)
}

// levels is how often a SELECT with these keys is planned: once per level of WITH
// ROLLUP.
func levels(keys sqlparser.GroupBy) float64 {
	if slices.ContainsFunc(keys, answers.MarksRollup) {
		return float64(planner.RollupLevels(len(keys) - 1))
	}
	return 1
}

// expressions counts the queries behind each name, including those of earlier names.
// The definition itself is one more query.
func (p *planned) expressions(with *sqlparser.With) {
	for _, e := range with.Ctes {
		before := p.total
		p.total = 0
		p.walk(reflect.ValueOf(e.AliasedTableExpr), 1)
		name := strings.ToLower(e.AliasedTableExpr.As.String())
		p.named[name] = max(p.named[name], p.total)
		p.total = before + 1
	}
}

func (p *planned) add(queries float64) {
	if p.total += queries; p.total > p.most && p.err == nil {
		p.err = sqlerror.New(
			sqlerror.Syntax,
			fmt.Sprintf("the statement has more than %.0f subqueries (%s), counted once for each time that they are planned, "+
				"which is wherever the name of a common table expression stands, twice for each expression that they are in, and once for each level of WITH ROLLUP: "+
				"keep results of parts in a table, or ask the owner for SET GLOBAL %s", p.most, subqueriesVariable, subqueriesVariable),
		)
	}
}

func (p *planned) width(what string, n, most int) {
	if n > most && p.err == nil {
		p.err = sqlerror.New(sqlerror.TooManyColumns, fmt.Sprintf("Too many columns: %s has %d, at most %d", what, n, most))
	}
}

// tables bounds the tables of one join.
func (p *planned) tables(from sqlparser.TableExprs) {
	if n := countTables(from); n > maxTables && p.err == nil {
		p.err = sqlerror.New(sqlerror.TooManyTables, fmt.Sprintf("Too many tables; MySQL can only use %d tables in a join, and this one has %d", maxTables, n))
	}
}

func countTables(from sqlparser.TableExprs) (n int) {
	for _, t := range from {
		switch t := t.(type) {
		case *sqlparser.JoinTableExpr:
			n += countTables(sqlparser.TableExprs{t.LeftExpr, t.RightExpr})
		case *sqlparser.ParenTableExpr:
			n += countTables(t.Exprs)
		default:
			n++
		}
	}
	return n
}
