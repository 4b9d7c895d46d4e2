package server

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// keepLikeEscapes writes \_ and \% in the strings of a statement as \\_ and \\%. In
// MySQL both mean a backslash and the character, so that LIKE 'a\_b' finds an
// underscore; the engine's parser drops the backslash, and LIKE would find any
// character. What it returns stays the same when it is done again.
//
// Texts without these pairs cost one search.
func keepLikeEscapes(query string) string {
	if !strings.Contains(query, `\_`) && !strings.Contains(query, `\%`) {
		return query
	}
	var out strings.Builder
	copied := 0
	for i := 0; i < len(query); {
		switch rest := query[i:]; {
		case rest[0] == '\'' || rest[0] == '"':
			end := i + 1
			for end < len(query) && query[end] != rest[0] { // '' is a string and another one
				if query[end] == '\\' && end+1 < len(query) {
					if next := query[end+1]; next == '_' || next == '%' {
						out.WriteString(query[copied:end])
						out.WriteByte('\\')
						copied = end
					}
					end++
				}
				end++
			}
			i = end + 1
		case rest[0] == '`':
			i = after(query, i+1, "`")
		case strings.HasPrefix(rest, "/*!"): // what is in it is executed
			i += 3
		case strings.HasPrefix(rest, "/*"):
			i = after(query, i+2, "*/")
		case rest[0] == '#' || strings.HasPrefix(rest, "-- ") || strings.HasPrefix(rest, "--\t") || strings.HasPrefix(rest, "--\n"):
			i = after(query, i+1, "\n")
		default:
			i++
		}
	}
	if copied == 0 {
		return query
	}
	out.WriteString(query[copied:])
	return out.String()
}

// after is the place behind the next end in text from a place on, or the text's end.
func after(text string, from int, end string) int {
	if i := strings.Index(text[min(from, len(text)):], end); i >= 0 {
		return from + i + len(end)
	}
	return len(text)
}

// explicitEscapes gives LIKE its escape character, where a pattern has it: the
// engine takes a pattern without wildcards for a value to be equal to, and compares
// with the escape character in it, unless there is an ESCAPE.
func explicitEscapes(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeExprsWithOpaque(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		switch e := e.(type) {
		case *expression.Like:
			pattern, ok := e.RightChild.(*expression.Literal)
			if !ok || e.Escape != nil {
				return e, transform.SameTree, nil
			}
			if text, ok := pattern.Value().(string); ok && strings.Contains(text, `\`) {
				return expression.NewLike(e.LeftChild, pattern, expression.NewLiteral(`\`, types.LongText)), transform.NewTree, nil
			}
		case *plan.Subquery:
			query, same, err := explicitEscapes(e.Query)
			if err != nil || same {
				return e, transform.SameTree, err
			}
			return e.WithQuery(query), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
}
