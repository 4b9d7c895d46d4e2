package accounts

import (
	"errors"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/accounts/given"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/trivial"
)

// A password that came past the parser's room cannot be read, so no rule lets it in.
func TestUnreadPasswordsAreRefused(t *testing.T) {
	user := plan.AuthenticatedUser{UserName: plan.UserName{Name: "new", AnyHost: true}, Auth1: plan.NewCachingSha2PasswordAuthentication("a long sentence")}
	b := &Book{Rule: func(string, string) error { return nil }}
	if err := b.admitPasswords(user); sqlerror.Number(err) != sqlerror.WeakPassword || !strings.Contains(err.Error(), "that of 'new'@'%' cannot be read") {
		t.Errorf("with a rule: %v", err)
	}
	if err := (&Book{}).admitPasswords(user); err != nil {
		t.Errorf("without a rule: %v", err)
	}
}

// Every user of a statement is held against the rule, under its own name; a hash is not.
func TestEveryUserIsHeldAgainstTheRule(t *testing.T) {
	var held []string
	b := &Book{Rule: func(user, password string) error {
		if held = append(held, user+" "+password); password == "wrong" {
			return errors.New("refused")
		}
		return nil
	}}
	err := b.admitPasswords(
		plan.AuthenticatedUser{UserName: plan.UserName{Name: "bare"}},
		plan.AuthenticatedUser{UserName: plan.UserName{Name: "one"}, Auth1: plan.AuthenticationMysqlNativePassword("right")},
		plan.AuthenticatedUser{UserName: plan.UserName{Name: "hashed"}, Auth1: plan.NewOtherAuthentication("", "mysql_native_password", "*00")},
		plan.AuthenticatedUser{UserName: plan.UserName{Name: "two"}, Auth1: plan.AuthenticationMysqlNativePassword("wrong")},
		plan.AuthenticatedUser{UserName: plan.UserName{Name: "three"}, Auth1: plan.AuthenticationMysqlNativePassword("right")})
	if err == nil || strings.Join(held, ", ") != "bare , one right, two wrong" {
		t.Errorf("%v; held against the rule: %q", err, held)
	}
}

// The memory that a hash takes grows with the square of the password, so that no account may have a long one, with a rule or
// without; and no account may have a hash of rounds that a login cannot compute, or that take it seconds.
func TestLongPasswordsAndRoundsAreRefused(t *testing.T) {
	long := strings.Repeat("z", trivial.LongestPassword+1)
	kept := sqlparser.Authentication{Plugin: "caching_sha2_password", Password: long}
	given.Keep(&kept)
	for _, a := range []plan.Authentication{plan.AuthenticationMysqlNativePassword(long), plan.NewOtherAuthentication(long, kept.Plugin, "")} {
		user := plan.AuthenticatedUser{UserName: plan.UserName{Name: "new"}, Auth1: a}
		for _, b := range []*Book{{}, {Rule: func(string, string) error { return nil }}} {
			if err := b.admitPasswords(user); sqlerror.Number(err) != sqlerror.WeakPassword || !strings.Contains(err.Error(), "at most 256") {
				t.Errorf("%T: %v", a, err)
			}
		}
	}
	for rounds, want := range map[string]int{"005": 0, "000": sqlerror.NoHash, "FFF": sqlerror.NoHash} {
		a := plan.NewOtherAuthentication("", "caching_sha2_password", "$A$"+rounds+"$"+strings.Repeat("a", 20+43))
		if err := admitAuthentication(plan.AuthenticatedUser{Auth1: a}); sqlerror.Number(err) != want && (err != nil || want != 0) {
			t.Errorf("%s: %v", rounds, err)
		}
	}
}
