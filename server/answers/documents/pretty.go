package documents

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/values"
)

// pretty is JSON_PRETTY: one line per element and member, in MySQL's order, indented by two spaces per level.
func pretty(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	doc, err := documentOf(c, 0, v[0])
	if err != nil {
		return nil, err
	}
	lines := &lines{most: int(values.MaxPacket())}
	if err := lines.write(doc, "\n"); err != nil {
		return nil, err
	}
	if lines.Len() > lines.most {
		return values.TooLong(ctx, c.Name, int64(lines.most))
	}
	return lines.String(), nil
}

// lines are a document's text, up to most bytes and a value more.
type lines struct {
	strings.Builder
	most int
}

// write writes a value. line is the line break and indentation of its level.
func (l *lines) write(v any, line string) error {
	switch v := v.(type) {
	case []any:
		return l.list("[]", len(v), line, func(i int) (string, any) { return "", v[i] })
	case map[string]any:
		ordered := names(v)
		return l.list("{}", len(v), line, func(i int) (string, any) { return ordered[i], v[ordered[i]] })
	}
	return l.scalar(v)
}

// list writes elements, or members, which have names, within brackets.
func (l *lines) list(brackets string, count int, line string, at func(int) (name string, v any)) error {
	if count == 0 {
		l.WriteString(brackets)
		return nil
	}
	l.WriteString(brackets[:1])
	for i := 0; i < count && l.Len() <= l.most; i++ {
		if i > 0 {
			l.WriteString(",")
		}
		l.WriteString(line + "  ")
		name, v := at(i)
		if brackets == "{}" {
			if err := l.scalar(name); err != nil {
				return err
			}
			l.WriteString(": ")
		}
		if err := l.write(v, line+"  "); err != nil {
			return err
		}
	}
	l.WriteString(line + brackets[1:])
	return nil
}

func (l *lines) scalar(v any) error {
	text, err := types.JSONDocument{Val: v}.JSONString()
	l.WriteString(text)
	return err
}
