package answers

import (
	"hash/fnv"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/encodings"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/percentile"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/values"
	"github.com/anonsql/anonsql/tree"
)

// concat is GROUP_CONCAT. With DISTINCT, it is of the first text of each weight. The
// engine keeps every text in full until the group ends; here it keeps what the result
// can have of it, and that is counted.
type concat struct {
	*aggregation.GroupConcat
	weights []sql.Expression // nil: all are joined
	most    int              // bytes of the result: group_concat_max_len
}

func (c *concat) Children() []sql.Expression {
	return append([]sql.Expression{c.GroupConcat}, c.weights...)
}

// WithChildren implements sql.Expression.
func (c *concat) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1+len(c.weights) {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1+len(c.weights))
	}
	own, ok := children[0].(*aggregation.GroupConcat)
	if !ok {
		return nil, sql.ErrInvalidChildType.New(c, children[0], own)
	}
	return &concat{own, children[1:], c.most}, nil
}

// NewBuffer implements sql.Aggregation.
func (c *concat) NewBuffer() (sql.AggregationBuffer, error) {
	made := &concatBuffer{weights: c.weights, seen: map[uint64]bool{}}
	own, err := c.cutting(&made.bytes)
	if err != nil {
		return nil, err
	}
	made.AggregationBuffer, err = own.NewBuffer()
	return made, err
}

type concatBuffer struct {
	sql.AggregationBuffer
	weights []sql.Expression
	seen    map[uint64]bool
	bytes   int64 // of the texts that it keeps
	keeper  values.Keeper
}

// Update implements sql.AggregationBuffer.
func (b *concatBuffer) Update(ctx *sql.Context, row sql.Row) error {
	b.keeper = running.Keeper(ctx)
	row = slices.Clip(row) // the engine appends to it, for each of several buffers
	if len(b.weights) == 0 {
		return b.AggregationBuffer.Update(ctx, row)
	}
	weights := make(sql.Row, len(b.weights))
	for i, e := range b.weights {
		var err error
		if weights[i], err = e.Eval(ctx, row); err != nil {
			return err
		}
	}
	key, err := sql.HashOf(ctx, weights)
	if err != nil || b.seen[key] {
		return err
	}
	b.seen[key] = true
	return b.AggregationBuffer.Update(ctx, row)
}

// Dispose implements sql.Disposable.
func (b *concatBuffer) Dispose() {
	if b.keeper != nil {
		b.keeper.Give(b.bytes)
		b.bytes = 0
	}
	b.AggregationBuffer.Dispose()
}

// cutting is the engine's GROUP_CONCAT of texts that are cut; their bytes are added to
// kept.
func (c *concat) cutting(kept *int64) (*aggregation.GroupConcat, error) {
	children := c.GroupConcat.Children()
	for i, e := range children {
		if joined, ok := e.(*joinedByConcat); ok {
			children[i] = &cutText{tree.For(joined.Child), c.most, kept}
		}
	}
	made, err := c.GroupConcat.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return made.(*aggregation.GroupConcat), nil
}

// joinedFunction marks what a GROUP_CONCAT joins: its children are what it is ordered by
// too.
const joinedFunction = "__anon_joined"

// Markers are functions that a rewrite looks for as they are.
func Markers() []sql.Function {
	joined := sql.Function1{Name: joinedFunction, Fn: func(e sql.Expression) sql.Expression { return &joinedByConcat{tree.For(scalar.Text(e))} }}
	return append(percentile.Markers(), joined)
}

// groupConcats are its words.
var groupConcats = []string{"group_concat"}

// markJoinedTexts marks what every GROUP_CONCAT joins, in place.
func markJoinedTexts(t parsed) error {
	Walk(reflect.ValueOf(t.Statement), func(node any) {
		call, ok := node.(*sqlparser.GroupConcatExpr)
		if !ok {
			return
		}
		for _, given := range call.Exprs {
			if aliased, ok := given.(*sqlparser.AliasedExpr); ok {
				aliased.Expr = marker(joinedFunction, aliased.Expr)
			}
		}
	})
	return nil
}

// joinedByConcat is an expression that a GROUP_CONCAT joins.
type joinedByConcat struct{ tree.Standin }

// WithChildren implements sql.Expression.
func (j *joinedByConcat) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(j, children)
}

// Eval implements sql.Expression.
func (j *joinedByConcat) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	return j.Child.Eval(ctx, row)
}

// cutText is a text of a GROUP_CONCAT, without what its result never has: the result is
// cut to most bytes, so whatever follows in a text of so many is not in it. A mark of
// the whole takes its place, for DISTINCT to tell two texts apart.
type cutText struct {
	tree.Standin
	most int
	kept *int64
}

// cut is the text as it is kept.
func (c *cutText) cut(text string) string {
	end := c.most
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	if end >= len(text) {
		return text
	}
	whole := fnv.New64a()
	whole.Write(encodings.StringToBytes(text))
	return text[:end] + strconv.FormatUint(whole.Sum64(), 16)
}

// Eval implements sql.Expression.
func (c *cutText) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	if document, ok := v.(sql.JSONWrapper); ok {
		if v, _, err = types.LongText.Convert(ctx, document); err != nil {
			return nil, err
		}
	}
	size := int64(0)
	switch own := v.(type) {
	case string:
		own = c.cut(own)
		v, size = own, int64(len(own))
	case []byte:
		own = []byte(c.cut(string(own)))
		v, size = own, int64(len(own))
	default:
		return v, nil
	}
	if err := running.Keeper(ctx).Take(size); err != nil {
		return nil, err
	}
	*c.kept += size
	return v, nil
}

// WithChildren implements sql.Expression.
func (c *cutText) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(c, children)
}

// groupConcat is the GROUP_CONCAT of ours for the engine's.
func groupConcat(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	own, ok := e.(*aggregation.GroupConcat)
	if !ok || own.Window() != nil {
		return e, transform.SameTree, nil
	}
	value, err := ctx.GetSessionVariable(ctx, "group_concat_max_len")
	if err != nil {
		return e, transform.SameTree, err
	}
	most, _ := value.(uint64)
	made := &concat{GroupConcat: own, most: int(most)}
	if strings.HasPrefix(own.String(), "group_concat(distinct ") {
		for _, child := range own.Children() {
			if joined, ok := child.(*joinedByConcat); ok {
				made.weights = append(made.weights, byWeight(joined.Child))
			}
		}
	}
	return made, transform.NewTree, nil
}
