package operators

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/anonsql/anonsql/tree"
)

// ordinals are functions that take an ENUM or a SET as its number, or unchanged. All other functions take the text.
var ordinals = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields("abs acos asin atan atan2 bin bit_and bit_count bit_or bit_xor ceil ceiling conv cos cot count degrees exp " +
		"floor ln log log10 log2 mod oct pow power radians round sign sin sqrt tan truncate sum avg std stddev stddev_pop stddev_samp var_pop var_samp " +
		"variance __anon_signed __anon_unsigned __anon_double __anon_decimal __anon_bits __anon_not __anon_div format min max " +
		"any_value first last first_value last_value lag lead values __anon_joined __anon_set " +
		"grouping rank dense_rank row_number ntile nth_value") {
		names[name] = true
	}
	return names
}()

// Texts passes ENUMs and SETs to a function as texts. The engine passes their numbers, and the function formats them
// as digits, or panics.
func Texts(f sql.Function) sql.Function {
	if ordinals[strings.ToLower(f.FunctionName())] {
		return f
	}
	return sql.FunctionN{Name: f.FunctionName(), Fn: func(given ...sql.Expression) (sql.Expression, error) {
		for i, e := range given {
			given[i] = Text(e)
		}
		return f.NewInstance(given)
	}}
}

// Text returns the text of e if e is resolved to an ENUM or a SET, otherwise e.
func Text(e sql.Expression) sql.Expression {
	if e == nil || !e.Resolved() {
		return e
	}
	switch t := e.Type().(type) {
	case sql.EnumType:
		return &enumText{tree.Unary{Child: e}, textOf(t)}
	case sql.SetType:
		return &enumText{tree.Unary{Child: e}, textOf(t)}
	}
	return e
}

type collated interface {
	sql.Type
	Collation() sql.CollationID
}

// textOf returns a VARCHAR that is long enough for every text of a type.
func textOf(t collated) sql.Type {
	perCharacter := uint32(t.Collation().CharacterSet().MaxLength())
	typ, err := types.CreateString(sqltypes.VarChar, int64(max(t.MaxTextResponseByteLength(nil)/perCharacter, 1)), t.Collation())
	if err != nil {
		return types.LongText
	}
	return typ
}

// enumText is the text of an ENUM or a SET.
type enumText struct {
	tree.Unary
	typ sql.Type
}

var _ sql.CollationCoercible = (*enumText)(nil)

// Numbered returns the ENUM or SET itself, for conditions and comparisons with numbers.
func (e *enumText) Numbered() sql.Expression { return e.Child }

func (e *enumText) String() string { return e.Child.String() }

func (e *enumText) Type() sql.Type { return e.typ }

func (e *enumText) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, e.Child)
}

func (e *enumText) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(e, children)
}

// Eval implements sql.Expression. Some tables of information_schema have texts although the type promises numbers.
func (e *enumText) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := e.Child.Eval(ctx, row)
	if value == nil || err != nil {
		return nil, err
	}
	switch t := e.Child.Type().(type) {
	case sql.EnumType:
		if n, ok := value.(uint16); ok {
			text, ok := t.At(int(n))
			if !ok {
				return nil, fmt.Errorf("an enum has no value of number %d", n)
			}
			return text, nil
		}
	case sql.SetType:
		if bits, ok := value.(uint64); ok {
			return t.BitsToString(bits)
		}
	}
	return value, nil
}
