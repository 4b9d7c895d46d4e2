package answers

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/tree"
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
	for i, end := 0, 0; i < len(query); i = max(end, i+1) {
		end = behindText(query, i)
		if query[i] != '\'' && query[i] != '"' {
			continue
		}
		for at := i + 1; at+1 < end; at++ {
			if query[at] != '\\' {
				continue
			}
			if next := query[at+1]; next == '_' || next == '%' {
				out.WriteString(query[copied:at])
				out.WriteByte('\\')
				copied = at
			}
			at++
		}
	}
	if copied == 0 {
		return query
	}
	out.WriteString(query[copied:])
	return out.String()
}

// lowerPreparedName has the names of PREPARE in lower case: they have no case.
func lowerPreparedName(t parsed) error {
	switch statement := t.Statement.(type) {
	case *sqlparser.Prepare:
		statement.Name = strings.ToLower(statement.Name)
	case *sqlparser.Execute:
		statement.Name = strings.ToLower(statement.Name)
	case *sqlparser.Deallocate:
		statement.Name = strings.ToLower(statement.Name)
	}
	return nil
}

// behindText is the place behind the string, the quoted name or the comment that begins at a place, which is returned where none does.
func behindText(query string, i int) int {
	behind := func(end string, from int) int {
		if at := strings.Index(query[min(from, len(query)):], end); at >= 0 {
			return from + at + len(end)
		}
		return len(query)
	}
	switch rest := query[i:]; {
	case rest[0] == '\'' || rest[0] == '"':
		end := i + 1
		for ; end < len(query) && query[end] != rest[0]; end++ { // '' is a string and another one
			if query[end] == '\\' {
				end++
			}
		}
		return min(end+1, len(query))
	case rest[0] == '`':
		return behind("`", i+1)
	case strings.HasPrefix(rest, "/*!"): // what is in it is executed
		return i + 3
	case strings.HasPrefix(rest, "/*"):
		return behind("*/", i+2)
	case rest[0] == '#' || strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '):
		return behind("\n", i+1)
	}
	return i
}

// explicitEscapes gives LIKE its escape character where the engine would get it
// wrong without an ESCAPE: it takes a pattern without wildcards for a value to be
// equal to, with the escape character in it, and x% for the range from x to the
// highest byte behind x, which in most collations is no letter's place.
func explicitEscapes(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeExprsWithOpaque(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		switch e := e.(type) {
		case *expression.Like:
			if given, ok := e.Escape.(*expression.Literal); ok && (given.Value() == "_" || given.Value() == "%") { // the wildcard, to the engine
				pattern := &endingPattern{tree.NewStandin(e.RightChild), given.Value().(string)}
				return expression.NewLike(e.LeftChild, pattern, expression.NewLiteral(`\`, types.LongText)), transform.NewTree, nil
			}
			pattern, whole := wholePattern(e)
			if e.Escape == nil && isMisread(ctx, e) {
				return expression.NewLike(e.LeftChild, pattern, expression.NewLiteral(`\`, types.LongText)), transform.NewTree, nil
			}
			if !whole {
				return expression.NewLike(e.LeftChild, pattern, e.Escape), transform.NewTree, nil
			}
		case *plan.Subquery:
			query, same, err := explicitEscapes(ctx, e.Query)
			if err != nil || same {
				return e, transform.SameTree, err
			}
			return e.WithQuery(query), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
}

// wholePattern is the pattern of LIKE, in which an escape at the end means itself: the engine has an error for it. whole is that the
// pattern is as it was.
func wholePattern(like *expression.Like) (pattern sql.Expression, whole bool) {
	escape := `\`
	if given, ok := like.Escape.(*expression.Literal); ok {
		escape, _ = given.Value().(string)
	} else if like.Escape != nil {
		return like.RightChild, true
	}
	if literal, ok := like.RightChild.(*expression.Literal); ok {
		text, ok := literal.Value().(string)
		ended := endedPattern(text, escape)
		if !ok || ended == text {
			return literal, true
		}
		return expression.NewLiteral(ended, literal.Type()), false
	}
	if _, done := like.RightChild.(*endingPattern); done || escape == "" {
		return like.RightChild, true
	}
	return &endingPattern{tree.NewStandin(like.RightChild), escape}, false
}

// endedPattern is a pattern whose last escape, of an odd number at its end, is doubled.
func endedPattern(pattern, escape string) string {
	if escape == "" || !strings.HasSuffix(pattern, escape) {
		return pattern
	}
	escapes := 0
	for rest := pattern; strings.HasSuffix(rest, escape); rest = strings.TrimSuffix(rest, escape) {
		escapes++
	}
	if escapes%2 == 0 {
		return pattern
	}
	return pattern + escape
}

// endingPattern is a pattern that is computed.
type endingPattern struct {
	tree.Standin
	escape string
}

func (p *endingPattern) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := p.Child.Eval(ctx, row)
	if text, ok := value.(string); ok && err == nil {
		return p.ended(text), nil
	}
	return value, err
}

func (p *endingPattern) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(p, children)
}

// ended is a pattern whose last escape means itself. One whose escape is a wildcard has backslashes instead.
func (p *endingPattern) ended(pattern string) string {
	if p.escape != "_" && p.escape != "%" {
		return endedPattern(pattern, p.escape)
	}
	escape := rune(p.escape[0])
	var out strings.Builder
	escaped := false
	for _, r := range pattern {
		switch {
		case r == escape && !escaped:
			escaped = true
			continue
		case escaped || r == '\\':
			out.WriteByte('\\')
		}
		out.WriteRune(r)
		escaped = false
	}
	if escaped {
		out.WriteByte('\\')
		out.WriteRune(escape)
	}
	return out.String()
}

// isMisread reports whether the engine may get LIKE wrong. Other patterns than
// literals may become one.
func isMisread(ctx *sql.Context, like *expression.Like) bool {
	literal, ok := like.RightChild.(*expression.Literal)
	if !ok {
		return true
	}
	pattern, ok := literal.Value().(string)
	return ok && (strings.Contains(pattern, `\`) || strings.Contains(pattern, "%") && !bytewise(ctx, like.LeftChild))
}

// bytewise reports whether an expression is compared byte by byte.
func bytewise(ctx *sql.Context, e sql.Expression) bool {
	if !e.Resolved() {
		return false
	}
	collation, _ := sql.GetCoercibility(ctx, e)
	return !planner.IgnoresCase(collation)
}

// separateDashes writes a - - b for a--b: in MySQL two dashes begin a comment before a space only,
// and to the engine's parser everywhere, so that a difference would lose what follows.
func separateDashes(query string) string {
	if !strings.Contains(query, "--") {
		return query
	}
	var out strings.Builder
	copied := 0
	for i := 0; i < len(query); {
		switch end := behindText(query, i); {
		case end > i:
			i = end
		case strings.HasPrefix(query[i:], "--"):
			out.WriteString(query[copied:i] + "- ")
			i++
			copied = i
		default:
			i++
		}
	}
	return out.String() + query[min(copied, len(query)):]
}
