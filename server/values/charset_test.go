package values

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

func convertedTo(set sql.CharacterSetID, v any, typ sql.Type) sql.Expression {
	return Charset(expression.NewConvertUsing(expression.NewLiteral(v, typ), set))
}

// CONVERT(x USING charset) is x in UTF-8, as every text in memory, without the
// characters that the other character set does not have; it is never longer than x.
func TestCharsetConversionKeepsTheText(t *testing.T) {
	for _, c := range []struct {
		set  sql.CharacterSetID
		v    any
		typ  sql.Type
		want string
	}{
		{sql.CharacterSet_utf32, "a", types.LongText, "a"},
		{sql.CharacterSet_utf16, "aä€😀", types.LongText, "aä€😀"},
		{sql.CharacterSet_latin1, "ä😀x", types.LongText, "ä?x"},
		{sql.CharacterSet_ascii, "äa😀", types.LongText, "?a?"},
		{sql.CharacterSet_utf8mb3, "😀", types.LongText, "?"},
		{sql.CharacterSet_ascii, "a\xffb", types.LongText, "a?b"},
		{sql.CharacterSet_binary, "a\xffb", types.LongText, "a\xffb"},
		{sql.CharacterSet_utf8mb4, []byte("ä"), types.LongBlob, "ä"},
		{sql.CharacterSet_latin1, int64(57), types.Int64, "57"},
	} {
		e := convertedTo(c.set, c.v, c.typ)
		got, err := e.Eval(sql.NewEmptyContext(), nil)
		if err != nil || got != c.want {
			t.Errorf("CONVERT(%q USING %s) is %q, %v, want %q", c.v, c.set.Name(), got, err, c.want)
		}
		if _, text := e.Type().(sql.StringType); !text {
			t.Errorf("CONVERT(%q USING %s) is of type %v", c.v, c.set.Name(), e.Type())
		}
	}
	long := strings.Repeat("a", 1<<20)
	if got, err := convertedTo(sql.CharacterSet_utf32, long, types.LongText).Eval(sql.NewEmptyContext(), nil); err != nil || got != long {
		t.Errorf("as long as a value may be: %v", err)
	}
}

// A conversion ends when the statement ends.
func TestCharsetConversionEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := convertedTo(sql.CharacterSet_latin1, strings.Repeat("ä", 1<<19), types.LongText).Eval(sql.NewContext(ctx), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a statement that has ended: %v", err)
	}
}
