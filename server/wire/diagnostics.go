package wire

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// The diagnostics of a session are the notes, warnings and errors of its last statement. SHOW WARNINGS, SHOW ERRORS and reads of
// their counts keep them; every other statement clears them first, even an unparsable one.

// The variables with their counts.
const (
	warningCount = "warning_count"
	errorCount   = "error_count"
)

// diagnosticVariables are the definitions of these variables, which the engine lacks.
func diagnosticVariables() (list []sql.SystemVariable) {
	for _, name := range []string{warningCount, errorCount} {
		list = append(list, &sql.MysqlSystemVariable{Name: name, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Session),
			Type: types.NewSystemIntType(name, 0, 1<<32-1, false), Default: int64(0)})
	}
	return list
}

var (
	showsDiagnostics = regexp.MustCompile(`(?i)^\s*SHOW\s+(WARNINGS|ERRORS)\b`)
	showsErrors      = regexp.MustCompile(`(?i)^\s*SHOW\s+ERRORS\b`)
	readsNumbers     = regexp.MustCompile(`(?i)@@\s*((session|local)\s*\.)?\s*` + "`?" + `(warning_count|error_count)\b|^\s*SHOW\s+COUNT\s*\(`)
)

// BeginDiagnostics clears the diagnostics of the previous statement.
func (s *Session) BeginDiagnostics(text string) {
	if s != nil && !showsDiagnostics.MatchString(text) {
		s.Session.ClearWarnings()
	}
}

// EndDiagnostics records a statement's error, nil for none, and counts its diagnostics.
func (s *Session) EndDiagnostics(text string, err error) {
	if s == nil {
		return
	}
	if known, ok := errors.AsType[*mysql.SQLError](err); ok {
		if showsDiagnostics.MatchString(text) {
			s.Session.ClearWarnings()
		}
		s.Session.Warn(&sql.Warning{Level: levelError, Code: known.Num, Message: known.Message})
	} else if showsDiagnostics.MatchString(text) || readsNumbers.MatchString(text) {
		return
	}
	s.warnings, s.errors = 0, 0
	for _, w := range s.Session.Warnings() {
		if s.warnings++; w.Level == levelError {
			s.errors++
		}
	}
}

const levelError = "Error"

// GetSessionVariable implements sql.Session.
func (s *Session) GetSessionVariable(ctx *sql.Context, name string) (any, error) {
	switch strings.ToLower(name) {
	case warningCount:
		return s.warnings, nil
	case errorCount:
		return s.errors, nil
	case timestampVariable:
		return s.timestamp(ctx), nil
	}
	return s.Session.GetSessionVariable(ctx, name)
}

// Diagnostics returns the rows of SHOW WARNINGS or SHOW ERRORS, oldest first. given are the engine's warnings, newest first.
func Diagnostics(text string, given []*sql.Warning) []sql.Row {
	var rows []sql.Row
	for _, w := range slices.Backward(given) {
		if w.Level == levelError || !showsErrors.MatchString(text) {
			rows = append(rows, sql.NewRow(w.Level, w.Code, w.Message))
		}
	}
	return rows
}
