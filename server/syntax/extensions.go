package syntax

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/answers/percentile"
	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/server/gate"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// The engine's grammar lacks clauses of MySQL and MariaDB. The parser replaces them by
// internal function calls:
//
//	GROUP BY a, b WITH ROLLUP                       GROUP BY a, b , __anon_rollup()
//	MEDIAN(x) OVER w                                MAX(__anon_median(x)) OVER w
//	PERCENTILE_CONT(p) WITHIN GROUP (ORDER BY x)    MAX(__anon_percentile_cont(p , x))
//
// MAX is an aggregate that takes OVER, and recognises its argument (package percentile).
// Tokens are rewritten one by one, so that comments stay comments. The tree keeps the
// original text: names of columns, bodies of views and routines, and the text after a
// statement come from there.

// maxExtensions bounds the number of these clauses in a statement.
const maxExtensions = 4096

// An extended text has a text as written, and as rewritten for the grammar.
type extended struct {
	text, grammar string
	edits         []edit // in the order of the text
}

// An edit replaces text[from:to] by with, which begins at byte at of the grammar's text.
type edit struct {
	from, to int
	with     string
	at       int
}

// read rewrites a text for the grammar, and refuses it if it is too deep for the
// engine, or for ourselves. With first, only its first statement will be parsed.
func read(text string, ansi, first bool, limits gate.Limits) (*extended, *mysql.SQLError) {
	reading, refused := gate.Read(text, ansi, first, limits)
	if refused != nil {
		return nil, refusedText(refused)
	}
	x := &extended{text: text, grammar: text}
	if !reading.Extended {
		return x, nil
	}
	if !x.extend(reading.End, ansi) {
		return nil, sqlerror.New(sqlerror.Syntax, fmt.Sprintf("the statement has more than %d WITH ROLLUP, MEDIAN and PERCENTILE clauses: "+
			"keep results of parts in a table", maxExtensions))
	}
	if _, refused = gate.Read(x.grammar, ansi, first, limits); refused != nil {
		return nil, refusedText(refused)
	}
	return x, nil
}

// AsGrammar rewrites the text of one statement for the grammar. It refuses what the parser
// would, before recursive code sees it.
func AsGrammar(text string, ansi bool) (string, *mysql.SQLError) {
	x, refused := read(text, ansi, false, TextLimits())
	if refused != nil {
		return "", refused
	}
	return x.grammar, nil
}

// extend rewrites the part before end of a text that has passed the gate, in linear
// time. It returns false if there are too many clauses.
func (x *extended) extend(end int, ansi bool) bool {
	finder := &extender{text: x.text, open: make([]parentheses, 1)}
	for token := range gate.Tokens(x.text[:end], ansi) {
		if finder.read(token); finder.found > maxExtensions {
			return false
		}
	}
	x.edits = finder.edits
	slices.SortFunc(x.edits, func(a, b edit) int { return a.from - b.from })
	var grammar strings.Builder
	copied := 0
	for i := range x.edits {
		e := &x.edits[i]
		grammar.WriteString(x.text[copied:e.from])
		e.at = grammar.Len()
		grammar.WriteString(e.with)
		copied = e.to
	}
	grammar.WriteString(x.text[copied:])
	x.grammar = grammar.String()
	return true
}

// place maps an offset in the grammar's text to one in the original; an offset in a
// replacement maps to the beginning of what it replaces.
func (x *extended) place(at int) int {
	n := sort.Search(len(x.edits), func(i int) bool { return x.edits[i].at >= at }) // the number of edits before it
	if n == 0 {
		return at
	}
	last := x.edits[n-1]
	if at < last.at+len(last.with) {
		return last.from
	}
	return last.to + at - last.at - len(last.with)
}

// edited reports whether text[from:to] was rewritten.
func (x *extended) edited(from, to int) bool {
	n := sort.Search(len(x.edits), func(i int) bool { return x.edits[i].from >= from })
	return n < len(x.edits) && x.edits[n].from < to
}

// restore gives a tree the offsets and texts of the original.
func (x *extended) restore(statement sqlparser.Statement) {
	captureCreated(statement, x.grammar)
	if len(x.edits) == 0 || statement == nil {
		return
	}
	if ddl, ok := statement.(*sqlparser.DDL); ok {
		ddl.SubStatementPositionStart, ddl.SubStatementPositionEnd = x.place(ddl.SubStatementPositionStart), x.place(ddl.SubStatementPositionEnd)
	}
	trees.Walk(statement, func(node any) {
		column, ok := node.(*sqlparser.AliasedExpr)
		if !ok || column.InputExpression == "" {
			return
		}
		from, to := x.place(column.StartParsePos), x.place(column.EndParsePos)
		if x.edited(from, to) {
			column.InputExpression = strings.Trim(x.text[from:to], " \n\t")
		}
	})
}

// captureCreated names the columns of CREATE TABLE ... SELECT by their texts. The grammar does so only in other statements, and the
// engine would name a column by its plan, which may be no identifier.
func captureCreated(statement sqlparser.Statement, text string) {
	ddl, ok := statement.(*sqlparser.DDL)
	if !ok || ddl.OptSelect == nil {
		return
	}
	trees.Walk(ddl.OptSelect.Select, func(node any) {
		column, ok := node.(*sqlparser.AliasedExpr)
		if !ok || column.EndParsePos <= column.StartParsePos {
			return
		}
		if _, isName := column.Expr.(*sqlparser.ColName); !isName {
			column.InputExpression = unquoted(strings.Trim(text[column.StartParsePos:column.EndParsePos], " \n\t"))
		}
	})
}

// unquoted removes the quotes around a text that is one string.
func unquoted(s string) string {
	if n := len(s); n > 1 && s[0] == s[n-1] && strings.IndexByte("'\"", s[0]) >= 0 && strings.Count(s, s[:1]) == 2 {
		return s[1 : n-1]
	}
	return s
}

// restored maps the first statement and the remainder of the grammar's text to the
// original.
func (x *extended) restored(parsed, remainder string, delimiter rune) (string, string) {
	if len(x.edits) == 0 {
		return parsed, remainder
	}
	end := x.place(len(x.grammar) - len(remainder))
	return sql.RemoveSpaceAndDelimiter(x.text[:end], delimiter), x.text[end:]
}

// An extender finds the clauses.
type extender struct {
	text  string
	edits []edit
	found int
	open  []parentheses // innermost last; the first is the statement
	// last is the previous token, before its text in lower case if it is a word.
	last   gate.Token
	before string
	// closed is a call of a percentile whose arguments have ended, nil for none; followed
	// is how many of its followers were read.
	closed   *call
	followed int
}

// parentheses are an open pair.
type parentheses struct {
	keys              bool  // in a list of GROUP BY
	arguments, within *call // the call whose arguments, or WITHIN GROUP, they enclose; nil for none
	several           bool  // there is a comma
}

// A call of MEDIAN or a percentile.
type call struct {
	name, end gate.Token
	// rest are the tokens before the key of WITHIN GROUP.
	rest []gate.Token
}

// followers are the tokens after the arguments of a call that the grammar lacks; it
// reads MEDIAN without OVER.
var followers = map[string][]string{
	"median":          {"over"},
	"percentile_cont": {"within", "group", "(", "order", "by"},
	"percentile_disc": {"within", "group", "(", "order", "by"},
}

// endsKeys are the words, besides WITH, that end a list of GROUP BY.
var endsKeys = map[string]bool{"select": true, "having": true, "order": true, "limit": true, "window": true, "union": true, "intersect": true,
	"except": true, "into": true, "for": true, "lock": true}

func (x *extender) read(token gate.Token) {
	word := ""
	switch token.Kind {
	case gate.Word:
		if x.last.Kind != gate.Dot {
			word = strings.ToLower(x.textOf(token))
		}
	case gate.Open:
		word = "("
	}
	follows := x.follow(token, word)
	top := &x.open[len(x.open)-1]
	switch token.Kind {
	case gate.Open:
		x.push(follows)
	case gate.Close:
		x.pop(token)
	case gate.Comma:
		top.several = true
	case gate.Semicolon:
		top.keys = false
	case gate.Word:
		x.word(top, token, word)
	}
	x.last, x.before = token, word
}

func (x *extender) textOf(token gate.Token) string { return x.text[token.From:token.To] }

func (x *extender) put(token gate.Token, with string) {
	x.edits = append(x.edits, edit{from: token.From, to: token.To, with: with})
}

// follow matches the tokens that must follow a call, and returns the call if the token is the next of them.
func (x *extender) follow(token gate.Token, word string) *call {
	of := x.closed
	if of == nil {
		return nil
	}
	name := strings.ToLower(x.textOf(of.name))
	if want := followers[name]; word == "" || word != want[x.followed] {
		x.closed = nil
		return nil
	}
	x.followed++
	switch {
	case name == percentile.Median:
		x.call(of)
		x.put(of.end, "))")
		x.closed = nil
	case x.followed == len(followers[name]):
		x.closed = nil
		fallthrough
	default:
		of.rest = append(of.rest, token)
	}
	return of
}

// call writes the beginning of a call.
func (x *extender) call(of *call) {
	x.found++
	x.put(of.name, "MAX("+percentile.Marker(strings.ToLower(x.textOf(of.name))))
}

func (x *extender) push(within *call) {
	p := parentheses{within: within}
	if followers[x.before] != nil {
		p.arguments = &call{name: x.last}
	}
	x.open = append(x.open, p)
}

func (x *extender) pop(token gate.Token) {
	p := x.open[len(x.open)-1]
	if len(x.open) > 1 {
		x.open = x.open[:len(x.open)-1]
	}
	if p.arguments != nil {
		p.arguments.end = token
		x.closed, x.followed = p.arguments, 0
	}
	of := p.within
	if of == nil || len(of.rest) < len(followers[percentile.Continuous]) || p.several {
		return
	}
	x.call(of)
	x.put(of.end, ",")
	for _, t := range of.rest {
		x.put(t, "")
	}
	switch x.before {
	case "asc":
		x.put(x.last, "")
	case "desc":
		x.put(x.last, ", '"+percentile.Descending+"'")
	}
	x.put(token, "))")
}

// word reads a word, which may be the end of GROUP BY or of WITH ROLLUP.
func (x *extender) word(top *parentheses, token gate.Token, word string) {
	switch {
	case x.before == "group" && word == "by":
		top.keys = true
	case x.before == "with" && word == "rollup" && top.keys:
		top.keys = false
		x.found++
		x.put(x.last, ",")
		x.put(token, planner.RollupMarker+"()")
	case endsKeys[word]:
		top.keys = false
	}
}
