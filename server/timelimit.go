package server

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// errTimeout is MySQL's error of a statement that ran too long.
var errTimeout = newError(numberTimeout, "Query execution was interrupted, maximum statement execution time exceeded")

// begun is called when the engine begins with a statement, or with preparing
// it; from then on its account is known. It sets the limits:
//
//   - max_execution_time of the session, in milliseconds, for SELECT alone as in
//     MySQL, or what the hint MAX_EXECUTION_TIME(n) says instead;
//   - Config.StatementTimeout and Config.MaxResultRows for analysts, whatever
//     the statement is.
func (s *instance) begun(ctx *sql.Context) {
	st := statementOf(ctx)
	if st == nil {
		return
	}
	st.of(ctx.Session.Client())
	limit := time.Duration(0)
	if st.kind == "select" {
		limit = executionTime(ctx, st.text)
	}
	if (s.config.StatementTimeout > 0 || s.config.MaxResultRows > 0) && s.provider.sees.analyst(ctx, s.provider.system) {
		if own := s.config.StatementTimeout; own > 0 && (limit == 0 || own < limit) {
			limit = own
		}
		st.maxRows.Store(int64(s.config.MaxResultRows))
	}
	st.limit(limit)
	boundGroupConcat(ctx, st.text)
	if s.config.MaxHeldRows > 0 {
		ctx.Memory = sql.NewMemoryManager(&heldCount{limit: uint64(s.config.MaxHeldRows)})
	}
}

// boundGroupConcat takes a group_concat_max_len beyond max_allowed_packet for
// that, as in MySQL; the engine would take a very large one for a negative
// number.
func boundGroupConcat(ctx *sql.Context, text string) {
	if !groupConcat.MatchString(text) {
		return
	}
	value, err := ctx.GetSessionVariable(ctx, "group_concat_max_len")
	if length, ok := value.(uint64); err == nil && ok && length > uint64(maxPacket()) {
		_ = ctx.SetSessionVariable(ctx, "group_concat_max_len", uint64(maxPacket())) // a value that the variable may have
	}
}

var groupConcat = regexp.MustCompile(`(?i)group_concat`)

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

// maxMilliseconds is about fifty days, MySQL's bound of the variable.
const maxMilliseconds = 1<<32 - 1

var (
	// hints follow the first word of a statement.
	hints    = regexp.MustCompile(`(?is)^\(*\s*SELECT\s*/\*\+(.*?)\*/`)
	timeHint = regexp.MustCompile(`(?i)\bMAX_EXECUTION_TIME\s*\(\s*(\d+)\s*\)`)
)

// hintedTime finds the optimizer hint MAX_EXECUTION_TIME(n), in milliseconds; 0
// lifts the session's limit.
func hintedTime(text string) (time.Duration, bool) {
	text = text[:min(len(text), hintsRead)]
	if !strings.Contains(text, "/*+") {
		return 0, false
	}
	all := hints.FindStringSubmatch(text[len(leading.FindString(text)):])
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

// hintsRead is how much of a statement is searched for hints, in bytes.
const hintsRead = 4096
