package syntax

import (
	"context"
	"maps"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/server/accounts/given"
	"github.com/anonsql/anonsql/server/answers"
	"github.com/anonsql/anonsql/server/answers/own"
	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/server/dialect"
	"github.com/anonsql/anonsql/server/loaddata"
	"github.com/anonsql/anonsql/server/operators"
	"github.com/anonsql/anonsql/server/routines"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// A parser is the engine's MySQL parser behind a gate (bounds.go, planned.go). It rewrites
// the tree (package answers), and changes the privileges that the engine will check:
//
//   - KILL, SHOW PROCESSLIST and SHOW GRANTS for the own account need none: server/accounts/guard.go
//     checks whose statement is killed, server/processes.go shows an account its own;
//   - LOAD DATA LOCAL needs INSERT on the table, not FILE, since the file is
//     the client's, and CREATE and DROP DATABASE need the privilege on that
//     database, not on all;
//   - ALTER USER without a password and SET PASSWORD are refused, the former in the body
//     of a routine when it runs (account_syntax.go);
//   - a plain-text password is kept for the password rule (server/accounts/given).
//
// The grammar itself is not extended: to count parameters, the protocol layer parses
// prepared statements without this parser. So unsupported texts are rewritten (package
// dialect), those prepared by the protocol in their packet (server/wire); then
// unsupported clauses (extensions.go).
type parser struct {
	mysql *sql.MysqlParser
	// names are the names for which trees are rewritten. Servers of a process share the
	// parser, so names are only added.
	names atomic.Pointer[own.Names]
	mu    sync.Mutex
}

var _ sql.Parser = (*parser)(nil)

// ProcessParser is the only parser of the process: the engine parses procedure bodies
// and views with sql.GlobalParser.
var ProcessParser = newParser()

func newParser() *parser {
	p := &parser{mysql: sql.NewMysqlParser()}
	p.names.Store(new(own.Names))
	return p
}

// Add adds a server's names, in lower case.
func (p *parser) Add(names own.Names) {
	p.mu.Lock()
	defer p.mu.Unlock()
	grown := own.Names{TableFunctions: map[string]bool{}, Tasks: map[string]string{}}
	for _, some := range []own.Names{*p.names.Load(), names} {
		maps.Copy(grown.TableFunctions, some.TableFunctions)
		maps.Copy(grown.Tasks, some.Tasks)
	}
	p.names.Store(&grown)
}

// ParseSimple implements sql.Parser. The engine passes it expressions that it has
// printed itself, with parentheses around every operator.
func (p *parser) ParseSimple(query string) (_ sqlparser.Statement, err error) {
	limits := TextLimits()
	limits.Nesting *= 3
	text, refused := read(query, false, false, limits)
	if refused != nil {
		return nil, refused
	}
	defer Unreadable(&err)
	statement, err := p.mysql.ParseSimple(text.grammar)
	if err != nil {
		return nil, WayOut(query, err)
	}
	return p.adapt(context.Background(), query, false, statement)
}

// Unreadable turns a panic of the grammar into an error. The grammar panics over texts
// in which a quote follows a word without a space, and over empty comments of the form
// /*!40000*/. It recovers some of its panics itself.
func Unreadable(err *error) {
	if recover() != nil || *err != nil && sqlerror.EnginePanicked(*err) {
		*err = sqlerror.New(
			sqlerror.Syntax,
			"You have an error in your SQL syntax: the statement cannot be read; put a space between a word and a quote that follows it, and leave out empty /*! */",
		)
	}
}

var percentiles = regexp.MustCompile(`(?i)\bPERCENTILE_(CONT|DISC)\b`)

// WayOut adds what to write instead to the error of a statement that uses unsupported
// syntax.
func WayOut(query string, err error) error {
	if percentiles.MatchString(query) {
		return sqlerror.New(
			sqlerror.Syntax,
			err.Error()+"; a percentile is PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x), with one x, and may have OVER (PARTITION BY y)",
		)
	}
	if other := wayAround(query); other != nil {
		return other
	}
	if instead := spokenElsewhere(query); instead != "" {
		return sqlerror.New(sqlerror.Syntax, err.Error()+"; "+instead)
	}
	return err
}

func (p *parser) Parse(ctx *sql.Context, query string, multi bool) (sqlparser.Statement, string, string, error) {
	return p.ParseWithOptions(ctx, query, ';', multi, sql.LoadSqlMode(ctx).ParserOptions())
}

// ParseWithOptions implements sql.Parser. With the error of a routine it also returns a
// tree (routines.Unreadable), since the engine ignores errors of stored routines.
func (p *parser) ParseWithOptions(
	ctx context.Context,
	query string,
	delimiter rune,
	multi bool,
	options sqlparser.ParserOptions,
) (sqlparser.Statement, string, string, error) {
	statement, parsed, remainder, err := p.parse(ctx, query, delimiter, multi, options)
	if err != nil && !multi { // only a client's text may have several statements
		statement = routines.Unreadable(query, err)
	}
	return statement, parsed, remainder, err
}

func (p *parser) parse(
	ctx context.Context,
	query string,
	delimiter rune,
	multi bool,
	options sqlparser.ParserOptions,
) (_ sqlparser.Statement, _, _ string, err error) {
	database, stored := raw.TakeView(ctx, query)
	if !multi { // a client's text was rewritten before, one of PREPARE was not
		query = answers.Text(query)
	}
	query = dialect.Rewrite(query, options.AnsiQuotes, multi)
	if st := running.StatementOf(ctx); st != nil && strings.Contains(query, dialect.JSONMark) {
		st.InJSON.Store(true)
	}
	text, err := mayParse(ctx, query, sql.RemoveSpaceAndDelimiter(query, delimiter), multi, options)
	if err != nil {
		return nil, query, "", running.StatementOf(ctx).Unparsed(query, err)
	}
	defer func() { err = running.StatementOf(ctx).Unparsed(query, err) }()
	defer Unreadable(&err)
	statement, parsed, remainder, err := p.mysql.ParseWithOptions(ctx, text.grammar, delimiter, multi, options)
	parsed, remainder = text.restored(parsed, remainder, delimiter)
	if err != nil {
		return nil, parsed, remainder, WayOut(query, err)
	}
	if err := running.Ended(ctx); err != nil {
		return nil, parsed, remainder, err
	}
	if ddl, ok := statement.(*sqlparser.DDL); ok && ddl.ViewSpec != nil {
		if err := running.StatementOf(ctx).Expands(); err != nil {
			return nil, parsed, remainder, err
		}
	}
	text.restore(statement)
	statement, err = p.adapt(ctx, parsed, options.AnsiQuotes, statement)
	if ddl, ok := statement.(*sqlparser.DDL); ok && stored && ddl.ViewSpec != nil && err == nil {
		readView(ddl, database)
	}
	return statement, parsed, remainder, err
}

func (p *parser) ParseOneWithOptions(ctx context.Context, query string, options sqlparser.ParserOptions) (_ sqlparser.Statement, _ int, err error) {
	query = dialect.Rewrite(answers.Text(query), options.AnsiQuotes, true)
	text, err := mayParse(ctx, query, query, true, options)
	if err != nil {
		return nil, 0, err
	}
	defer Unreadable(&err)
	statement, next, err := p.mysql.ParseOneWithOptions(ctx, text.grammar, options)
	next = text.place(next)
	if err != nil {
		return nil, next, WayOut(query, err)
	}
	if err := running.Ended(ctx); err != nil {
		return nil, next, err
	}
	text.restore(statement)
	statement, err = p.adapt(ctx, query, options.AnsiQuotes, statement)
	return statement, next, err
}

// mayParse checks a text before it is parsed: a client's, or that of PREPARE, a view or
// a routine. A view is parsed for each use of its name, so views over views multiply,
// and a routine for each call. It returns trimmed, the grammar's part of the query,
// rewritten for the grammar.
func mayParse(ctx context.Context, query, trimmed string, first bool, options sqlparser.ParserOptions) (*extended, error) {
	if err := running.Ended(ctx); err != nil {
		return nil, err
	}
	if err := running.StatementOf(ctx).Parses(query); err != nil {
		return nil, err
	}
	text, refused := read(trimmed, options.AnsiQuotes, first, TextLimits())
	if refused != nil {
		return nil, refused
	}
	return text, nil
}

// adapt changes the tree in place, or refuses it. ansi: the text was read with
// ANSI_QUOTES.
func (p *parser) adapt(ctx context.Context, query string, ansi bool, statement sqlparser.Statement) (sqlparser.Statement, error) {
	if statement == nil {
		return nil, nil
	}
	if ddl, ok := statement.(*sqlparser.DDL); ok { // its body may end after the text if the rest is unparsable
		ddl.SubStatementPositionEnd = min(ddl.SubStatementPositionEnd, len(query))
		ddl.SubStatementPositionStart = min(ddl.SubStatementPositionStart, ddl.SubStatementPositionEnd)
	}
	lower := strings.ToLower(query)
	adaptPrivileges(statement, lower)
	if load, ok := statement.(*sqlparser.Load); ok {
		loaddata.MarkOrder(load)
	}
	if err := refuseMisread(query, lower, ansi, statement); err != nil {
		return nil, err
	}
	if ddl, ok := statement.(*sqlparser.DDL); ok && ddl.ProcedureSpec != nil {
		trees.Replace(ddl.ProcedureSpec, routines.Sequence)
	}
	if err := handlers(lower, statement); err != nil {
		return nil, err
	}
	if strings.Contains(lower, "identified") { // also in the body of a routine
		trees.Walk(statement, func(node any) {
			if a, ok := node.(*sqlparser.Authentication); ok {
				given.Keep(a)
			}
		})
	}
	if answers.ContainsAny(lower, "select", "row", "json_table", "update", "delete", "create", "alter", "between", "nullif") ||
		strings.Count(lower, "-") > maxDoublings {
		if err := boundPlanned(statement); err != nil {
			return nil, err
		}
	}
	if strings.Contains(lower, dialect.Any) || strings.Contains(lower, dialect.All) {
		operators.Compare(statement)
	}
	if err := answers.Tree(ctx, statement, lower, *p.names.Load()); err != nil {
		return nil, sqlerror.Numbered(err)
	}
	return statement, nil
}

// handlers prepares the handlers of a routine (routines.Handler).
func handlers(lower string, statement sqlparser.Statement) (err error) {
	if !strings.Contains(lower, "handler") {
		return nil
	}
	trees.Walk(statement, func(node any) {
		if declare, ok := node.(*sqlparser.Declare); ok && declare.Handler != nil && err == nil {
			err = routines.Handler(declare.Handler)
		}
	})
	return err
}
