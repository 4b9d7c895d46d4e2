package acceptance

import (
	"context"
	"crypto/tls"
	dbsql "database/sql"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// selfSigned starts a server with its own certificate, and returns the name of the driver's configuration that trusts
// it.
func selfSigned(t *testing.T, config server.Config) (*servertest.Server, string) {
	t.Helper()
	config.TLSSelfSigned = true
	s := servertest.Start(t, config)
	trusted := &tls.Config{RootCAs: poolOf(t, filepath.Join(s.Config.DataDir, "tls-cert.pem")), ServerName: "localhost"}
	if err := mysql.RegisterTLSConfig(t.Name(), trusted); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mysql.DeregisterTLSConfig(t.Name()) })
	return s, t.Name()
}

// login opens a new connection.
func login(t *testing.T, s *servertest.Server, account servertest.Account) error {
	t.Helper()
	db := s.Open(t, account)
	defer db.Close()
	return db.Ping()
}

// Both methods, with and without TLS, by Go's driver.
func TestAuthenticationMethods(t *testing.T) {
	t.Parallel()
	s, secure := selfSigned(t, server.Config{Extend: withPublished})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE USER native@'%' IDENTIFIED WITH mysql_native_password BY 'geheim!'",
		"CREATE USER sha2@'%' IDENTIFIED WITH caching_sha2_password BY 'geheim!'", "CREATE USER bare@'%'",
		"CREATE USER bare2@'%' IDENTIFIED WITH caching_sha2_password")
	for _, c := range []struct {
		user, password, tls string
		number              int
		what                string
	}{
		{"native", "geheim!", "", 0, "native, plain"},
		{"native", "geheim!", secure, 0, "native, TLS"},
		{"native", "Geheim!", "", 1045, "native, wrong"},
		{"native", "", "", 1045, "native, none"},
		{"nobody", "geheim!", "", 1045, "no account"},
		{"nobody", "geheim!", secure, 1045, "no account, TLS"},
		{"bare", "", "", 0, "no password"},
		{"bare", "x", "", 1045, "a password where there is none"},
		{"bare2", "", "", 0, "sha2, no password"},
		{"bare2", "", secure, 0, "sha2, no password, TLS"},
		{"sha2", "geheim!", "", 3159, "sha2, plain, not known yet"},
		{"sha2", "Geheim!", secure, 1045, "sha2, wrong, TLS"},
		{"sha2", "", secure, 1045, "sha2, none, TLS"},
		{"sha2", "geheim!", "", 3159, "a wrong one made nothing known"},
		{"sha2", "geheim!", secure, 0, "sha2, TLS: the long path"},
		{"sha2", "geheim!", secure, 0, "sha2, TLS: the fast path"},
		{"sha2", "geheim!", "", 0, "sha2, plain: the fast path"},
		{"sha2", "Geheim!", "", 3159, "sha2, plain, wrong"},
	} {
		err := login(t, s, servertest.Account{User: c.user, Password: c.password, TLS: c.tls})
		if servertest.Number(err) != c.number || (c.number == 0) != (err == nil) {
			t.Errorf("%s: %v, want number %d", c.what, err, c.number)
		}
	}
	// A new password invalidates cached ones.
	servertest.Exec(t, root, "ALTER USER sha2@'%' IDENTIFIED WITH caching_sha2_password BY 'neu geheim'")
	for _, c := range []struct {
		password, tls string
		number        int
	}{{"geheim!", "", 3159}, {"geheim!", secure, 1045}, {"neu geheim", "", 3159}, {"neu geheim", secure, 0}, {"neu geheim", "", 0}} {
		if err := login(t, s, servertest.Account{User: "sha2", Password: c.password, TLS: c.tls}); servertest.Number(err) != c.number {
			t.Errorf("after ALTER USER, %+v: %v", c, err)
		}
	}
	servertest.Exec(t, root, "DROP USER sha2@'%'")
	if err := login(t, s, servertest.Account{User: "sha2", Password: "neu geheim"}); servertest.Number(err) != 1045 {
		t.Errorf("dropped: %v", err)
	}
	if strings.Contains(s.Log(), "geheim") {
		t.Error("the log has a password")
	}
}

// The same with the stock command line client.
func TestAuthenticationOfTheCommandLineClient(t *testing.T) {
	t.Parallel()
	s, _ := selfSigned(t, server.Config{Extend: withPublished})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE USER native@'%' IDENTIFIED WITH mysql_native_password BY 'geheim!'",
		"CREATE USER sha2@'%' IDENTIFIED WITH caching_sha2_password BY 'geheim!'")
	ca := "--ssl-ca=" + filepath.Join(s.Config.DataDir, "tls-cert.pem")
	for _, c := range []struct {
		what      string
		fails     string
		arguments []string
	}{
		{"native, plain", "", []string{"--user=native", "--password=geheim!", "--skip-ssl"}},
		{"native, TLS, verified", "", []string{"--user=native", "--password=geheim!", ca, "--ssl-verify-server-cert"}},
		{"native, wrong", "ERROR 1045", []string{"--user=native", "--password=falsch", "--skip-ssl"}},
		{"sha2, plain, not known yet", "ERROR 3159", []string{"--user=sha2", "--password=geheim!", "--skip-ssl"}},
		{"sha2, TLS: the long path", "", []string{"--user=sha2", "--password=geheim!", ca}},
		{"sha2, TLS: the fast path", "", []string{"--user=sha2", "--password=geheim!", ca}},
		{"sha2, plain: the fast path", "", []string{"--user=sha2", "--password=geheim!", "--skip-ssl"}},
		{"sha2, wrong", "ERROR 1045", []string{"--user=sha2", "--password=falsch", ca}},
	} {
		got, err := mariadb(t, s, "SELECT n FROM published.adult", append(c.arguments, "--default-auth=mysql_native_password")...)
		switch {
		case c.fails == "" && !strings.Contains(got, "denied"): // the account has no privileges, but it was let in
			t.Errorf("%s: %v, %s", c.what, err, got)
		case c.fails != "" && (err == nil || !strings.Contains(got, c.fails)):
			t.Errorf("%s: %v, %s, want %s", c.what, err, got, c.fails)
		}
	}
}

// If TLS is required, a client without TLS gets error 3159, whether or not the password is right and the account
// exists.
func TestRequireTLS(t *testing.T) {
	t.Parallel()
	s, secure := selfSigned(t, server.Config{Extend: withPublished, RequireTLS: true})
	root := servertest.Root
	root.TLS = secure
	servertest.Exec(t, s.Open(t, root), "CREATE USER sha2@'%' IDENTIFIED WITH caching_sha2_password BY 'geheim!'", "CREATE USER native@'%' IDENTIFIED BY 'geheim!'")
	for _, user := range []string{"root", "native", "sha2", "nobody"} {
		for _, password := range []string{"", "geheim!"} {
			if err := login(t, s, servertest.Account{User: user, Password: password}); servertest.Number(err) != 3159 {
				t.Errorf("%s without TLS: %v, want number 3159", user, err)
			}
		}
	}
	for _, user := range []string{"native", "sha2"} {
		if err := login(t, s, servertest.Account{User: user, Password: "geheim!", TLS: secure}); err != nil {
			t.Errorf("%s by TLS: %v", user, err)
		}
	}
	// The server does not answer a client that continues after the error.
	conn, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	readPacket(t, conn)
	// Protocol 4.1 without SSL, user root, no password.
	const capabilities = "\x00\x82\x08\x00" // PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH
	reply := capabilities + "\x00\x00\x00\x01" + "\x21" + strings.Repeat("\x00", 23) + "root\x00" + "\x00" + "mysql_native_password\x00"
	query := "\x03SELECT 1"
	for _, packet := range []string{string([]byte{byte(len(reply)), 0, 0, 1}) + reply, string([]byte{byte(len(query)), 0, 0, 0}) + query} {
		if _, err := conn.Write([]byte(packet)); err != nil {
			t.Fatal(err)
		}
	}
	rest, _ := io.ReadAll(conn) // a reset also ends it
	if len(rest) < 7 || rest[4] != 0xff || int(rest[5])|int(rest[6])<<8 != 3159 || len(rest) != 4+int(rest[0]) {
		t.Errorf("the server sent %q", rest)
	}
}

func readPacket(t *testing.T, conn net.Conn) []byte {
	t.Helper()
	header := make([]byte, 4)
	if _, err := io.ReadFull(conn, header); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, int(header[0])|int(header[1])<<8|int(header[2])<<16)
	if _, err := io.ReadFull(conn, body); err != nil {
		t.Fatal(err)
	}
	return body
}

// Passwords reach neither the log nor an error, whatever goes wrong.
func TestPasswordsAreNotLogged(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	db := s.Open(t, servertest.Root)
	for _, statement := range []string{
		"CREATE USER a IDENTIFIED BY 'hush-hush-1'", "CREATE USER a IDENTIFIED BY 'hush-hush-1'", "ALTER USER nobody IDENTIFIED BY 'hush-hush-1'",
		"CALL create_analyst('bi', 'hush-hush-1')", "CALL create_analyst('bi', 'hush-hush-1')", "CALL create_analyst('bi', 'hush-hush-1', 'no.such.host')",
		"SET PASSWORD = 'hush-hush-1'",
	} {
		if _, err := db.ExecContext(context.Background(), statement); err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if strings.Contains(s.Log(), "hush") {
		t.Errorf("the log has a password:\n%s", s.Log())
	}
	var stored string
	err := db.QueryRow("SELECT authentication_string FROM mysql.user WHERE User = 'bi'").Scan(&stored)
	if err != nil || err == dbsql.ErrNoRows || !strings.HasPrefix(stored, "*") {
		t.Errorf("%q is stored, %v", stored, err)
	}
}
