package accounts

import (
	"errors"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/server/sqlerror"
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
