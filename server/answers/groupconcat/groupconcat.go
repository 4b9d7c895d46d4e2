// Package groupconcat replaces the engine's GROUP_CONCAT.
//
// It behaves as in MySQL: with several arguments it joins the texts of rows without
// NULL among them, DISTINCT applies to all arguments together, ORDER BY takes any
// expressions, and a result cut at group_concat_max_len causes warning 1260.
//
// It refuses *, and ORDER BY positions that are out of range.
package groupconcat

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/server/answers/weights"
	"github.com/anonsql/anonsql/server/operators"
	"github.com/anonsql/anonsql/tree"
)

// The engine's GROUP_CONCAT joins only its first argument, keeps whole rows until the
// group ends, and reads ORDER BY keys at wrong indexes. Its binder does not find
// GROUP_CONCAT in HAVING. So the tree has a call of MAX, which is replaced by the
// aggregate that its argument stands for (package percentile):
//
//	GROUP_CONCAT(DISTINCT a, b ORDER BY c DESC SEPARATOR ';')
//	MAX(__anon_joined('distinct ', 2, 'd', ';', a, b, c))

// joinedFunction is the marker. Its arguments are DISTINCT, the number of values, the
// directions of the keys, a letter each, the separator, the values, and the keys.
const joinedFunction = "__anon_joined"

// Marker is the marker's function, which must not be wrapped, so that MAX finds it.
func Marker() sql.Function { return sql.FunctionN{Name: joinedFunction, Fn: newJoined} }

// cutByGroupConcat is the warning ER_CUT_VALUE_GROUP_CONCAT.
const cutByGroupConcat = 1260

// Join rewrites every GROUP_CONCAT as such a call, in place.
func Join(statement sqlparser.Statement) (err error) {
	trees.Replace(statement, func(e sqlparser.Expr) sqlparser.Expr {
		call, ok := e.(*sqlparser.GroupConcatExpr)
		if !ok || err != nil {
			return e
		}
		var joined sqlparser.Expr
		if joined, err = joinedCall(call); err != nil {
			return e
		}
		return trees.Call("max", joined)
	})
	return err
}

func joinedCall(call *sqlparser.GroupConcatExpr) (sqlparser.Expr, error) {
	var values, keys []sqlparser.Expr
	for _, given := range call.Exprs {
		aliased, ok := given.(*sqlparser.AliasedExpr)
		if !ok {
			return nil, mysql.NewSQLError(mysql.ERParseError, mysql.SSClientError, "You have an error in your SQL syntax: GROUP_CONCAT takes values, not *")
		}
		values = append(values, aliased.Expr)
	}
	directions := ""
	for _, order := range call.OrderBy {
		key := order.Expr
		if n, number := trees.Number(key); number && (n < 1 || n > len(values)) {
			return nil, sql.ErrUnknownColumn.New(strconv.Itoa(n), "order clause")
		} else if number {
			key = trees.Copy(values[n-1])
		}
		keys, directions = append(keys, key), directions+order.Direction[:1]
	}
	separator := ","
	if !call.Separator.DefaultSeparator {
		separator = call.Separator.SeparatorString
	}
	count := sqlparser.NewIntVal([]byte(strconv.Itoa(len(values))))
	arguments := []sqlparser.Expr{trees.Text(call.Distinct), count, trees.Text(directions), trees.Text(separator)}
	return trees.Call(joinedFunction, slices.Concat(arguments, values, keys)...), nil
}

// joinedTexts are the texts that a GROUP_CONCAT joins. Its operands are the values and then
// the keys.
type joinedTexts struct {
	tree.Nary
	values     int
	distinct   string
	separator  string
	directions string
}

func newJoined(given ...sql.Expression) (sql.Expression, error) {
	said := make([]any, 0, 4)
	for _, e := range given[:min(cap(said), len(given))] {
		if literal, ok := e.(*expression.Literal); ok {
			said = append(said, literal.Value())
		}
	}
	if len(said) < cap(said) {
		return nil, sql.ErrFunctionNotFound.New(joinedFunction)
	}
	j := &joinedTexts{Nary: tree.Nary{Operands: given[4:]}, distinct: fmt.Sprint(said[0]), directions: fmt.Sprint(said[2]), separator: fmt.Sprint(said[3])}
	if j.values = len(j.Operands) - len(j.directions); fmt.Sprint(said[1]) != strconv.Itoa(j.values) || j.values == 0 {
		return nil, sql.ErrFunctionNotFound.New(joinedFunction)
	}
	for i := range j.values {
		j.Operands[i] = scalar.Text(operators.Text(j.Operands[i]))
	}
	return j, nil
}

// Aggregate implements percentile.Mark.
func (j *joinedTexts) Aggregate() sql.Aggregation { return &concat{joinedTexts: *j} }

func (j *joinedTexts) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(j, children)
}

// Type implements sql.Expression: that of the aggregate.
func (j *joinedTexts) Type() sql.Type {
	for _, e := range j.Operands[:j.values] {
		if !types.IsBlobType(e.Type()) && !types.IsBinaryType(e.Type()) {
			return types.Text
		}
	}
	return types.Blob
}

func (j *joinedTexts) IsNullable() bool { return true }

// String implements sql.Expression: as the engine has it.
func (j *joinedTexts) String() string {
	texts := make([]string, len(j.Operands))
	for i, e := range j.Operands {
		texts[i] = e.String()
	}
	for i, direction := range j.directions {
		if direction == 'd' {
			texts[j.values+i] += " DESC"
		} else {
			texts[j.values+i] += " ASC"
		}
	}
	order := ""
	if j.directions != "" {
		order = " order by " + strings.Join(texts[j.values:], ", ")
	}
	return fmt.Sprintf("group_concat(%s%s%s separator '%s')", j.distinct, strings.Join(texts[:j.values], ", "), order, j.separator)
}

func (j *joinedTexts) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, aggregation.ErrEvalUnsupportedOnAggregation.New("GROUP_CONCAT")
}

// text is the joined values of a row, nil if one of them is NULL.
func (j *joinedTexts) text(ctx *sql.Context, row sql.Row) (*string, error) {
	var out strings.Builder
	for _, e := range j.Operands[:j.values] {
		value, err := weights.Text(ctx, e, row)
		if value == nil || err != nil {
			return nil, err
		}
		out.WriteString(*value)
	}
	text := out.String()
	return &text, nil
}

// IsDistinct reports whether equal values are joined once.
func (j *joinedTexts) IsDistinct() bool { return j.distinct != "" }

// order are the keys of a row that concatBuffer keeps.
func (j *joinedTexts) order() []sql.SortField {
	fields := make([]sql.SortField, len(j.directions))
	for i, direction := range j.directions {
		key := j.Operands[j.values+i]
		fields[i] = sql.SortField{Column: expression.NewGetField(1+i, key.Type(), key.String(), true)}
		if direction == 'd' {
			fields[i].Order = sql.Descending
		}
	}
	return fields
}

// concat is GROUP_CONCAT. With DISTINCT, it joins the first row of each weight.
type concat struct {
	joinedTexts
	id sql.ColumnId
}

var (
	_ sql.Aggregation        = (*concat)(nil)
	_ sql.FunctionExpression = (*concat)(nil)
)

func (*concat) FunctionName() string { return "group_concat" }

func (*concat) Description() string { return "the texts of a group, joined" }

func (c *concat) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(c, children)
}

// Id implements sql.IdExpression.
func (c *concat) Id() sql.ColumnId { return c.id }

// WithId implements sql.IdExpression.
func (c *concat) WithId(id sql.ColumnId) sql.IdExpression {
	changed := *c
	changed.id = id
	return &changed
}

// Window, WithWindow and NewWindowFunction implement sql.Aggregation: it has none.
func (*concat) Window() *sql.WindowDefinition { return nil }

func (c *concat) WithWindow(*sql.WindowDefinition) sql.WindowAdaptableExpression { return c }

func (*concat) NewWindowFunction() (sql.WindowFunction, error) {
	return nil, sql.ErrUnsupportedFeature.New("GROUP_CONCAT over a window")
}

// NewBuffer implements sql.Aggregation.
func (c *concat) NewBuffer() (sql.AggregationBuffer, error) {
	made := &concatBuffer{concat: c, most: -1, seen: map[uint64]bool{}}
	if c.distinct != "" {
		for _, of := range c.Operands[:c.values] {
			made.weighed = append(made.weighed, weights.WeightOf(of))
		}
	}
	return made, nil
}

// concatBuffer keeps the part of each row's text that fits the result, and the row's keys.
type concatBuffer struct {
	*concat
	most    int              // bytes of the result, group_concat_max_len; -1 before the first row
	weighed []sql.Expression // nil: all are joined
	seen    map[uint64]bool
	rows    []sql.Row // the text, and the keys
}

// Update implements sql.AggregationBuffer.
func (b *concatBuffer) Update(ctx *sql.Context, row sql.Row) error {
	text, err := b.text(ctx, row)
	if text == nil || err != nil {
		return err
	}
	if b.most < 0 {
		value, err := ctx.GetSessionVariable(ctx, "group_concat_max_len")
		if err != nil {
			return err
		}
		length, _ := value.(uint64)
		b.most = int(length)
	}
	if another, err := b.isNew(ctx, row); !another || err != nil {
		return err
	}
	kept := sql.Row{wholeRunes(*text, b.most+utf8.UTFMax)}
	for _, key := range b.Operands[b.values:] {
		value, err := key.Eval(ctx, row)
		if err != nil {
			return err
		}
		kept = append(kept, value)
	}
	b.rows = append(b.rows, kept)
	return nil
}

// isNew reports whether no earlier row has the row's values; always true without DISTINCT.
func (b *concatBuffer) isNew(ctx *sql.Context, row sql.Row) (bool, error) {
	if len(b.weighed) == 0 {
		return true, nil
	}
	key := make(sql.Row, len(b.weighed))
	for i, e := range b.weighed {
		var err error
		if key[i], err = e.Eval(ctx, row); err != nil {
			return false, err
		}
	}
	hash, err := sql.HashOf(ctx, key)
	another := !b.seen[hash]
	b.seen[hash] = true
	return another, err
}

// Eval implements sql.AggregationBuffer.
func (b *concatBuffer) Eval(ctx *sql.Context) (any, error) {
	if len(b.rows) == 0 {
		return nil, nil
	}
	if fields := b.order(); len(fields) > 0 {
		sorter := &expression.Sorter{SortFields: fields, Rows: b.rows, Ctx: ctx}
		if sort.Stable(sorter); sorter.LastError != nil {
			return nil, sorter.LastError
		}
	}
	var out strings.Builder
	for i, row := range b.rows {
		if i > 0 {
			out.WriteString(b.separator)
		}
		if out.WriteString(row[0].(string)); out.Len() > b.most {
			ctx.Warn(cutByGroupConcat, "Row %d was cut by GROUP_CONCAT()", i+1)
			break
		}
	}
	if b.Type() == types.Blob {
		return []byte(out.String())[:min(b.most, out.Len())], nil
	}
	return wholeRunes(out.String(), b.most), nil
}

// Dispose implements sql.Disposable.
func (b *concatBuffer) Dispose() {}

// wholeRunes is the longest prefix of whole runes with at most most bytes.
func wholeRunes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
