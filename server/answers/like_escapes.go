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
// underscore; the engine's parser drops the backslash, so LIKE would match any
// character. It is idempotent.
//
// Texts without these pairs cost two searches.
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

// lowerPreparedName converts the names of PREPARE to lower case, since they are case-insensitive, and reads a text in a variable that holds bytes.
func lowerPreparedName(t parsed) error {
	switch statement := t.Statement.(type) {
	case *sqlparser.Prepare:
		statement.Name = strings.ToLower(statement.Name)
		name, variable := strings.CutPrefix(statement.Expr, "@")
		if ctx, ok := t.ctx.(*sql.Context); ok && variable {
			if _, value, err := ctx.GetUserVariable(ctx, name); err == nil {
				if text, ok := value.([]byte); ok {
					statement.Expr = string(text)
				}
			}
		}
	case *sqlparser.Execute:
		statement.Name = strings.ToLower(statement.Name)
	case *sqlparser.Deallocate:
		statement.Name = strings.ToLower(statement.Name)
	}
	return nil
}

// behindText is the offset after the string, quoted name or comment that begins at i; i itself if none does.
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
		for ; end < len(query) && query[end] != rest[0]; end++ { // '' counts as the end of one string and the beginning of another
			if query[end] == '\\' {
				end++
			}
		}
		return min(end+1, len(query))
	case rest[0] == '`':
		return behind("`", i+1)
	case strings.HasPrefix(rest, "/*!"): // its content is executed
		return i + 3
	case strings.HasPrefix(rest, "/*"):
		return behind("*/", i+2)
	case rest[0] == '#' || strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '):
		return behind("\n", i+1)
	}
	return i
}

// explicitEscapes adds ESCAPE to a LIKE that the engine would misread without it: it
// takes a pattern without wildcards for an equal value, including the escape character,
// and x% for the range from x to x followed by the highest byte, which is wrong in most
// collations.
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

// wholePattern is the pattern of LIKE with a final escape doubled, so that it means itself: the engine would fail. whole: the
// pattern is unchanged.
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

// endedPattern doubles the last escape of a pattern that ends with an odd number of them.
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

// endingPattern is endedPattern of a computed pattern.
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

// ended returns a pattern whose final escape means itself. If the escape is a wildcard, it is replaced by backslashes.
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

// isMisread reports whether the engine may misread a LIKE; any pattern that is not a
// literal may be.
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

// separateDashes rewrites a--b as a - - b: in MySQL two dashes begin a comment only before a
// space, in the engine's parser everywhere, so that it would drop the rest.
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
