// Package implicit decides which statements end the transaction that is open when they begin, as in MySQL
// ("Statements That Cause an Implicit Commit").
//
// Principles:
//
//  1. The commit comes first, after parsing and before any other check. It stands even if
//     the statement is then denied or fails.
//  2. It ends the transaction. Autocommit, which START TRANSACTION suspended, is in force
//     again: the next statement commits by itself.
//  3. If the statement succeeds, a transaction that it leaves open is committed too.
//
// Our own procedures that write the catalog (CALL anonymize, set_attributes, ...) also commit. Our procedures that
// only read do not, nor does a user's procedure, in which each statement counts by itself. As in MySQL with its usual
// storage, LOAD DATA does not commit.
//
// START TRANSACTION and BEGIN are not in the list, because the engine commits before them. SET autocommit = 1 and
// UNLOCK TABLES are not, because they commit only in a session with autocommit off, or with locked tables: callers
// check [SwitchesOn] and the session.
package implicit

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// leading matches text before a statement: blanks, comments, and the beginning of a comment whose text is executed.
var leading = regexp.MustCompile(`^(?:\s+|--[ \t][^\n]*\n?|#[^\n]*\n?|/\*(?s:[^!].*?)?\*/|/\*!\d*)+`)

var firstWord = regexp.MustCompile(`^[A-Za-z]+`)

// neverCommits are the first words of statements that do not end an open transaction.
var neverCommits = map[string]bool{
	"select": true, "with": true, "table": true, "values": true, "insert": true, "replace": true, "update": true,
	"delete": true, "load": true, "show": true, "describe": true, "desc": true, "explain": true, "set": true,
	"use": true, "begin": true, "start": true, "commit": true, "rollback": true, "savepoint": true, "release": true,
	"prepare": true, "deallocate": true, "kill": true, "do": true,
}

// Possible decides by the first word whether a text may be a statement that commits. It spares most texts the parser:
// false is certain, true is not.
func Possible(text string) bool {
	text = text[len(leading.FindString(text)):]
	return text != "" && text[0] != '(' && !neverCommits[strings.ToLower(firstWord.FindString(text))]
}

// Commits reports whether a statement ends the open transaction. procedure decides for a CALL, by the name in lower
// case. For EXECUTE, pass the statement that it executes.
func Commits(statement sqlparser.Statement, procedure func(name string) bool) bool {
	switch s := statement.(type) {
	case *sqlparser.DDL:
		return !s.Temporary
	case *sqlparser.AlterTable, *sqlparser.DBDDL, *sqlparser.CreateSpatialRefSys,
		*sqlparser.CreateUser, *sqlparser.RenameUser, *sqlparser.DropUser, *sqlparser.CreateRole, *sqlparser.DropRole,
		*sqlparser.GrantPrivilege, *sqlparser.GrantRole, *sqlparser.GrantProxy,
		*sqlparser.RevokePrivilege, *sqlparser.RevokeAllPrivileges, *sqlparser.RevokeRole, *sqlparser.RevokeProxy,
		*sqlparser.Analyze, *sqlparser.Flush, *sqlparser.OtherAdmin, *sqlparser.LockTables:
		return true
	case *sqlparser.Call:
		return procedure(strings.ToLower(s.ProcName.Name.String()))
	}
	return false
}

// SwitchesOn reports whether a statement sets the session's autocommit to a constant that means on.
func SwitchesOn(statement sqlparser.Statement) bool {
	set, ok := statement.(*sqlparser.Set)
	if !ok {
		return false
	}
	return slices.ContainsFunc(set.Exprs, func(e *sqlparser.SetVarExpr) bool { return isAutocommit(e) && isOn(e.Expr) })
}

// isAutocommit recognises all spellings of the session's variable.
func isAutocommit(e *sqlparser.SetVarExpr) bool {
	switch e.Scope {
	case sqlparser.SetScope_None, sqlparser.SetScope_Session:
	default:
		return false
	}
	name := strings.ToLower(e.Name.String())
	for _, prefix := range []string{"@@session.", "@@local.", "@@"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			name = rest
			break
		}
	}
	return name == "autocommit"
}

func isOn(e sqlparser.Expr) bool {
	switch text := strings.ToLower(strings.Trim(sqlparser.String(e), "'`\"")); text {
	case "1", "on", "true":
		return true
	}
	return false
}
