package syntax

import (
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// waysAround are statements about accounts that the grammar does not have, and
// what works instead.
var waysAround = []struct {
	statement *regexp.Regexp
	instead   string
}{
	{regexp.MustCompile(`(?i)^\s*SET\s+(DEFAULT\s+)?ROLE\b`), "SET ROLE and SET DEFAULT ROLE: every role that was granted is active at once, in open sessions too; REVOKE takes it back"},
	{regexp.MustCompile(`(?i)^\s*SET\s+PASSWORD\b`), "SET PASSWORD: write ALTER USER 'name'@'host' IDENTIFIED BY '...', for your own account too"},
	{regexp.MustCompile(`(?i)^\s*ALTER\s+USER\s+(USER|CURRENT_USER)\s*\(`), "ALTER USER USER(): write the account's name, which SELECT CURRENT_USER() shows"},
	{regexp.MustCompile(`(?is)^\s*ALTER\s+USER\b.*\bACCOUNT\s+(UN)?LOCK\b`), "ACCOUNT LOCK: ALTER USER ... IDENTIFIED BY another password, REVOKE, or DROP USER"},
	{regexp.MustCompile(`(?is)^\s*ALTER\s+USER\b.*\bREQUIRE\b`), "REQUIRE of one account: anonsql serve --require-tls requires TLS of all"},
	{regexp.MustCompile(`(?i)^\s*SHOW\s+CREATE\s+USER\b`), "SHOW CREATE USER: SHOW GRANTS FOR shows the privileges"},
	{regexp.MustCompile(`(?is)^\s*ALTER\s+USER\b`), "this form of ALTER USER: write ALTER USER 'name'@'host' IDENTIFIED [WITH plugin] BY '...', one account at a time"},
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

var givesPassword = regexp.MustCompile(`(?is)\bIDENTIFIED\s+(WITH\s+\S+\s+)?(BY|AS)\b`)

// refuseMisread refuses statements that the grammar takes for others: SET
// PASSWORD for a variable, and ALTER USER without a password for one with an
// empty password.
func refuseMisread(query string, statement sqlparser.Statement) error {
	if _, ok := statement.(*sqlparser.Set); ok && setsPassword.MatchString(query) {
		return wayAround(query)
	}
	ddl, ok := statement.(*sqlparser.DDL)
	if !ok || ddl.Action != sqlparser.AlterStr || ddl.Authentication == nil {
		return nil
	}
	if ddl.AccountLimits != nil || !givesPassword.MatchString(query) || ddl.Authentication.RandomPassword {
		return sql.ErrUnsupportedFeature.New("this form of ALTER USER: write ALTER USER 'name'@'host' IDENTIFIED [WITH plugin] BY '...', one account at a time")
	}
	return nil
}

// HoldsPassword recognises statements that a log must not repeat.
func HoldsPassword(text string) bool {
	lower := strings.ToLower(text)
	return strings.Contains(lower, "identified") || strings.Contains(lower, "password") || strings.Contains(lower, "create_analyst")
}
