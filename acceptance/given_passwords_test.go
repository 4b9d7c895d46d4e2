package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// waysToAsk are the ways in which a statement reaches the engine. Each runs it on its own connection.
var waysToAsk = []struct {
	name  string
	multi bool // its client may send several statements at once
	run   func(conn *dbsql.Conn, statement string) error
}{
	{"text", false, func(conn *dbsql.Conn, statement string) error { return each(conn, statement) }},
	{"versioned comment", false, func(conn *dbsql.Conn, statement string) error {
		return each(conn, "/*!40100 "+statement+" */")
	}},
	{"second of a text", true, func(conn *dbsql.Conn, statement string) error {
		return each(conn, "SET @a = 1; "+statement+"; SET @a = 2")
	}},
	{"PREPARE and EXECUTE", false, func(conn *dbsql.Conn, statement string) error {
		return each(conn, "PREPARE s FROM "+quoted(statement), "EXECUTE s")
	}},
	{"PREPARE from a variable", false, func(conn *dbsql.Conn, statement string) error {
		return each(conn, "SET @s = "+quoted(statement), "PREPARE s FROM @s", "EXECUTE s")
	}},
	{"prepared by the protocol", false, func(conn *dbsql.Conn, statement string) error {
		prepared, err := conn.PrepareContext(context.Background(), statement)
		if err != nil {
			return err
		}
		defer prepared.Close()
		_, err = prepared.Exec()
		return err
	}},
	{"procedure", false, func(conn *dbsql.Conn, statement string) error {
		return each(conn, "CREATE PROCEDURE d.p() "+statement, "CALL d.p()")
	}},
	{"block of a procedure", false, func(conn *dbsql.Conn, statement string) error {
		return each(conn, "CREATE PROCEDURE d.p() BEGIN DECLARE n INT DEFAULT 1; IF n = 1 THEN BEGIN "+statement+"; END; END IF; END", "CALL d.p()")
	}},
	{"procedure of a procedure", false, func(conn *dbsql.Conn, statement string) error {
		return each(conn, "CREATE PROCEDURE d.p() BEGIN SET @a = 1; "+statement+"; END", "CREATE PROCEDURE d.q() CALL d.p()", "CALL d.q()")
	}},
	{"procedure, prepared", false, func(conn *dbsql.Conn, statement string) error {
		return each(conn, "CREATE PROCEDURE d.p() "+statement, "PREPARE s FROM 'CALL d.p()'", "EXECUTE s")
	}},
}

// each runs statements until one fails.
func each(conn *dbsql.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := conn.ExecContext(context.Background(), statement); err != nil {
			return err
		}
	}
	return nil
}

// quoted writes a text as an SQL literal.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// waysToGive are the ways to give a password; % is the password.
var waysToGive = []string{
	"IDENTIFIED BY '%'",
	"IDENTIFIED WITH mysql_native_password BY '%'",
	"IDENTIFIED WITH caching_sha2_password BY '%'",
	"IDENTIFIED WITH 'caching_sha2_password' BY '%'",
}

// However a password is given, and however its statement comes, the rule applies to the plain text: to its length,
// and to the account's name in it, which a hash does not show. An accepted password is stored as the hash of its
// plugin, and works at login.
func TestEveryWayToGiveAPassword(t *testing.T) {
	t.Parallel()
	s, account := exposed(t, server.Config{}, "CREATE DATABASE d")
	root := s.Open(t, account)
	account.MultiStatements = true
	several := s.Open(t, account)
	for i, way := range waysToAsk {
		t.Run(way.name, func(t *testing.T) {
			run := func(statement string) error {
				client := root
				if way.multi {
					client = several
				}
				conn, err := client.Conn(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				defer servertest.Exec(t, root, "DROP PROCEDURE IF EXISTS d.p", "DROP PROCEDURE IF EXISTS d.q")
				return way.run(conn, statement)
			}
			for j, given := range waysToGive {
				if (i+j)%testsize.Levels(4, 2, 1) != 0 {
					continue // each way to give is combined with some ways to ask
				}
				name := fmt.Sprintf("name%d_%d", i, j)
				with := func(password string) string { return strings.ReplaceAll(given, "%", password) }
				weak := []struct{ password, want string }{
					{"k9$Zq", "Your password does not satisfy the current policy requirements: it must have at least 8 characters"},
					{"a " + name, "the account's name"},
					{"", "none is given"},
				}
				for _, w := range weak {
					if err := run("CREATE USER " + name + " " + with(w.password)); !isWeak(err, w.want) {
						t.Errorf("CREATE USER %s: %v, want %q", with(w.password), err, w.want)
					}
				}
				if n := one[int](t, root, "SELECT COUNT(*) FROM mysql.user WHERE User = '"+name+"'"); n != 0 {
					t.Fatalf("%s was made by %s", name, given)
				}
				if err := run("CREATE USER " + name + " " + with("a long sentence")); err != nil {
					t.Fatalf("CREATE USER %s: %v", with("a long sentence"), err)
				}
				for _, w := range weak {
					if err := run("ALTER USER " + name + " " + with(w.password)); !isWeak(err, w.want) {
						t.Errorf("ALTER USER %s: %v, want %q", with(w.password), err, w.want)
					}
				}
				logsIn(t, s, root, name, "a long sentence", given)
				if err := run("ALTER USER " + name + " " + with("another sentence")); err != nil {
					t.Fatalf("ALTER USER %s: %v", with("another sentence"), err)
				}
				logsIn(t, s, root, name, "another sentence", given)
			}
		})
	}
}

// isWeak reports whether an error is of the rule for exposed servers and contains the words.
func isWeak(err error, words string) bool {
	return servertest.Number(err) == 1819 && strings.Contains(err.Error(), words) &&
		strings.HasSuffix(err.Error(), "; this holds for every account while the server listens on 0.0.0.0:0")
}

// logsIn logs an account in, and expects its password to be stored as the hash of the plugin in given.
func logsIn(t *testing.T, s *servertest.Server, root *dbsql.DB, name, password, given string) {
	t.Helper()
	db := s.Open(t, servertest.Account{User: name, Password: password, TLS: "skip-verify"})
	if who := one[string](t, db, "SELECT CURRENT_USER()"); who != name+"@%" {
		t.Errorf("%s logged in as %s", name, who)
	}
	plugin, begins := "mysql_native_password", "*"
	if strings.Contains(given, "caching_sha2_password") {
		plugin, begins = "caching_sha2_password", "$A$005$"
	}
	var stored, hash string
	var identity dbsql.NullString
	row := root.QueryRow("SELECT plugin, authentication_string, identity FROM mysql.user WHERE User = '" + name + "'")
	if err := row.Scan(&stored, &hash, &identity); err != nil {
		t.Fatal(err)
	}
	if stored != plugin || !strings.HasPrefix(hash, begins) || strings.Contains(hash, password) || identity.String != "" {
		t.Errorf("%s with %s is stored as %s %q, identity %q", name, given, stored, hash, identity.String)
	}
}

// A routine that was stored before the server was exposed cannot set a weak password later.
func TestStoredRoutinesGiveNoWeakPassword(t *testing.T) {
	t.Parallel()
	s, account := exposed(t, server.Config{}, "CREATE DATABASE d",
		"CREATE PROCEDURE d.native() CREATE USER new IDENTIFIED BY 'k9$Zq'",
		"CREATE PROCEDURE d.sha() BEGIN CREATE USER new IDENTIFIED WITH caching_sha2_password BY 'k9$Zq'; END",
		"CREATE USER old IDENTIFIED BY 'a long sentence'",
		"CREATE PROCEDURE d.alters() ALTER USER old IDENTIFIED WITH caching_sha2_password BY 'k9$Zq'")
	root := s.Open(t, account)
	for _, call := range []string{"CALL d.native()", "CALL d.sha()", "CALL d.alters()"} {
		if _, err := root.Exec(call); !isWeak(err, "at least 8 characters") {
			t.Errorf("%s: %v", call, err)
		}
	}
	logsIn(t, s, root, "old", "a long sentence", "mysql_native_password")
}

// Other errors of a statement come before the check of its password. A plugin with a misspelled name is unknown, even
// if only the case differs.
func TestWhatIsSaidBeforeThePassword(t *testing.T) {
	t.Parallel()
	s, account := exposed(t, server.Config{}, "CREATE USER plain IDENTIFIED BY 'a long sentence'", "CREATE USER boss IDENTIFIED BY 'a long sentence'", "GRANT CREATE USER ON *.* TO boss")
	root := s.Open(t, account)
	plain := s.Open(t, servertest.Account{User: "plain", Password: "a long sentence", TLS: "skip-verify"})
	boss := s.Open(t, servertest.Account{User: "boss", Password: "a long sentence", TLS: "skip-verify"})
	for _, c := range []struct {
		db        *dbsql.DB
		statement string
		number    int
	}{
		{plain, "CREATE USER new IDENTIFIED WITH caching_sha2_password BY 'x'", 1227},
		{plain, "ALTER USER boss IDENTIFIED WITH caching_sha2_password BY 'x'", 1227},
		{boss, "ALTER USER root@localhost IDENTIFIED WITH caching_sha2_password BY 'x'", 1227},
		{boss, "CREATE USER new IDENTIFIED WITH caching_sha2_password BY 'x' REQUIRE SSL", 1235},
		{boss, "CREATE USER new@example IDENTIFIED WITH caching_sha2_password BY 'x'", 1235},
		{boss, "ALTER USER missing IDENTIFIED WITH caching_sha2_password BY 'x'", 1819},
		{boss, "ALTER USER missing IDENTIFIED WITH caching_sha2_password BY 'a long sentence'", 1396},
		{root, "CREATE USER new IDENTIFIED WITH CACHING_SHA2_PASSWORD BY 'a long sentence'", 1524},
		{root, "CREATE USER new IDENTIFIED WITH sha256_password BY 'a long sentence'", 1524},
		{root, "CREATE USER new IDENTIFIED WITH 'caching_sha2_password ' BY 'a long sentence'", 1524},
		{root, "CREATE USER new IDENTIFIED WITH caching_sha2_password AS 'a long sentence'", 1827},
		{root, "CREATE USER IF NOT EXISTS boss IDENTIFIED WITH caching_sha2_password BY 'x'", 1819},
	} {
		if _, err := c.db.Exec(c.statement); servertest.Number(err) != c.number {
			t.Errorf("%s: %v, want %d", c.statement, err, c.number)
		}
	}
}

// ALTER USER without a password is refused, in every way, and the password stays.
func TestAlterUserWithoutAPassword(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	several := s.Open(t, servertest.Account{User: "root", MultiStatements: true})
	servertest.Exec(t, root, "CREATE DATABASE d", "CREATE USER ana IDENTIFIED BY 'secret'")
	for _, way := range waysToAsk {
		for _, statement := range []string{"ALTER USER ana", "ALTER USER ana IDENTIFIED WITH mysql_native_password",
			"ALTER USER IF EXISTS ana IDENTIFIED BY 'other' WITH MAX_USER_CONNECTIONS 3"} {
			client := root
			if way.multi {
				client = several
			}
			conn, err := client.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := way.run(conn, statement); servertest.Number(err) != 1235 || !strings.Contains(err.Error(), "this form of ALTER USER: write") {
				t.Errorf("%s: %s: %v", way.name, statement, err)
			}
			conn.Close()
			servertest.Exec(t, root, "SHOW PROCEDURE STATUS", "DROP PROCEDURE IF EXISTS d.p", "DROP PROCEDURE IF EXISTS d.q")
			ana := s.Open(t, servertest.Account{User: "ana", Password: "secret"})
			if who := one[string](t, ana, "SELECT CURRENT_USER()"); who != "ana@%" {
				t.Errorf("%s: %s: ana logged in as %s", way.name, statement, who)
			}
			ana.Close()
		}
	}
	// In a body an explicit empty password counts as one, as it does at top level.
	servertest.Exec(t, root, "CREATE PROCEDURE d.p() BEGIN ALTER USER ana IDENTIFIED BY ''; END", "CALL d.p()")
	one[int](t, s.Open(t, servertest.Account{User: "ana"}), "SELECT 1")
}
