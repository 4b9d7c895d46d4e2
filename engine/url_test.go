package engine_test

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/engine"
)

func TestParseURL(t *testing.T) {
	for _, c := range []struct {
		url, host string
		plain     bool
		says      string // why it is refused
	}{
		{"trino://owner@db.example/lake", "db.example:8443", false, ""},
		{"trino://owner@db.example:8080/lake?tls=off", "db.example:8080", true, ""},
		{"trino://owner@127.0.0.1/lake", "127.0.0.1:8080", true, ""},
		{"trino://owner@[::1]:9000/lake", "[::1]:9000", true, ""},
		{"trino://owner@localhost/lake?tls=on", "localhost:8443", false, ""},
		{"trino://owner:hunter2@db.example/lake", "", false, "--engine-password-file"},
		{"trino://owner:hunter2@db.example:port/lake", "", false, "it is no URL"},
		{"http://owner@db.example/lake", "", false, "must be trino://"},
		{"trino://db.example/lake", "", false, "must be trino://"},
		{"trino://owner@db.example", "", false, "must be trino://"},
		{"trino://owner@db.example/lake/schema", "", false, "must be trino://"},
		{"trino://owner@db.example/lake?tls=maybe", "", false, "must be tls=on or tls=off"},
		{"trino://owner@db.example/lake?ssl=on", "", false, "must be tls=on or tls=off"},
	} {
		target, err := engine.ParseURL(c.url)
		switch {
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hunter2")):
			t.Errorf("%s: %v, want an error with %q", c.url, err, c.says)
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", c.url, err)
		case c.says == "" && (target.Host != c.host || target.Plain != c.plain || target.User != "owner" || target.Catalog != "lake"):
			t.Errorf("%s is %+v", c.url, target)
		}
	}
}

// TestOpenRefuses: credentials that would be seen, or are not there.
func TestOpenRefuses(t *testing.T) {
	password, token := secrets(t)
	for _, c := range []struct {
		target engine.Target
		says   string
	}{
		{engine.Target{Plain: true, PasswordFile: password}, "over TLS only"},
		{engine.Target{Plain: true, TokenFile: token}, "over TLS only"},
		{engine.Target{PasswordFile: password, TokenFile: token}, "not both"},
		{engine.Target{PasswordFile: password + ".none"}, "no such file"},
		{engine.Target{TokenFile: "/dev/null"}, "is empty"},
	} {
		c.target.User, c.target.Host, c.target.Catalog = "owner", "db.example:1", "lake"
		if _, err := engine.Open(&c.target); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want an error with %q", c.target, err, c.says)
		}
	}
}
