package server

import (
	"context"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/loaddata"
)

// A parser is the engine's MySQL parser behind a gate (bounds.go, planned.go), with
// these changes to the tree:
//
//   - EXPLAIN without a format is EXPLAIN FORMAT=TREE, since the engine's
//     traditional format prints the string NULL where clients expect numbers;
//   - the arguments of our table functions are rewritten (rewrite.go);
//   - KILL, SHOW PROCESSLIST and SHOW GRANTS for oneself are let through:
//     guard.go knows whose statement is killed, processes.go shows an account
//     its own;
//   - LOAD DATA LOCAL needs INSERT on the table, not FILE, since the file is
//     the client's, and CREATE and DROP DATABASE need the privilege on that
//     database, not on all;
//   - long chains of UNION are balanced or refused (union.go);
//   - casts to SIGNED are kept (signed.go), those to JSON and BINARY(n) bounded;
//   - ALTER USER without a password and SET PASSWORD are refused (account_syntax.go);
//   - REGEXP and RLIKE become calls of REGEXP_LIKE (regexp_operator.go);
//   - what the engine would panic on is refused or rewritten (engine_panics.go).
//
// The grammar itself is not extended: the protocol layer parses prepared
// statements on its own to count their parameters, without this parser.
type parser struct {
	mysql *sql.MysqlParser
	// names are the table functions, in lower case. Servers of one process
	// share the parser; names are only ever added.
	names atomic.Pointer[map[string]bool]
	mu    sync.Mutex
}

var _ sql.Parser = (*parser)(nil)

// processParser is the one parser of the process: the engine reads
// sql.GlobalParser for procedure bodies and views, so there can be only one.
var processParser = newParser()

func newParser() *parser {
	p := &parser{mysql: sql.NewMysqlParser()}
	p.names.Store(&map[string]bool{})
	return p
}

func (p *parser) addTableFunctions(names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	grown := map[string]bool{}
	for name := range *p.names.Load() {
		grown[name] = true
	}
	for _, name := range names {
		grown[strings.ToLower(name)] = true
	}
	p.names.Store(&grown)
}

// ParseSimple implements sql.Parser. The engine gives it expressions that it has
// written out itself, with parentheses around every operator.
func (p *parser) ParseSimple(query string) (_ sqlparser.Statement, err error) {
	limits := textLimits()
	limits.Nesting *= 3
	if err := admitText(query, false, false, limits); err != nil {
		return nil, err
	}
	defer unreadable(&err)
	statement, err := p.mysql.ParseSimple(query)
	if err != nil {
		return nil, wayOut(query, err)
	}
	return p.adapt(query, statement)
}

// unreadable makes an error of a panic of the grammar, which loses its place in
// texts in which a quote follows a word without a space, and in empty comments of
// the form /*!40000*/. It catches some of its panics itself.
func unreadable(err *error) {
	if recover() != nil || *err != nil && strings.Contains((*err).Error(), "handler caught panic") {
		*err = newError(numberSyntax, "You have an error in your SQL syntax: the statement cannot be read; put a space between a word and a quote that follows it, and leave out empty /*! */")
	}
}

var rollup = regexp.MustCompile(`(?i)\bWITH\s+ROLLUP\b`)

// wayOut names what the grammar lacks, where that is why a statement does not
// parse, and says what to write instead.
func wayOut(query string, err error) error {
	if rollup.MatchString(query) {
		return errors.New("WITH ROLLUP is not supported: add the totals by UNION ALL, SELECT a, COUNT(*) FROM t GROUP BY a UNION ALL SELECT NULL, COUNT(*) FROM t")
	}
	if other := wayAround(query); other != nil {
		return other
	}
	return err
}

func (p *parser) Parse(ctx *sql.Context, query string, multi bool) (sqlparser.Statement, string, string, error) {
	return p.ParseWithOptions(ctx, query, ';', multi, sql.LoadSqlMode(ctx).ParserOptions())
}

func (p *parser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool, options sqlparser.ParserOptions) (_ sqlparser.Statement, _, _ string, err error) {
	if err := mayParse(ctx, query, multi, options); err != nil {
		return nil, query, "", statementOf(ctx).unparsed(query, err)
	}
	defer func() { err = statementOf(ctx).unparsed(query, err) }()
	defer unreadable(&err)
	statement, parsed, remainder, err := p.mysql.ParseWithOptions(ctx, query, delimiter, multi, options)
	if err != nil {
		return nil, parsed, remainder, wayOut(query, err)
	}
	if err := ended(ctx); err != nil {
		return nil, parsed, remainder, err
	}
	if ddl, ok := statement.(*sqlparser.DDL); ok && ddl.ViewSpec != nil {
		if err := statementOf(ctx).expands(); err != nil {
			return nil, parsed, remainder, err
		}
	}
	statement, err = p.adapt(parsed, statement)
	return statement, parsed, remainder, err
}

func (p *parser) ParseOneWithOptions(ctx context.Context, query string, options sqlparser.ParserOptions) (_ sqlparser.Statement, _ int, err error) {
	if err := mayParse(ctx, query, true, options); err != nil {
		return nil, 0, err
	}
	defer unreadable(&err)
	statement, next, err := p.mysql.ParseOneWithOptions(ctx, query, options)
	if err != nil {
		return nil, next, wayOut(query, err)
	}
	if err := ended(ctx); err != nil {
		return nil, next, err
	}
	statement, err = p.adapt(query, statement)
	return statement, next, err
}

// mayParse is asked before a text is parsed: one of a client, of PREPARE, of a view,
// of a routine. A view is parsed wherever its name stands, so that views over views
// can stand for any number of them, and a routine when it is called.
func mayParse(ctx context.Context, query string, first bool, options sqlparser.ParserOptions) error {
	if err := ended(ctx); err != nil {
		return err
	}
	if err := statementOf(ctx).parses(query); err != nil {
		return err
	}
	return admitText(query, options.AnsiQuotes, first, textLimits())
}

// adapt changes the tree in place. It costs one scan of the text for most
// statements and a walk of the tree for those that mention one of our names
// or a UNION or a cast to SIGNED.
func (p *parser) adapt(query string, statement sqlparser.Statement) (sqlparser.Statement, error) {
	if statement == nil {
		return nil, nil
	}
	if explain, ok := statement.(*sqlparser.Explain); ok && explain.ExplainFormat == "" {
		explain.ExplainFormat = sqlparser.TreeStr
	}
	if ddl, ok := statement.(*sqlparser.DDL); ok { // whose body may end behind the text when what follows cannot be parsed
		ddl.SubStatementPositionEnd = min(ddl.SubStatementPositionEnd, len(query))
		ddl.SubStatementPositionStart = min(ddl.SubStatementPositionStart, ddl.SubStatementPositionEnd)
	}
	adaptPrivileges(statement)
	if err := refuseMisread(query, statement); err != nil {
		return nil, err
	}
	lower := strings.ToLower(query)
	if containsAny(lower, "select", "row", "json_table", "update", "delete", "create", "alter", "between", "nullif") || strings.Count(lower, "-") > maxDoublings {
		if err := boundPlanned(statement); err != nil {
			return nil, err
		}
	}
	if err := avoidPanics(lower, statement); err != nil {
		return nil, err
	}
	if names := *p.names.Load(); mentionsAny(lower, names) {
		rewriteTableFunctions(statement, names)
	}
	if containsAny(lower, "union", "intersect", "except") {
		if err := boundSetOperations(statement); err != nil {
			return nil, err
		}
		nameColumns(statement)
	}
	if strings.Contains(lower, "group") {
		groupByConstants(statement)
	}
	if strings.Contains(lower, "select") && containsAny(lower, "in", "exists") {
		keepFromJoins(statement)
	}
	if strings.Contains(lower, "signed") {
		keepCasts(statement)
	}
	if containsAny(lower, "binary", "json") {
		if err := boundCasts(statement); err != nil {
			return nil, err
		}
	}
	if strings.Contains(lower, "ifnull") {
		coalesce(statement)
	}
	if containsAny(lower, "regexp", "rlike") {
		callRegexpLike(reflect.ValueOf(statement))
	}
	return statement, nil
}

func mentionsAny(lower string, names map[string]bool) bool {
	for name := range names {
		if strings.Contains(lower, name) {
			return true
		}
	}
	return false
}

// adaptPrivileges changes what the engine will ask of the account.
func adaptPrivileges(statement sqlparser.Statement) {
	ignore := sqlparser.AuthInformation{
		AuthType:   sqlparser.AuthType_IGNORE,
		TargetType: sqlparser.AuthTargetType_Ignore,
	}
	switch s := statement.(type) {
	case *sqlparser.Kill:
		s.Auth = ignore
	case *sqlparser.Show:
		if s.Auth.AuthType == sqlparser.AuthType_PROCESS {
			s.Auth = ignore
		}
	case *sqlparser.ShowGrants:
		if s.For == nil || s.CurrentUser {
			s.Auth = ignore
		}
	case *sqlparser.DBDDL:
		if s.DBName != "" && s.Auth.TargetType == sqlparser.AuthTargetType_Global {
			s.Auth.TargetType = sqlparser.AuthTargetType_DatabaseIdentifiers
			s.Auth.TargetNames = []string{s.DBName}
		}
	case *sqlparser.Load:
		loaddata.RequireInsert(s)
	}
}
