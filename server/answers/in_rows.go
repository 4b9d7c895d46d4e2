package answers

import (
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/comparison"
	"github.com/anonsql/anonsql/server/answers/weights"
	"github.com/anonsql/anonsql/tree"
)

// inRows is IN (SELECT ...). It is true if a row of the query is equal in all columns,
// unknown if NULLs on either side leave equality open, and otherwise false. The
// engine's compares bytes, and takes NULLs within rows for equal.
type inRows struct {
	left  []sql.Expression
	query *plan.Subquery
	pairs []pair
	index *rowIndex
}

// inSubquery replaces IN (SELECT ...) by inRows.
func inSubquery(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if in, ok := e.(*plan.InSubquery); ok {
		if rows, ok := newInRows(ctx, in); ok {
			return rows, transform.NewTree, nil
		}
	}
	return e, transform.SameTree, nil
}

// newInRows replaces IN (SELECT ...) unless both sides are integers. Conditions do not count as integers: the engine does not
// find their true and false among 1 and 0, nor always among themselves.
func newInRows(ctx *sql.Context, in *plan.InSubquery) (*inRows, bool) {
	subquery, ok := in.RightChild.(*plan.Subquery)
	if !ok {
		return nil, false
	}
	schema, left := subquery.Query.Schema(), comparison.Operands(in.LeftChild)
	if row, ok := in.LeftChild.(*plan.Subquery); ok {
		left = columnsOf(row)
	}
	if len(schema) != len(left) {
		return nil, false // the engine reports this error
	}
	pairs, integers := make([]pair, len(left)), true
	for i, e := range left {
		pairs[i] = pair{left: e.Type(), right: schema[i].Type}
		if isText(e.Type()) && isText(schema[i].Type) {
			pairs[i].collation = comparison.Collation(ctx, e, tree.Selected(subquery.Query, i)...)
		}
		integers = integers && types.IsInteger(e.Type()) && types.IsInteger(schema[i].Type) && !types.IsBoolean(e.Type()) && !types.IsBoolean(schema[i].Type)
	}
	if integers && len(left) == 1 {
		return nil, false
	}
	if len(left) > 1 {
		left = comparison.Operands(in.LeftChild)
	}
	return &inRows{left, subquery, pairs, &rowIndex{}}, true
}

func isText(t sql.Type) bool { return types.IsTextOnly(t) || types.IsBinaryType(t) }

// columnsOf returns fields with the types of a query's columns; a query of one column is returned itself.
func columnsOf(row *plan.Subquery) []sql.Expression {
	schema := row.Query.Schema()
	if len(schema) == 1 {
		return []sql.Expression{row}
	}
	fields := make([]sql.Expression, len(schema))
	for i, c := range schema {
		fields[i] = expression.NewGetField(i, c.Type, c.Name, c.Nullable)
	}
	return fields
}

// A pair has the types of a column on both sides, and their common collation, 0 unless
// both are texts.
type pair struct {
	left, right sql.Type
	collation   sql.CollationID
}

// A rowIndex finds the rows of one result of a query.
type rowIndex struct {
	of      []any              // the result; kept, so that its memory is not reused
	byKey   map[uint64][][]any // rows without NULL
	unknown [][]any            // rows with one
}

func (in *inRows) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	rows, err := in.query.EvalMultiple(ctx, row)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return false, nil
	}
	left, err := in.looked(ctx, row)
	if err != nil {
		return nil, err
	}
	hasNull := slices.Contains(left, nil)
	if err := in.build(ctx, rows); err != nil {
		return nil, err
	}
	if hasNull && len(left) == 1 {
		return nil, nil
	}
	if hasNull {
		for _, rows := range in.index.byKey {
			if may, err := in.anyMayEqual(ctx, left, rows); err != nil || may {
				return nil, err
			}
		}
		return in.unknownOrFalse(ctx, left)
	}
	key, err := in.key(ctx, left, true)
	if err != nil {
		return nil, err
	}
	for _, candidate := range in.index.byKey[key] {
		if equal, err := in.mayEqual(ctx, left, candidate); err != nil || equal {
			return equal, err
		}
	}
	return in.unknownOrFalse(ctx, left)
}

// looked is the row to look up; a row subquery without a row gives NULLs.
func (in *inRows) looked(ctx *sql.Context, row sql.Row) ([]any, error) {
	left := make([]any, len(in.pairs))
	for i, e := range in.left {
		v, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		if values, ok := v.([]any); ok && len(in.left) < len(left) {
			copy(left, values)
		} else {
			left[i] = v
		}
	}
	return left, nil
}

// unknownOrFalse compares with the rows that have a NULL.
func (in *inRows) unknownOrFalse(ctx *sql.Context, left []any) (any, error) {
	if may, err := in.anyMayEqual(ctx, left, in.index.unknown); err != nil || may {
		return nil, err
	}
	return false, nil
}

func (in *inRows) anyMayEqual(ctx *sql.Context, left []any, rows [][]any) (bool, error) {
	for _, row := range rows {
		if may, err := in.mayEqual(ctx, left, row); err != nil || may {
			return may, err
		}
	}
	return false, nil
}

// build indexes a result. An uncorrelated query returns the same slice each time, which
// is indexed once.
func (in *inRows) build(ctx *sql.Context, rows []any) error {
	if old := in.index.of; len(old) == len(rows) && &old[0] == &rows[0] {
		return nil
	}
	index := &rowIndex{of: rows, byKey: make(map[uint64][][]any)}
	for _, value := range rows {
		row, several := value.([]any)
		if !several || len(in.pairs) == 1 {
			row = []any{value}
		}
		hasNull := false
		for _, value := range row {
			hasNull = hasNull || value == nil
		}
		if hasNull {
			index.unknown = append(index.unknown, row)
			continue
		}
		key, err := in.key(ctx, row, false)
		if err != nil {
			return err
		}
		index.byKey[key] = append(index.byKey[key], row)
	}
	in.index = index
	return nil
}

// key is a hash that equal rows share.
func (in *inRows) key(ctx *sql.Context, row []any, left bool) (uint64, error) {
	key := make(sql.Row, len(row))
	for i, p := range in.pairs {
		own := p.right
		if left {
			own = p.left
		}
		var err error
		switch {
		case p.collation != 0:
			key[i], err = weights.Hash(ctx, row[i], p.collation)
		case types.IsInteger(p.left) && types.IsInteger(p.right):
			if key[i] = row[i]; row[i] == true || row[i] == false {
				key[i], _, err = types.Int8.Convert(ctx, row[i])
			}
		case (types.IsNumber(p.left) || types.IsTextOnly(p.left)) && (types.IsNumber(p.right) || types.IsTextOnly(p.right)):
			key[i], err = expression.NewConvert(expression.NewLiteral(row[i], own), expression.ConvertToDouble).Eval(ctx, nil)
		case types.TypesEqual(p.left, p.right):
			key[i] = row[i]
		case types.IsTime(p.left) && types.IsTime(p.right):
			if moment, ok := row[i].(time.Time); ok {
				key[i] = moment.UnixNano()
			}
		default: // all are compared
		}
		if err != nil {
			return 0, err
		}
	}
	return sql.HashOf(ctx, key)
}

// mayEqual reports whether two rows are equal in the columns in which neither is NULL.
func (in *inRows) mayEqual(ctx *sql.Context, left, right []any) (bool, error) {
	for i, p := range in.pairs {
		a, b := left[i], right[i]
		if a == nil || b == nil {
			continue
		}
		if p.collation != 0 {
			x, err := weights.Hash(ctx, a, p.collation)
			if err != nil {
				return false, err
			}
			if y, err := weights.Hash(ctx, b, p.collation); err != nil || x != y {
				return false, err
			}
			continue
		}
		equal, err := expression.NewEquals(expression.NewLiteral(a, p.left), expression.NewLiteral(b, p.right)).Eval(ctx, nil)
		if err != nil || equal != true {
			return false, err
		}
	}
	return true, nil
}

func (in *inRows) Type() sql.Type   { return types.Boolean }
func (in *inRows) IsNullable() bool { return true }
func (in *inRows) Resolved() bool   { return in.query.Resolved() }

func (in *inRows) String() string {
	return expression.Tuple(in.left).String() + " in " + in.query.String()
}

// Children implements sql.Expression: the left operands, then the query.
func (in *inRows) Children() []sql.Expression {
	return append(append([]sql.Expression(nil), in.left...), in.query)
}

func (in *inRows) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(in.left)+1 {
		return nil, sql.ErrInvalidChildrenNumber.New(in, len(children), len(in.left)+1)
	}
	query, ok := children[len(in.left)].(*plan.Subquery)
	if !ok {
		return nil, sql.ErrInvalidChildType.New(in, children[len(in.left)], in.query)
	}
	return &inRows{children[:len(in.left)], query, in.pairs, &rowIndex{}}, nil
}
