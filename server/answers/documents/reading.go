package documents

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/values"
)

// pathOf parses an argument as a path. A function that follows many paths ends here with the statement.
func pathOf(c *builtin.Call, ctx *sql.Context, i int, v any) (path, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, err := coercion.Text(ctx, v, c.OperandType(i))
	if err != nil {
		return nil, err
	}
	return readPath(text)
}

// onePathOf parses an argument as a path without wildcards and ranges.
func onePathOf(c *builtin.Call, ctx *sql.Context, i int, v any) (path, error) {
	p, err := pathOf(c, ctx, i, v)
	if err == nil && p.mayYieldSeveral() {
		err = sqlerror.New(wildcardInPath, "In this situation, path expressions may not contain the * and ** tokens or an array range.")
	}
	return p, err
}

func documentOf(c *builtin.Call, i int, v any) (any, error) {
	return document(v, c.OperandType(i), c.Name, i+1)
}

// part returns the value of a document at the path in v[at], or the document if there is no such argument. found is false if the path leads nowhere.
func part(c *builtin.Call, ctx *sql.Context, doc any, v []any, at int) (value any, found bool, err error) {
	if len(v) <= at {
		return doc, true, nil
	}
	p, err := onePathOf(c, ctx, at, v[at])
	if err != nil {
		return nil, false, err
	}
	values, err := p.find(doc)
	if len(values) == 0 || err != nil {
		return nil, false, err
	}
	return values[0], true, nil
}

// ofPart makes an SQL function of a document and an optional path, which applies of to the value there.
func ofPart(of func(any) any) func(*builtin.Call, *sql.Context, []any) (any, error) {
	return func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		doc, err := documentOf(c, 0, v[0])
		if err != nil {
			return nil, err
		}
		doc, found, err := part(c, ctx, doc, v, 1)
		if err != nil || !found {
			return nil, err
		}
		return of(doc), nil
	}
}

func length(v any) any {
	switch own := v.(type) {
	case []any:
		return int32(len(own))
	case map[string]any:
		return int32(len(own))
	}
	return int32(1)
}

func levels(v any) any { return int32(depth(v, 0)) }

func keys(v any) any {
	members, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	list := make([]any, 0, len(members))
	for _, name := range names(members) {
		list = append(list, name)
	}
	return types.JSONDocument{Val: list}
}

// minElement is the least length of an element of an array, with its separator.
const minElement = 3

func extract(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	doc, err := documentOf(c, 0, v[0])
	if err != nil {
		return nil, err
	}
	var found []any
	several := len(v) > 2
	for i := 1; i < len(v); i++ {
		p, err := pathOf(c, ctx, i, v[i])
		if err != nil {
			return nil, err
		}
		several = several || p.mayYieldSeveral()
		list, err := p.find(doc)
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
		if most := values.MaxPacket(); int64(len(found))*minElement > most {
			return values.TooLong(ctx, c.Name, most)
		}
	}
	switch {
	case len(found) == 0:
		return nil, nil
	case several:
		return types.JSONDocument{Val: found}, nil
	}
	return types.JSONDocument{Val: found[0]}, nil
}

// value is JSON_VALUE with NULL ON EMPTY and NULL ON ERROR.
func value(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	doc, err := c.Argument(0, ctx, row)
	if doc == nil || err != nil {
		return nil, err
	}
	p := path{}
	if len(c.Operands) > 1 {
		text, err := c.Argument(1, ctx, row)
		if text == nil || err != nil {
			return nil, err
		}
		if p, err = pathOf(c, ctx, 1, text); err != nil {
			return nil, err
		}
	}
	if doc, err = documentOf(c, 0, doc); sqlerror.Number(err) == invalidText {
		ctx.Warn(invalidText, "%s", err.Error())
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	found, err := p.find(doc)
	if len(found) != 1 || found[0] == nil || err != nil {
		return nil, err
	}
	return convertValue(ctx, found[0], c.Type()), nil
}

// convertValue converts a value of a document to an SQL type. It returns nil if the value does not fit.
func convertValue(ctx *sql.Context, v any, to sql.Type) any {
	if types.IsJSON(to) {
		return types.JSONDocument{Val: v}
	}
	if types.IsTextOnly(to) || rank(v) > rank("") {
		text, err := unquoted(v)
		if err != nil {
			return nil
		}
		v = text
	}
	made, in, err := to.Convert(ctx, v)
	if err != nil || in != sql.InRange {
		return nil
	}
	return made
}

// unquoted returns a JSON string without quotes, and other values as JSON text.
func unquoted(v any) (string, error) {
	if text, ok := v.(string); ok {
		return text, nil
	}
	return types.JsonToMySqlString(types.JSONDocument{Val: v})
}

func unquote(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	if doc, ok := v[0].(sql.JSONWrapper); ok {
		inner, err := doc.ToInterface()
		if err != nil {
			return nil, err
		}
		return unquoted(inner)
	}
	if !types.IsText(c.OperandType(0)) {
		return nil, sqlerror.New(incorrectType, "Incorrect type for argument json_val in function json_unquote.")
	}
	text, err := coercion.Text(ctx, v[0], c.OperandType(0))
	if err != nil || len(text) < 2 || !strings.HasPrefix(text, `"`) || !strings.HasSuffix(text, `"`) {
		return text, err
	}
	doc, err := read(text, c.Name, 1)
	if err != nil {
		return nil, err
	}
	return unquoted(doc)
}

func containsIn(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	doc, err := documentOf(c, 0, v[0])
	if err != nil {
		return nil, err
	}
	wanted, err := documentOf(c, 1, v[1])
	if err != nil {
		return nil, err
	}
	doc, found, err := part(c, ctx, doc, v, 2)
	if err != nil || !found {
		return nil, err
	}
	return contains(doc, wanted), nil
}

func containsPath(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	doc, err := documentOf(c, 0, v[0])
	if err != nil {
		return nil, err
	}
	all, err := allOf(c, ctx, v[1])
	if err != nil {
		return nil, err
	}
	some, every := false, true
	for i := 2; i < len(v); i++ {
		p, err := pathOf(c, ctx, i, v[i])
		if err != nil {
			return nil, err
		}
		exists, err := p.exists(doc)
		if err != nil {
			return nil, err
		}
		some, every = some || exists, every && exists
	}
	return !all && some || all && every, nil
}

func overlaps(c *builtin.Call, _ *sql.Context, v []any) (any, error) {
	a, err := documentOf(c, 0, v[0])
	if err != nil {
		return nil, err
	}
	b, err := documentOf(c, 1, v[1])
	if err != nil {
		return nil, err
	}
	return overlap(a, b), nil
}
