package comparison

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/server/answers/documents"
	"github.com/anonsql/anonsql/tree"
)

// rowList is (a, b) IN ((1, 2), ...): a list for each way in which rows are compared.
func rowList(ctx *sql.Context, left []sql.Expression, values expression.Tuple) (sql.Expression, error) {
	var groups []*group
	for _, value := range values {
		row := Operands(value)
		if len(row) != len(left) {
			return nil, nil // an error of its own
		}
		converted := make([]sql.Expression, len(left))
		for i := range left {
			converted[i], row[i] = makeAlike(ctx, left[i], row[i])
			converted[i] = collated(ctx, converted[i], row[i])
		}
		groups = grouped(groups, converted, true, row...)
	}
	lists := make([]sql.Expression, len(groups))
	for i, g := range groups {
		lists[i] = &rowIn{tree.Nary{Operands: append(append([]sql.Expression(nil), g.left...), g.values...)}, len(g.left), &index{}}
	}
	return expression.JoinOr(lists...), nil
}

// makeAlike converts two expressions to one type whose equality is theirs. No index is involved, so both may be converted.
func makeAlike(ctx *sql.Context, left, right sql.Expression) (l, r sql.Expression) {
	if isDocument(left, right) {
		return documents.Key(left), documents.Key(right)
	}
	l, r = equated(ctx, left, right)
	switch a, b := kindOf(l.Type()), kindOf(r.Type()); {
	case a == instant && b == text:
		return l, convertExactly(ctx, r, types.DatetimeMaxPrecision)
	case (a == member || b == member) && a != null && b != null:
		typ := meetingOfMembers([]sql.Expression{l, r})
		return convertExactly(ctx, l, typ), convertExactly(ctx, r, typ)
	}
	return l, r
}

// rowIn is row IN (rows): unknown if only NULLs leave it open.
type rowIn struct {
	tree.Nary // the row, and the columns of the others
	width     int
	index     *index
}

// An index finds the rows of a list of constants.
type index struct {
	once     sync.Once
	constant bool
	known    map[string][][]any // rows without NULL, by what equal ones share
	unknown  [][]any
	err      error
}

func (in *rowIn) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, err := values(ctx, in.Operands[:in.width], row)
	if err != nil {
		return nil, err
	}
	in.index.once.Do(func() { in.build(ctx) })
	if in.index.err != nil {
		return nil, in.index.err
	}
	if !in.index.constant {
		return in.search(ctx, left, row)
	}
	unknown := in.index.unknown
	if key, whole := in.key(left); whole {
		for _, candidate := range in.index.known[key] {
			if outcome, err := in.compare(ctx, left, candidate); outcome == true || err != nil {
				return outcome, err
			}
		}
	} else {
		for _, rows := range in.index.known {
			unknown = append(unknown[:len(unknown):len(unknown)], rows...)
		}
	}
	return in.anyOf(ctx, left, unknown)
}

// build evaluates the rows of constants.
func (in *rowIn) build(ctx *sql.Context) {
	in.index.constant = true
	for _, e := range in.Operands[in.width:] {
		if _, literal := e.(*expression.Literal); !literal {
			in.index.constant = false
			return
		}
	}
	in.index.known = map[string][][]any{}
	for at := in.width; at < len(in.Operands); at += in.width {
		row, err := values(ctx, in.Operands[at:at+in.width], nil)
		if err != nil {
			in.index.err = err
			return
		}
		if key, whole := in.key(row); whole {
			in.index.known[key] = append(in.index.known[key], row)
		} else {
			in.index.unknown = append(in.index.unknown, row)
		}
	}
}

// search compares with rows that are not constant.
func (in *rowIn) search(ctx *sql.Context, left []any, row sql.Row) (any, error) {
	var rows [][]any
	for at := in.width; at < len(in.Operands); at += in.width {
		other, err := values(ctx, in.Operands[at:at+in.width], row)
		if err != nil {
			return nil, err
		}
		rows = append(rows, other)
	}
	return in.anyOf(ctx, left, rows)
}

func (in *rowIn) anyOf(ctx *sql.Context, left []any, rows [][]any) (any, error) {
	outcome := any(false)
	for _, row := range rows {
		equal, err := in.compare(ctx, left, row)
		if equal == true || err != nil {
			return equal, err
		}
		if equal == nil {
			outcome = nil
		}
	}
	return outcome, nil
}

// compare is true, false, or nil if a NULL leaves it open.
func (in *rowIn) compare(ctx *sql.Context, left, right []any) (any, error) {
	outcome := any(true)
	for i := range left {
		if left[i] == nil || right[i] == nil {
			outcome = nil
			continue
		}
		order, err := in.Operands[i].Type().Compare(ctx, left[i], right[i])
		if err != nil {
			return nil, err
		}
		if order != 0 {
			return false, nil
		}
	}
	return outcome, nil
}

// key is a text that equal rows share; whole is false of a row with a NULL.
func (in *rowIn) key(row []any) (key string, whole bool) {
	var all strings.Builder
	for i, v := range row {
		if v == nil {
			return "", false
		}
		all.WriteString(shared(in.Operands[i].Type(), v))
		all.WriteByte(0)
	}
	return all.String(), true
}

// shared is a text that equal values of a type share.
func shared(t sql.Type, v any) string {
	switch v := v.(type) {
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return fmt.Sprint(v)
	case float64:
		return strconv.FormatFloat(v+0, 'g', -1, 64)
	case decimal.Decimal:
		return strings.TrimSuffix(strings.TrimRight(v.StringFixed(types.DecimalTypeMaxScale), "0"), ".")
	case time.Time:
		return strconv.FormatInt(v.UnixMicro(), 10)
	case types.Timespan:
		return strconv.FormatInt(int64(v), 10)
	case bool:
		if v {
			return "1"
		}
		return "0"
	case []byte:
		return shared(t, string(v))
	case string:
		if text, ok := t.(sql.TypeWithCollation); ok && types.IsTextOnly(t) {
			if hash, err := text.Collation().HashToUint(v); err == nil {
				return strconv.FormatUint(hash, 16)
			}
		}
	}
	return "" // all are compared
}

func values(ctx *sql.Context, list []sql.Expression, row sql.Row) ([]any, error) {
	all := make([]any, len(list))
	for i, e := range list {
		v, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		if all[i], err = sql.UnwrapAny(ctx, v); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (in *rowIn) Type() sql.Type   { return types.Boolean }
func (in *rowIn) IsNullable() bool { return true }

func (in *rowIn) String() string {
	var rows []string
	for at := 0; at < len(in.Operands); at += in.width {
		rows = append(rows, expression.Tuple(in.Operands[at:at+in.width]).String())
	}
	return "(" + rows[0] + " IN (" + strings.Join(rows[1:], ", ") + "))"
}

func (in *rowIn) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	made, err := tree.WithChildren(in, children)
	if err == nil {
		made.(*rowIn).index = &index{}
	}
	return made, err
}
