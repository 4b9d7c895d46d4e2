package syntax

import (
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/accounts/given"
	"github.com/anonsql/anonsql/server/answers/trees"
)

// waysAround are statements about accounts that the grammar lacks, and their
// replacements.
var waysAround = []struct {
	statement *regexp.Regexp
	instead   string
}{
	{
		regexp.MustCompile(`(?i)^\s*SET\s+(DEFAULT\s+)?ROLE\b`),
		"SET ROLE and SET DEFAULT ROLE: every role that was granted is active at once, in open sessions too; REVOKE takes it back",
	},
	{regexp.MustCompile(`(?i)^\s*SET\s+PASSWORD\b`), "SET PASSWORD: write ALTER USER 'name'@'host' IDENTIFIED BY '...', for your own account too"},
	{regexp.MustCompile(`(?i)^\s*ALTER\s+USER\s+(USER|CURRENT_USER)\s*\(`), "ALTER USER USER(): write the account's name, which SELECT CURRENT_USER() shows"},
	{
		regexp.MustCompile(`(?is)^\s*ALTER\s+USER\b.*\bACCOUNT\s+(UN)?LOCK\b`),
		"ACCOUNT LOCK: ALTER USER ... IDENTIFIED BY another password, REVOKE, or DROP USER",
	},
	{regexp.MustCompile(`(?is)^\s*ALTER\s+USER\b.*\bREQUIRE\b`), "REQUIRE of one account: anonsql serve --require-tls requires TLS of all"},
	{regexp.MustCompile(`(?i)^\s*SHOW\s+CREATE\s+USER\b`), "SHOW CREATE USER: SHOW GRANTS FOR shows the privileges"},
	{regexp.MustCompile(`(?is)^\s*ALTER\s+USER\b`), given.AlterUser},
}

func wayAround(query string) error {
	for _, w := range waysAround {
		if w.statement.MatchString(query) {
			return sql.ErrUnsupportedFeature.New(w.instead)
		}
	}
	return nil
}

var setsPassword = regexp.MustCompile(`(?i)^\s*SET\s+PASSWORD\s*:?=`)

// refuseMisread refuses statements that the grammar misreads: SET PASSWORD as a
// variable, and ALTER USER without a password as one with an empty password. text is the
// text of statement, lower the same in lower case.
//
// In the body of a routine, ALTER USER is refused when it runs (given.Refuse): the engine
// parses the text of a stored routine again for CALL and for SHOW PROCEDURE STATUS, and
// ignores errors. SET PASSWORD there fails as an unknown variable.
func refuseMisread(text, lower string, ansi bool, statement sqlparser.Statement) error {
	if _, ok := statement.(*sqlparser.Set); ok && setsPassword.MatchString(text) {
		return wayAround(text)
	}
	if !strings.Contains(lower, "alter") || !strings.Contains(lower, "user") {
		return nil
	}
	misread := misreadUsers(statement, func(blank int) bool { return givePasswords(text, ansi, blank) })
	if len(misread) == 0 {
		return nil
	}
	if ddl, ok := statement.(*sqlparser.DDL); !ok || ddl.ProcedureSpec == nil {
		return sql.ErrUnsupportedFeature.New(given.AlterUser)
	}
	for _, a := range misread {
		given.Refuse(a)
	}
	return nil
}

// misreadUsers returns the authentications of ALTER USERs in a statement that have
// limits, which the engine would drop, a random password, which it does not make, or no
// password. In the tree a missing password is an empty one, so allGiven checks the text.
func misreadUsers(statement sqlparser.Statement, allGiven func(blank int) bool) []*sqlparser.Authentication {
	var misread, blank []*sqlparser.Authentication
	trees.Walk(statement, func(node any) {
		ddl, ok := node.(*sqlparser.DDL)
		if !ok || ddl.Action != sqlparser.AlterStr || ddl.Authentication == nil {
			return
		}
		switch a := ddl.Authentication; {
		case ddl.AccountLimits != nil || a.RandomPassword:
			misread = append(misread, a)
		case a.Password == "" && a.Identity == "":
			blank = append(blank, a)
		}
	})
	if len(blank) > 0 && !allGiven(len(blank)) {
		misread = append(misread, blank...)
	}
	return misread
}

// givePasswords reports whether every ALTER USER of a text has a password or a hash, and
// the text has at least that many ALTER USERs. It tokenizes the text as the grammar does,
// so that no comment and no name counts as a password.
func givePasswords(text string, ansi bool, least int) bool {
	tokens := sqlparser.NewStringTokenizer(text)
	if ansi {
		tokens = sqlparser.NewStringTokenizerForAnsiQuotes(text)
	}
	found, open := 0, false // open: the current one has no password so far
	var last [3]int         // the tokens before
	for {
		token, _ := tokens.Scan()
		switch token {
		case sqlparser.COMMENT:
			continue
		case 0, sqlparser.LEX_ERROR:
			return !open && found >= least
		case ';':
			if open {
				return false
			}
		case sqlparser.USER:
			if last[0] == sqlparser.ALTER && last[1] != '.' {
				if open {
					return false
				}
				found, open = found+1, true
			}
		case sqlparser.BY, sqlparser.AS:
			if last[0] == sqlparser.IDENTIFIED || last[1] == sqlparser.WITH && last[2] == sqlparser.IDENTIFIED {
				open = false
			}
		}
		last = [3]int{token, last[0], last[1]}
	}
}

// HoldsPassword reports whether a statement may contain a password, so that a log must not repeat it.
func HoldsPassword(text string) bool {
	lower := strings.ToLower(text)
	return strings.Contains(lower, "identified") || strings.Contains(lower, "password") || strings.Contains(lower, "create_analyst")
}
