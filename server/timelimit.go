package server

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/syntax"
	"github.com/anonsql/anonsql/server/values"
	"github.com/anonsql/anonsql/server/wire"
)

// begun is called when the engine begins to run or prepare a statement, when its
// account is known. It sets the limits:
//
//   - the hint MAX_EXECUTION_TIME(n), otherwise the session's max_execution_time, in
//     milliseconds, for SELECT only, as in MySQL, including one run by EXECUTE;
//   - the account's limits (account_host.go), for every statement.
func (s *instance) begun(ctx *sql.Context) error {
	st := running.StatementOf(ctx)
	if st == nil {
		return nil
	}
	st.SetClient(ctx.Session.Client())
	s.leadToDistributed(ctx)
	limit, setting := time.Duration(0), "max_execution_time of the session or statement"
	named := byName(ctx, st.Text)
	if text, ok := s.selects(ctx, st, named); ok {
		limit = executionTime(ctx, text)
	}
	own := s.limitsOf(ctx)
	if own.StatementTimeout > 0 && (limit == 0 || own.StatementTimeout < limit) {
		limit, setting = own.StatementTimeout, "statement_timeout of the account or server, which anonsql.limits shows and the owner can change (CALL set_limits)"
	}
	st.MaxRows.Store(own.MaxResultRows)
	st.MaxBytes.Store(own.MaxResultBytes)
	st.Limit(limit, setting)
	boundGroupConcat(ctx, st.Text)
	return s.prepareByName(ctx, named)
}

// byName returns a statement about a prepared statement that has a name, nil for others.
func byName(ctx *sql.Context, text string) sqlparser.Statement {
	switch strings.ToLower(firstWordOf(text)) {
	case "prepare", "execute", "deallocate", "drop":
		if statement, _, _, err := syntax.ProcessParser.Parse(ctx, text, true); err == nil {
			return statement
		}
	}
	return nil
}

// selects returns the beginning of a SELECT with its hints, false for another statement. For EXECUTE it uses the prepared tree.
func (s *instance) selects(ctx *sql.Context, st *running.Statement, named sqlparser.Statement) (text string, ok bool) {
	execute, ok := named.(*sqlparser.Execute)
	if !ok {
		return st.Text, st.Kind == "select"
	}
	prepared, _ := s.engine.PreparedDataCache.GetCachedStmt(ctx.Session.ID(), strings.ToLower(execute.Name))
	switch prepared := prepared.(type) {
	case *sqlparser.Select:
		for _, comment := range prepared.Comments {
			text += string(comment)
		}
		return "SELECT " + text, true
	case sqlparser.SelectStatement: // UNION, parentheses, VALUES
		return "", true
	}
	return "", false
}

// boundGroupConcat lowers group_concat_max_len to max_allowed_packet, as in MySQL; the
// engine would take a very large one for a negative number.
func boundGroupConcat(ctx *sql.Context, text string) {
	if !mentionsConcat.MatchString(text) {
		return
	}
	value, err := ctx.GetSessionVariable(ctx, "group_concat_max_len")
	if length, ok := value.(uint64); err == nil && ok && length > uint64(values.MaxPacket()) {
		_ = ctx.SetSessionVariable(ctx, "group_concat_max_len", uint64(values.MaxPacket())) // a value that the variable may have
	}
}

var mentionsConcat = regexp.MustCompile(`(?i)group_concat`)

// executionTime is 0 for no limit.
func executionTime(ctx *sql.Context, text string) time.Duration {
	if hinted, ok := hintedTime(text); ok {
		return hinted
	}
	value, err := ctx.GetSessionVariable(ctx, "max_execution_time")
	milliseconds, ok := value.(int64)
	if err != nil || !ok || milliseconds <= 0 || milliseconds > maxMilliseconds {
		return 0
	}
	return time.Duration(milliseconds) * time.Millisecond
}

// maxMilliseconds is MySQL's maximum of the variable, about fifty days.
const maxMilliseconds = 1<<32 - 1

var (
	// hints finds the hints after the first word.
	hints    = regexp.MustCompile(`(?is)^\(*\s*SELECT\s*/\*\+(.*?)\*/`)
	timeHint = regexp.MustCompile(`(?i)\bMAX_EXECUTION_TIME\s*\(\s*(\d+)\s*\)`)
)

// hintedTime finds the optimizer hint MAX_EXECUTION_TIME(n), in milliseconds; 0
// lifts the session's limit.
func hintedTime(text string) (time.Duration, bool) {
	text = withoutLeading(text)
	if !strings.Contains(text, "/*+") {
		return 0, false
	}
	all := hints.FindStringSubmatch(text)
	if all == nil {
		return 0, false
	}
	found := timeHint.FindStringSubmatch(all[1])
	if found == nil {
		return 0, false
	}
	milliseconds, err := strconv.ParseUint(found[1], 10, 32)
	if err != nil {
		return 0, false
	}
	return time.Duration(milliseconds) * time.Millisecond, true
}

// prepareByName counts statements prepared by PREPARE name FROM ..., until DEALLOCATE PREPARE. It is called before the statement
// runs, so a failed PREPARE counts until the name is prepared again or deallocated, or the session ends.
func (s *instance) prepareByName(ctx *sql.Context, named sqlparser.Statement) error {
	book := s.connections.PreparedOf(ctx.Session.ID())
	if book == nil {
		return nil
	}
	switch own := named.(type) {
	case *sqlparser.Deallocate: // or DROP
		book.Remove(strings.ToLower(own.Name))
	case *sqlparser.Prepare:
		name, text := strings.ToLower(own.Name), own.Expr
		s.engine.PreparedDataCache.UncacheStmt(ctx.Session.ID(), name) // PREPARE drops the old statement even if it fails
		if strings.HasPrefix(text, "@") {
			_, value, _ := ctx.GetUserVariable(ctx, strings.ToLower(strings.Trim(text, "@"))) // as the engine, which says what is wrong
			text, _ = value.(string)
		}
		if wrong := wire.CheckWords(text); wrong != nil {
			return wrong
		}
		return book.Add(name, text)
	}
	return nil
}
