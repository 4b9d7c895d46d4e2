package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/program"
)

// serve with its flags: the owner's certificate, metrics, a log of JSON lines. The end of the signal's context ends
// it with exit code 0.
func TestServe(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	dir := filepath.Join(t.TempDir(), "data")
	c := begin(ctx, t, "serve", "--data-dir", dir, "--listen", "127.0.0.1:0", "--tls-self-signed", "--require-tls",
		"--metrics-listen", ":0", "--console", ":0", "--log-format", "json")
	c.await(t, `"msg":"console"`)
	stop()
	if code := c.code(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	messages := map[string]map[string]any{}
	for _, line := range strings.Split(strings.TrimSpace(c.errs.String()), "\n") {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		messages[entry["msg"].(string)] = entry
	}
	if print, _ := messages["TLS"]["sha256"].(string); strings.Count(print, ":") != 31 {
		t.Errorf("the fingerprint is %q", print)
	}
	if address, _ := messages["metrics"]["address"].(string); !strings.HasPrefix(address, "127.0.0.1:") {
		t.Errorf("metrics are at %q", address)
	}
	if address, _ := messages["console"]["address"].(string); !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Errorf("the console is at %q", address)
	}
	if _, err := os.Stat(filepath.Join(dir, "tls-key.pem")); err != nil {
		t.Error(err)
	}
}

func TestServeFlagsAreChecked(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		arguments []string
		says      string
	}{
		{[]string{"--log-format", "xml"}, "must be text or json"},
		{[]string{"--require-tls"}, "--tls-self-signed"},
		{[]string{"--tls-self-signed", "--tls-cert", "c", "--tls-key", "k"}, "not both"},
		{[]string{"--metrics-listen", "nowhere"}, "host:port"},
		{[]string{"--console", "nowhere"}, "host:port"},
		{[]string{"--console", "0.0.0.0:8080"}, "--listen and --console on 127.0.0.1"},
		{[]string{"--console", "db.example:8080"}, "names for browsers are --console-host"},
		{[]string{"--upstream", "db.example:3306"}, "must be mysql://host:port or unix:///"},
		{[]string{"--upstream", "127.0.0.1:3306"}, "must be mysql://host:port or unix:///"},
		{[]string{"--upstream", "mysql://db.example?as=other"}, "?known_as=address after it at most"},
		{[]string{"--listen", "127.0.0.1:0", "--upstream", "mysql://127.0.0.1:1?known_as=db.example:3306"}, "known_as=db.example:3306 names no server"},
		{[]string{"--upstream", "mysql://root:secret@db.example"}, "owners log in with their own"},
		{[]string{"--upstream", "mysql://db.example", "--upstream-tls", "maybe"}, "must be required, verify-ca or off"},
		{[]string{"--upstream", "mysql://db.example", "--upstream-ca", "ca.pem"}, "--upstream-tls=verify-ca"},
		{[]string{"--upstream", "mysql://db.example", "--upstream-tls", "verify-ca", "--upstream-ca", "serve_test.go"}, "no certificate"},
		{[]string{"--listen", "127.0.0.1:0", "--upstream", "mysql://127.0.0.1:1", "--owners-listen", "0.0.0.0:0"}, "owners must use TLS"},
		{[]string{"--listen", "127.0.0.1:0", "--upstream", "mysql://127.0.0.1:1", "--owners-listen", "nowhere"}, "cannot listen on nowhere for owners"},
		{[]string{"--engine", "http://trino.example/lake"}, "must be trino://user@host:port/catalog"},
		{[]string{"--engine", "trino://owner:secret@trino.example/lake"}, "--engine-password-file"},
		{[]string{"--engine", "trino://owner@127.0.0.1/lake", "--engine-token-file", "serve_test.go"}, "over TLS only"},
		{[]string{"--engine", "trino://owner@trino.example/lake", "--engine-password-file", "none"}, "no such file"},
		{[]string{"--engine", "trino://owner@trino.example/lake", "--engine-ca", "serve_test.go"}, "no certificate"},
		{[]string{"--engine-ca", "serve_test.go"}, "name it (--engine)"},
		{[]string{"--engine-rows", "10"}, "name it (--engine)"},
		{[]string{"--owners-listen", "127.0.0.1:0"}, "name it (--upstream)"},
		{[]string{"--upstream-tls", "off"}, "name it (--upstream)"},
		{[]string{"--console-host", "data.example.org"}, "name it (--console)"},
		{[]string{"--engine", "trino://owner@trino.example/lake", "--engine-rows", "0"}, "must be 1 or more"},
		{[]string{"--listen", "0.0.0.0:0"}, "ALTER USER 'root'@'localhost' IDENTIFIED BY"},
	} {
		arguments := append([]string{"serve", "--data-dir", dir}, c.arguments...)
		if _, errs, code := play(t, arguments...); code != program.ExitFailed || !strings.Contains(errs, c.says) {
			t.Errorf("%v: exit %d, %s", c.arguments, code, errs)
		}
	}
}
