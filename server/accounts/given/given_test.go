package given

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// planned returns the engine's plan for a part of a tree (planbuilder.buildAuthenticatedUser).
func planned(a sqlparser.Authentication) plan.Authentication {
	switch {
	case a.Password == "" && a.Identity != "":
		return plan.NewOtherAuthentication(a.Password, a.Plugin, a.Identity)
	case a.Plugin == "" || a.Plugin == "mysql_native_password":
		return plan.AuthenticationMysqlNativePassword(a.Password)
	case a.Plugin == "caching_sha2_password":
		return plan.NewCachingSha2PasswordAuthentication(a.Password)
	}
	return plan.NewOtherAuthentication(a.Password, a.Plugin, a.Identity)
}

// A password that was written is found in the plan; a hash is none.
func TestPassword(t *testing.T) {
	for _, c := range []struct {
		identified string
		password   string
		plain      bool
	}{
		{"", "", true},
		{"IDENTIFIED BY 'a word'", "a word", true},
		{"IDENTIFIED WITH mysql_native_password BY 'a word'", "a word", true},
		{"IDENTIFIED WITH caching_sha2_password BY 'a ''word'", "a 'word", true},
		{"IDENTIFIED WITH 'caching_sha2_password' BY 'a word'", "a word", true},
		{"IDENTIFIED WITH caching_sha2_password BY ''", "", true},
		{"IDENTIFIED WITH caching_sha2_password", "", true},
		{"IDENTIFIED WITH caching_sha2_password AS '$A$005$'", "", false},
		{"IDENTIFIED WITH mysql_native_password AS '*00'", "", false},
		{"IDENTIFIED WITH other BY 'a word'", "", false},
	} {
		statement, err := sqlparser.Parse("CREATE USER new " + c.identified)
		if err != nil {
			t.Fatal(err)
		}
		var a plan.Authentication
		if written := statement.(*sqlparser.CreateUser).Users[0].Auth1; written != nil {
			Keep(written)
			Keep(written) // twice is as once
			a = planned(*written)
		}
		if password, plain := Password(a); password != c.password || plain != c.plain {
			t.Errorf("%s: %q, %t", c.identified, password, plain)
		}
	}
	if password, plain := Password(plan.NewCachingSha2PasswordAuthentication("a word")); plain {
		t.Errorf("a password that nobody kept is %q", password)
	}
}

// The engine stores a hash of the given plugin, a new one each time, and nothing for no password. Texts that were not
// kept stay unchanged.
func TestHashed(t *testing.T) {
	kept := func(password string) plan.Authentication {
		a := sqlparser.Authentication{Plugin: "caching_sha2_password", Password: password}
		Keep(&a)
		return planned(a)
	}
	stored := func(a plan.Authentication) string {
		t.Helper()
		text, err := a.AuthString()
		if err != nil || a.Plugin() != "caching_sha2_password" {
			t.Fatalf("%s: %v", a.Plugin(), err)
		}
		return text
	}
	one, other := stored(Hashed(kept("a word"))), stored(Hashed(kept("a word")))
	if one == other || !strings.HasPrefix(one, "$A$005$") || strings.Contains(one, "a word") {
		t.Errorf("stored are %q and %q", one, other)
	}
	if empty := stored(Hashed(kept(""))); empty != "" {
		t.Errorf("no password is stored as %q", empty)
	}
	if Hashed(nil) != nil {
		t.Error("nothing becomes something")
	}
	for _, a := range []plan.Authentication{plan.AuthenticationMysqlNativePassword("a word"),
		plan.NewOtherAuthentication("", "caching_sha2_password", "$A$005$")} {
		if Hashed(a) != a {
			t.Errorf("%#v was changed", a)
		}
	}
}

// A plan that runs without Hashed has a plugin that the engine does not know, and that
// no client can write.
func TestKeptIsNoPlugin(t *testing.T) {
	a := sqlparser.Authentication{Plugin: "caching_sha2_password", Password: "a word"}
	Keep(&a)
	if a.Plugin == "caching_sha2_password" || len(a.Plugin) < len("caching_sha2_password")+20 {
		t.Errorf("the plugin is %q", a.Plugin)
	}
}

// A refused password is found in the plan, whatever form it was given in, and is no password; nothing else is
// refused.
func TestRefused(t *testing.T) {
	for _, a := range []sqlparser.Authentication{{}, {Password: "a word"}, {Plugin: "caching_sha2_password", Identity: "$A$005$"}} {
		if Refused(planned(a)) {
			t.Errorf("%+v is refused", a)
		}
		Refuse(&a)
		Keep(&a)
		if _, plain := Password(planned(a)); plain || !Refused(Hashed(planned(a))) {
			t.Errorf("%+v is not refused", a)
		}
	}
	if Refused(nil) {
		t.Error("nothing is refused")
	}
}
