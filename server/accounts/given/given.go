// Package given carries the plain-text password of a statement from the parser's tree
// to the password rule.
//
// The engine's plan has the plain text of a password of mysql_native_password, but only
// a hash of one of caching_sha2_password, which reveals no length to a rule. So [Keep]
// rewrites the tree so that the plan has the password too, and [Hashed] gives the plan
// its hash before it runs.
//
// An ALTER USER without a password looks like one with an empty password, so [Refuse]
// marks it where it cannot be refused at once.
//
// A password stays with its statement, be it a text, prepared, or in the body of a
// routine. A plan that runs without Hashed, or although it is refused, fails, because the
// engine does not know its plugin; so nothing stores the plain text.
//
// It has no rule itself, and imports only the engine's trees and plans.
package given

import (
	"crypto/rand"

	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// kept is the plugin, in a tree and its plan, of a password of caching_sha2_password. No
// client can write it, for it is another in every process.
var kept = string(mysql.CachingSha2Password) + " as written " + rand.Text()

// Keep changes how a statement identifies an account, in the parser's tree, such that
// [Password] finds the password in the plan.
func Keep(a *sqlparser.Authentication) {
	if a.Plugin == string(mysql.CachingSha2Password) && a.Identity == "" {
		a.Plugin = kept
	}
}

// AlterUser is the part of an error that says what to write instead of refused forms of ALTER USER.
const AlterUser = "this form of ALTER USER: write ALTER USER 'name'@'host' IDENTIFIED [WITH plugin] BY '...', one account at a time"

// refused is the plugin that marks an ALTER USER to be refused when it runs.
var refused = "refused " + rand.Text()

// Refuse changes an ALTER USER that gives no password, or more than the engine would
// keep, such that [Refused] finds it in the plan.
func Refuse(a *sqlparser.Authentication) { a.Plugin = refused }

// Refused recognises a plan that must not run.
func Refused(a plan.Authentication) bool { return a != nil && a.Plugin() == refused }

// Password is the password as it was written, "" for none. plain is false where the
// statement gives a hash, or where nobody has called Keep.
func Password(a plan.Authentication) (password string, plain bool) {
	switch a := a.(type) {
	case nil:
		return "", true
	case plan.AuthenticationMysqlNativePassword:
		return string(a), true
	case plan.AuthenticationOther:
		if a.Plugin() == kept {
			password, err := a.AuthString()
			return password, err == nil
		}
	}
	return "", false
}

// Hashed returns the hash that the engine stores for a, in place of a kept password. It is computed here, since the
// engine stores it under the lock of all accounts.
// It is called once for a plan that runs: every call makes another hash.
func Hashed(a plan.Authentication) plan.Authentication {
	if a == nil || a.Plugin() != kept {
		return a
	}
	password, _ := Password(a)
	hash, err := plan.NewCachingSha2PasswordAuthentication(password).AuthString()
	if err != nil {
		return a // which fails when it runs
	}
	return plan.NewOtherAuthentication("", string(mysql.CachingSha2Password), hash)
}
