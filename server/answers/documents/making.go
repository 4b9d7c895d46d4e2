package documents

import (
	"maps"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/values"
)

// element evaluates an argument as an element of a document. NULL becomes null.
func element(c *builtin.Call, i int, ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Argument(i, ctx, row)
	if err != nil {
		return nil, err
	}
	return Value(ctx, v, c.OperandType(i))
}

func array(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	list := make([]any, 0, len(c.Operands))
	var size growth
	for i := range c.Operands {
		v, err := element(c, i, ctx, row)
		if err != nil {
			return nil, err
		}
		if list = append(list, v); size.exceeds(v, list) {
			return size.tooLong(c, ctx)
		}
	}
	return types.JSONDocument{Val: list}, nil
}

func object(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	if len(c.Operands)%2 != 0 {
		return nil, sql.ErrInvalidArgumentNumber.New("JSON_OBJECT", "an even number of", len(c.Operands))
	}
	members := make(map[string]any, len(c.Operands)/2)
	var size growth
	for i := 0; i < len(c.Operands); i += 2 {
		name, err := c.Argument(i, ctx, row)
		if err != nil {
			return nil, err
		}
		if name == nil {
			return nil, errNullName
		}
		text, err := coercion.Text(ctx, name, c.OperandType(i))
		if err != nil {
			return nil, err
		}
		if members[text], err = element(c, i+1, ctx, row); err != nil {
			return nil, err
		}
		if size.exceeds([]any{text, members[text]}, members) {
			return size.tooLong(c, ctx)
		}
	}
	return types.JSONDocument{Val: members}, nil
}

// A growth counts the bytes of a document that grows, so that none is collected beyond max_allowed_packet.
type growth struct{ most, size int64 }

// exceeds counts a new part. It measures the whole only if the parts together are too long: a part may have replaced another one.
func (g *growth) exceeds(part, whole any) bool {
	g.most = values.MaxPacket()
	if g.size += values.SizeOf(types.JSONDocument{Val: part}, g.most); g.size > g.most {
		g.size = values.SizeOf(types.JSONDocument{Val: whole}, g.most)
	}
	return g.size > g.most
}

func (g *growth) tooLong(c *builtin.Call, ctx *sql.Context) (any, error) {
	return values.TooLong(ctx, c.Name, g.most)
}

// A change changes a document at a path.
type change func(p path, doc, value any) (any, error)

func setting(p path, doc, value any) (any, error)   { return p.change(doc, value, true, true), nil }
func inserting(p path, doc, value any) (any, error) { return p.change(doc, value, false, true), nil }
func replacing(p path, doc, value any) (any, error) { return p.change(doc, value, true, false), nil }

func appending(p path, doc, value any) (any, error) {
	made, _ := p.edit(doc, func(v any) (any, bool) { return appended(v, value), true })
	return made, nil
}

func insertingCell(p path, doc, value any) (any, error) {
	if len(p) == 0 || p[len(p)-1].kind != cell {
		return nil, sqlerror.New(noCellPath, "A path expression is not a path to a cell in an array.")
	}
	made, _ := p[:len(p)-1].edit(doc, func(v any) (any, bool) {
		elements, ok := v.([]any)
		if ok {
			v = inserted(elements, p[len(p)-1].first, value)
		}
		return v, ok
	})
	return made, nil
}

// changing makes an SQL function of a document and alternating paths and values. It is NULL if the document or a path is NULL.
func changing(do change) func(*builtin.Call, *sql.Context, sql.Row) (any, error) {
	return func(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
		if len(c.Operands)%2 != 1 {
			return nil, sql.ErrInvalidArgumentNumber.New(c.Name, "an odd number of", len(c.Operands))
		}
		doc, err := c.Argument(0, ctx, row)
		if doc == nil || err != nil {
			return nil, err
		}
		if doc, err = documentOf(c, 0, doc); err != nil {
			return nil, err
		}
		var size growth
		for i := 1; i < len(c.Operands); i += 2 {
			text, err := c.Argument(i, ctx, row)
			if text == nil || err != nil {
				return nil, err
			}
			p, err := onePathOf(c, ctx, i, text)
			if err != nil {
				return nil, err
			}
			v, err := element(c, i+1, ctx, row)
			if err != nil {
				return nil, err
			}
			if doc, err = do(p, doc, v); err != nil {
				return nil, err
			}
			if size.exceeds(v, doc) {
				return size.tooLong(c, ctx)
			}
		}
		return checked(doc)
	}
}

// checked refuses documents that a function has made too deep.
func checked(doc any) (any, error) {
	if depth(doc, 0) > deepest {
		return nil, errTooDeep
	}
	return types.JSONDocument{Val: doc}, nil
}

func remove(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	doc, err := documentOf(c, 0, v[0])
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(v); i++ {
		p, err := onePathOf(c, ctx, i, v[i])
		if err != nil {
			return nil, err
		}
		if len(p) == 0 {
			return nil, sqlerror.New(vacuousPath, "The path expression '$' is not allowed in this context.")
		}
		doc = p.remove(doc)
	}
	return types.JSONDocument{Val: doc}, nil
}

// mergePreserve is JSON_MERGE_PRESERVE. It evaluates no argument behind a NULL.
func mergePreserve(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	var doc any
	var size growth
	for i := range c.Operands {
		v, err := c.Argument(i, ctx, row)
		if v == nil || err != nil {
			return nil, err
		}
		other, err := documentOf(c, i, v)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			doc = other
		} else {
			doc = merged(doc, other)
		}
		if size.exceeds(other, doc) {
			return size.tooLong(c, ctx)
		}
	}
	return checked(doc)
}

// mergePatch is JSON_MERGE_PATCH. A NULL makes the result unknown until a patch follows that is no object and replaces it.
func mergePatch(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	var doc any
	var size growth
	known := true
	for i := range c.Operands {
		v, err := c.Argument(i, ctx, row)
		if err != nil {
			return nil, err
		}
		if v == nil {
			known = false
			continue
		}
		patch, err := documentOf(c, i, v)
		if err != nil {
			return nil, err
		}
		if _, isObject := patch.(map[string]any); i == 0 || !isObject {
			doc, known = patch, true
		} else if known {
			doc = patched(doc, patch)
		}
		if size.exceeds(patch, doc) {
			return size.tooLong(c, ctx)
		}
	}
	if !known {
		return nil, nil
	}
	return checked(doc)
}

// patched applies a patch by RFC 7396: JSON_MERGE_PATCH of two documents.
func patched(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	own, _ := target.(map[string]any)
	made := make(map[string]any, len(own)+len(changes))
	maps.Copy(made, own)
	for name, v := range changes {
		if v == nil {
			delete(made, name)
		} else {
			made[name] = patched(made[name], v)
		}
	}
	return made
}

// merged is JSON_MERGE_PRESERVE of two documents.
func merged(a, b any) any {
	own, isObject := a.(map[string]any)
	others, areObjects := b.(map[string]any)
	if !isObject || !areObjects {
		return append(list(a), list(b)...)
	}
	made := maps.Clone(own)
	for name, v := range others {
		if has, ok := made[name]; ok {
			v = merged(has, v)
		}
		made[name] = v
	}
	return made
}

// list copies an array, or wraps any other value in one.
func list(v any) []any {
	if elements, ok := v.([]any); ok {
		return append([]any(nil), elements...)
	}
	return []any{v}
}
