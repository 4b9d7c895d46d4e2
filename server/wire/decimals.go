package wire

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog/declared"
)

// roundedColumns are the decimals of tables' FLOAT(m, d) and DOUBLE(m, d) columns, by table and column name. To the engine their
// values are DOUBLEs.
type roundedColumns map[string]int

// unknownDecimals stands for as many decimals as the value has.
const unknownDecimals = -1

// note adds the columns of a table. A name that is ambiguous has unknown decimals.
func (r roundedColumns) note(n sql.NameableNode) {
	for _, c := range n.Schema() {
		decimals := unknownDecimals
		if typ, ok := c.Type.(declared.Float); ok {
			decimals = typ.Decimals()
		}
		name := columnName(n.Name(), c.Name)
		if known, ok := r[name]; ok && known != decimals {
			decimals = unknownDecimals
		}
		r[name] = decimals
	}
}

func columnName(table, column string) string {
	return strings.ToLower(table) + "." + strings.ToLower(column)
}

// decimals are the decimals of a FLOAT or DOUBLE column of the result.
func (t *texts) decimals(i int) int {
	if i >= len(t.columns) {
		return unknownDecimals
	}
	t.readsRounded = false
	if most := t.mostDecimals(t.columns[i], maxDepth); t.readsRounded {
		return most
	}
	return unknownDecimals
}

// mostDecimals are the most decimals of several expressions.
func (t *texts) mostDecimals(list []sql.Expression, depth int) int {
	most := 0
	for _, e := range list {
		own := t.decimalsOf(e, depth)
		if own == unknownDecimals {
			return unknownDecimals
		}
		most = max(most, own)
	}
	return most
}

// decimalsOf are the decimals to which an expression's columns round it, as in MySQL for choices and for aggregates other than averages.
func (t *texts) decimalsOf(e sql.Expression, depth int) int {
	if depth--; depth < 0 {
		return unknownDecimals
	}
	if typ, ok := e.Type().(sql.DecimalType); ok {
		return int(typ.Scale())
	}
	if types.IsInteger(e.Type()) || e.Type() == types.Null {
		return 0
	}
	switch own := e.(type) {
	case *expression.GetField:
		if from := t.defined[own.Id()]; len(from) > 0 {
			return t.mostDecimals(from, depth)
		}
		if decimals, ok := t.rounded[columnName(own.Table(), own.Name())]; ok {
			t.readsRounded = true
			return decimals
		}
	case *expression.Alias, *expression.UnaryMinus:
		return t.mostDecimals(e.Children(), depth)
	case *expression.Case:
		return t.mostDecimals(chosen(own), depth)
	case sql.FunctionExpression:
		switch children := e.Children(); strings.ToLower(own.FunctionName()) {
		case "max", "min", "sum", "any_value", "nullif", "lag", "lead", "first_value", "last_value":
			return t.mostDecimals(children[:1], depth)
		case "if":
			return t.mostDecimals(children[1:], depth)
		case "coalesce", "ifnull", "greatest", "least", "__anon_as":
			return t.mostDecimals(children, depth)
		}
	case sql.Aggregation: // a key of a group
		return t.mostDecimals(e.Children(), depth)
	}
	return unknownDecimals
}

// chosen are the possible values of a CASE.
func chosen(e *expression.Case) []sql.Expression {
	list := make([]sql.Expression, 0, len(e.Branches)+1)
	for _, b := range e.Branches {
		list = append(list, b.Value)
	}
	if e.Else != nil {
		list = append(list, e.Else)
	}
	return list
}
