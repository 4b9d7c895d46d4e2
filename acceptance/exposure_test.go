package acceptance

import (
	"context"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// refusesToServe starts a server that must refuse to listen, and returns the reason.
func refusesToServe(t *testing.T, config server.Config) string {
	t.Helper()
	config.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	config.Ready = nil
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := server.Run(ctx, config)
	if err == nil {
		t.Fatal("it served")
	}
	return err.Error()
}

// exposed returns a server on every interface whose root has a good password, after it ran statements on the loopback
// interface.
func exposed(t *testing.T, config server.Config, statements ...string) (*servertest.Server, servertest.Account) {
	t.Helper()
	s := servertest.Start(t, config)
	servertest.Exec(t, s.Open(t, servertest.Root), append(statements, "ALTER USER root@localhost IDENTIFIED BY 'a long word'")...)
	s.Stop(t)
	config = s.Config
	config.Listen = "0.0.0.0:0"
	return servertest.Start(t, config), servertest.Account{User: "root", Password: "a long word", TLS: "skip-verify"}
}

// The server does not listen on an address that others can reach while an account has no password, or a trivial one,
// whatever its privileges and host. The error lists all such accounts.
func TestOpenAccountsAreNotExposed(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE USER bare", "CREATE USER sha",
		"CREATE USER letter IDENTIFIED BY 'x'", "CREATE USER listed@'10.%' IDENTIFIED BY 'Password1'",
		"CREATE USER own@localhost IDENTIFIED BY 'own123'", "CREATE USER slow IDENTIFIED WITH caching_sha2_password BY 'letmein'",
		"CREATE USER slowbare IDENTIFIED WITH caching_sha2_password BY ''",
		"CREATE USER hashed IDENTIFIED WITH mysql_native_password AS '*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19'",
		"CREATE USER fine IDENTIFIED BY 'another word'", "CREATE USER slowfine IDENTIFIED WITH caching_sha2_password BY 'another word'", "CREATE ROLE reader")
	s.Stop(t)
	config := s.Config
	config.Listen, config.BesideListen = "127.0.0.1:0", "[::]:8080"
	if said := refusesToServe(t, config); !strings.Contains(said, "does not listen on [::]:8080") || !strings.Contains(said, "'root'@'localhost' has no password") {
		t.Errorf("beside: %s", said)
	}
	config.Listen, config.BesideListen = "0.0.0.0:0", ""
	said := refusesToServe(t, config)
	for _, want := range []string{"does not listen on 0.0.0.0:0", "--listen 127.0.0.1:3306",
		"'root'@'localhost' has no password: ALTER USER 'root'@'localhost' IDENTIFIED BY",
		"'bare'@'%' has no password", "'sha'@'%' has no password", "'slowbare'@'%' has no password",
		"'letter'@'%' has a password that everybody tries first", "'listed'@'10.%' has a password that everybody tries first",
		"'own'@'localhost' has its own name", "'slow'@'%' has a password that everybody tries first", "'hashed'@'%' has a password that everybody"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing:\n%s", want, said)
		}
	}
	for _, closed := range []string{"'fine'", "'slowfine'", "'reader'"} {
		if strings.Contains(said, closed) {
			t.Errorf("%s is said to be open:\n%s", closed, said)
		}
	}
}

// While others can reach the server, no statement creates an account without a good password, or removes one.
func TestExposedAccountsStayClosed(t *testing.T) {
	t.Parallel()
	s, account := exposed(t, server.Config{Extend: server.Product}, "CREATE USER fine IDENTIFIED BY 'another word'")
	root := s.Open(t, account)
	// The hash of 'password', which no account has had before.
	const hash = "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19"
	for _, c := range []struct{ statement, want string }{
		{"CREATE USER new", "none is given"},
		{"CREATE USER new@localhost", "none is given"},
		{"CREATE USER new IDENTIFIED BY ''", "none is given"},
		{"CREATE USER new IDENTIFIED BY 'x'", "at least 8 characters"},
		{"CREATE USER other IDENTIFIED BY 'a good word', new IDENTIFIED BY 'x'", "at least 8 characters"},
		{"CREATE USER new IDENTIFIED BY 'a new word'", "the account's name"},
		{"CREATE USER new IDENTIFIED BY 'zzzzzzzzzz'", "again and again"},
		{"CREATE USER new IDENTIFIED BY 'Password1'", "everybody tries first"},
		{"CREATE USER new IDENTIFIED WITH mysql_native_password BY 'x'", "at least 8 characters"},
		{"CREATE USER new IDENTIFIED WITH caching_sha2_password BY 'x'", "at least 8 characters"},
		{"CREATE USER new IDENTIFIED WITH caching_sha2_password", "none is given"},
		{"CREATE USER new IDENTIFIED WITH mysql_native_password AS '" + hash + "'", "'new'@'%' has a password that everybody tries first"},
		{"ALTER USER fine IDENTIFIED BY ''", "none is given"},
		{"ALTER USER fine IDENTIFIED BY 'x'", "at least 8 characters"},
		{"ALTER USER fine IDENTIFIED WITH caching_sha2_password BY '12345678'", "everybody tries first"},
		{"ALTER USER fine IDENTIFIED WITH mysql_native_password AS '" + hash + "'", "'fine'@'%' has a password that everybody tries first"},
		{"ALTER USER root@localhost IDENTIFIED BY ''", "none is given"},
		{"CALL create_analyst('new', 'password1')", "everybody tries first"},
	} {
		_, err := root.Exec(c.statement)
		if servertest.Number(err) != 1819 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.statement, err, c.want)
		} else if !strings.Contains(c.statement, "create_analyst") && !strings.Contains(err.Error(), "while the server listens on 0.0.0.0:0") {
			t.Errorf("%s: %v does not say why", c.statement, err)
		}
	}
	// The message is complete, and contains no error number.
	_, err := root.Exec("ALTER USER fine IDENTIFIED BY 'x'")
	if want := "Error 1819 (HY000): Your password does not satisfy the current policy requirements: it must have at least 8 characters; " +
		"this holds for every account while the server listens on 0.0.0.0:0"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for _, refused := range []string{"SET PASSWORD = 'x'", "GRANT SELECT ON *.* TO new", "GRANT SELECT ON *.* TO new IDENTIFIED BY 'x'"} {
		if _, err := root.Exec(refused); err == nil {
			t.Errorf("%s was done", refused)
		}
	}
	if got := listed(t, root, "SELECT User FROM mysql.user ORDER BY User"); got != "fine\nroot\n" {
		t.Errorf("the accounts are\n%s", got)
	}
	one[int](t, s.Open(t, servertest.Account{User: "fine", Password: "another word", TLS: "skip-verify"}), "SELECT 1")
	servertest.Exec(t, root, "CREATE ROLE reader", "CREATE USER new IDENTIFIED BY 'a third word'", "ALTER USER new IDENTIFIED WITH caching_sha2_password BY 'a fourth word'",
		"GRANT reader TO new", "RENAME USER new TO newer", "CALL create_analyst('bi', 'a fifth word')", "DROP USER newer", "DROP ROLE reader")
}

// On the loopback interface the owner decides about passwords.
func TestLoopbackIsOpen(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE USER new IDENTIFIED BY 'x'", "ALTER USER new IDENTIFIED BY ''")
	one[int](t, s.Open(t, servertest.Account{User: "new"}), "SELECT 1")
	if strings.Contains(s.Log(), "tls") {
		t.Errorf("the log:\n%s", s.Log())
	}
}

// If others can reach the server, TLS is required, with a certificate that the server makes, unless the owner decides
// otherwise by name.
func TestExposedServerRequiresTLS(t *testing.T) {
	t.Parallel()
	s, root := exposed(t, server.Config{})
	one[int](t, s.Open(t, root), "SELECT 1")
	plain := root
	plain.TLS = ""
	if err := s.Open(t, plain).Ping(); servertest.Number(err) != 3159 {
		t.Errorf("without TLS: %v", err)
	}
	s.Stop(t)

	config := s.Config
	config.AllowPlaintext = true
	s = servertest.Start(t, config)
	one[int](t, s.Open(t, plain), "SELECT 1")
	one[int](t, s.Open(t, root), "SELECT 1")
	if !strings.Contains(s.Log(), "may log in without TLS (--allow-plaintext)") {
		t.Errorf("no warning:\n%s", s.Log())
	}
	s.Stop(t)

	// The owner's own certificate.
	config.AllowPlaintext = false
	config.TLSCert, config.TLSKey, _ = certificate(t)
	s = servertest.Start(t, config)
	one[int](t, s.Open(t, root), "SELECT 1")
	if err := s.Open(t, plain).Ping(); servertest.Number(err) != 3159 {
		t.Errorf("without TLS, with a certificate of one's own: %v", err)
	}
}

var connectLine = regexp.MustCompile(`^time=\S+ level=INFO msg="ready for clients" address=(\S+) connect="mariadb --host=(\S+) --port=(\d+) --user=(\S+)( --password)?( --ssl)?" account='(\S+)'@'(\S+)'( tls_sha256=([0-9A-F:]{95}))? data=\S+\n`)

// The first line of the log says how to log in, and this works.
func TestFirstLineSaysHowToGetIn(t *testing.T) {
	t.Parallel()
	followed := func(s *servertest.Server, password string) []string {
		t.Helper()
		said := connectLine.FindStringSubmatch(s.Log())
		if said == nil {
			t.Fatalf("the log begins otherwise:\n%s", s.Log())
		}
		account := servertest.Account{User: said[4]}
		if said[5] != "" {
			account.Password = password
		}
		if said[6] != "" {
			account.TLS = "skip-verify"
		}
		there := *s
		there.Addr = said[2] + ":" + said[3]
		db := there.Open(t, account)
		if got, want := one[string](t, db, "SELECT CURRENT_USER()"), said[7]+"@"+said[8]; got != want {
			t.Errorf("logged in as %s, the log says %s", got, want)
		}
		return said
	}
	if said := followed(servertest.Start(t, server.Config{MetricsListen: ":0"}), ""); said[5] != "" || said[6] != "" || said[10] != "" {
		t.Errorf("on loopback: %q", said)
	}
	s, _ := exposed(t, server.Config{MetricsListen: "0.0.0.0:0"})
	said := followed(s, "a long word")
	if said[5] == "" || said[6] == "" || !strings.Contains(s.Log(), "msg=TLS") || strings.Count(s.Log(), said[10]) != 2 {
		t.Errorf("on every interface: %q\n%s", said, s.Log())
	}
	s.Stop(t)

	// If the start fails, deferred lines are written.
	var log strings.Builder
	config := s.Config
	config.Listen, config.DataDir, config.Ready = "nowhere", t.TempDir(), nil
	config.Logger = slog.New(slog.NewTextHandler(&log, nil)).With("a", 1).WithGroup("g")
	if err := server.Run(t.Context(), config); err == nil || !strings.Contains(log.String(), "msg=metrics a=1 g.address") {
		t.Errorf("%v; the log is %q", err, log.String())
	}
}

// If no superuser can log in, the first line says so.
func TestNoWayIn(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE USER chief@'192.0.2.1'", "GRANT ALL ON *.* TO chief@'192.0.2.1' WITH GRANT OPTION", "DROP USER root@localhost")
	s.Stop(t)
	s = servertest.Start(t, s.Config)
	first, _, _ := strings.Cut(s.Log(), "\n")
	if !strings.Contains(first, "no account that may do everything can log in at this address") {
		t.Errorf("the log begins %s", first)
	}
}
