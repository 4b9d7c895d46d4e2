package main

import (
	"context"
	dbsql "database/sql"
	"encoding/pem"
	"errors"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server/servertest"
)

// locked is a Trino that is reached by TLS with a password or a token, and has a table.
type locked struct {
	*enginetest.Cluster
	*enginetest.Secrets
	valid, expired string   // files of tokens
	secrets        []string // nobody may read these
}

func lock(t *testing.T) *locked {
	t.Helper()
	c, err := enginetest.Start(enginetest.Options{Alone: true, Secure: true})
	enginetest.Available(t, err)
	t.Cleanup(c.Kill)
	l := &locked{Cluster: c, Secrets: c.Secrets()}
	l.secrets = []string{l.Password}
	l.valid, l.expired = l.token(t, "anonsql", time.Hour), l.token(t, "anonsql", -time.Hour)
	for _, text := range []string{"CREATE SCHEMA raw", "CREATE SCHEMA anonsql_private", "CREATE SCHEMA anonsql_published",
		"CREATE TABLE raw.people AS SELECT n AS id, mod(n, 40) AS age, concat('d', CAST(mod(n * 7 + n / 40, 9) AS varchar)) AS disease FROM UNNEST(sequence(1, 2000)) AS t(n)"} {
		if _, err := c.Client.Exec(t.Context(), text); err != nil {
			t.Fatalf("%s: %v\n%s", text, err, c.Log())
		}
	}
	return l
}

// token is a file of a token that ends after a time.
func (l *locked) token(t *testing.T, user string, after time.Duration) (file string) {
	t.Helper()
	text, err := l.Token(user, time.Now().Add(after))
	if err != nil {
		t.Fatal(err)
	}
	l.secrets = append(l.secrets, text)
	return written(t, text)
}

func written(t *testing.T, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// serve is anonsql serve with this engine; at its end nothing that it wrote has a secret.
func (l *locked) serve(t *testing.T, url, ca string, flags ...string) *dbsql.DB {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	flags = append([]string{"serve", "--data-dir", data, "--listen", "127.0.0.1:0", "--engine", url}, flags...)
	if ca != "" {
		flags = append(flags, "--engine-ca", ca)
	}
	ctx, stop := context.WithCancel(t.Context())
	c := begin(ctx, t, flags...)
	t.Cleanup(func() {
		stop()
		<-c.done
		l.silent(t, "the log", c.errs.String())
		err := filepath.WalkDir(data, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			l.silent(t, path, string(text))
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	return (&servertest.Server{Addr: c.await(t, `ready for clients.* address=(\S+)`)[1]}).Open(t, servertest.Root)
}

// silent checks that a text contains no secret.
func (l *locked) silent(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range l.secrets {
		if strings.Contains(text, secret) {
			t.Errorf("a secret is in %s: %.2000s", where, text)
		}
	}
}

// TestSecureEngine: anonsql serve publishes in a Trino that it reaches by TLS, with a password or a token, and answers.
func TestSecureEngine(t *testing.T) {
	l := lock(t)
	for name, credentials := range map[string][]string{"password": {"--engine-password-file", l.PasswordFile}, "token": {"--engine-token-file", l.valid}} {
		t.Run(name, func(t *testing.T) {
			owner := l.serve(t, l.URL, l.CA, credentials...)
			servertest.Exec(t, owner, "CALL set_attributes('trino.raw.people', 'ei=id', 'qi=age', 'sa=disease')", "CALL anonymize('trino.raw.people', 'anatomy', 'l=3', 'store=engine')")
			var read, counted float64
			if err := owner.QueryRow("SELECT COUNT(*), ANON_ACTUAL(COUNT(*)) FROM published.people WHERE age < 10").Scan(&read, &counted); err != nil || read != 500 || counted != 500 {
				t.Errorf("there are %v and actually %v people under 10, %v, want 500", read, counted, err)
			}
			servertest.Exec(t, owner, "CALL drop_release('people')")
		})
	}
	t.Run("refused", l.refusals)
	t.Run("renewed", l.renewal)
	if err := l.Client.Query(t.Context(), "SELECT query FROM system.runtime.queries", func(row []any) error {
		l.silent(t, "the engine's list", row[0].(string))
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// refusals: each error has its number, and never a secret.
func (l *locked) refusals(t *testing.T) {
	elsewhere := strings.Replace(l.URL, "127.0.0.1", "127.0.0.2", 1) // the certificate is not of this address
	other := httptest.NewTLSServer(nil)
	defer other.Close()
	unrelated := written(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: other.Certificate().Raw})))
	wrong := "falsches Kennwort"
	l.secrets = append(l.secrets, wrong)
	for _, c := range []struct {
		name, url, ca, flag, file string
		number                    uint16
		says                      string
	}{
		{"a wrong password", l.URL, l.CA, "--engine-password-file", written(t, wrong), 1045, "refuses anonsql's account anonsql: HTTP status 401"},
		{"an expired token", l.URL, l.CA, "--engine-token-file", l.expired, 1045, "refuses anonsql's account anonsql: HTTP status 401"},
		{"a token of another account", l.URL, l.CA, "--engine-token-file", l.token(t, "somebody", time.Hour), 1142, "User somebody cannot impersonate user anonsql"},
		{"no credentials", l.URL, l.CA, "", "", 1045, "refuses anonsql's account anonsql: HTTP status 401"},
		{"the system's certificates", l.URL, "", "--engine-password-file", l.PasswordFile, 1429, "certificate signed by unknown authority"},
		{"another certificate", l.URL, unrelated, "--engine-password-file", l.PasswordFile, 1429, "certificate signed by unknown authority"},
		{"another host", elsewhere, l.CA, "--engine-password-file", l.PasswordFile, 1429, "valid for 127.0.0.1, not 127.0.0.2"},
		{"no TLS", strings.Replace(l.URL, "=on", "=off", 1), "", "", "", 1429, "HTTP"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var flags []string
			if c.flag != "" {
				flags = []string{c.flag, c.file}
			}
			_, err := l.serve(t, c.url, c.ca, flags...).Exec("CALL anonymize('trino.raw.people', 'anatomy', 'l=3', 'qi=age', 'sa=disease')")
			var told *mysql.MySQLError
			if !errors.As(err, &told) || told.Number != c.number || !strings.Contains(told.Message, c.says) || !strings.Contains(told.Message, "engine at 127.0.0.") {
				t.Errorf("%v, want %d with %q", err, c.number, c.says)
				return
			}
			l.silent(t, "the error", told.Message)
		})
	}
}

// renewal: a token that has expired is renewed in its file while the server runs.
func (l *locked) renewal(t *testing.T) {
	file := l.token(t, "anonsql", -time.Hour)
	owner := l.serve(t, l.URL, l.CA, "--engine-token-file", file)
	const statement = "SELECT COUNT(*) FROM ANON_DETECT('trino.raw.people')"
	if _, err := owner.Exec(statement); servertest.Number(err) != 1045 {
		t.Errorf("with an expired token: %v, want 1045", err)
	}
	fresh, err := os.ReadFile(l.valid)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, fresh, 0o600); err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, owner, statement)
}
