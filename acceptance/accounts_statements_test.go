package acceptance

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// refusedAccountStatements name an account a and a role r. Each has the number and a part of its error.
var refusedAccountStatements = []struct {
	statement string
	number    int
	says      string
}{
	{"CREATE USER new, a", 1396, "'a'@'%'"},
	{"CREATE USER new REQUIRE SSL", 1235, "--require-tls"},
	{"CREATE USER new WITH MAX_USER_CONNECTIONS 3", 1235, "--max-connections"},
	{"CREATE USER new ACCOUNT LOCK", 1235, "DROP USER"},
	{"CREATE USER new PASSWORD EXPIRE NEVER", 1235, "neither expire"},
	{"CREATE USER new DEFAULT ROLE r", 1235, "GRANT the role"},
	{"CREATE USER new IDENTIFIED BY RANDOM PASSWORD", 1235, "random passwords are not made"},
	{"CREATE USER new IDENTIFIED WITH 'auth_socket'", 1524, "caching_sha2_password"},
	{"CREATE USER new IDENTIFIED WITH caching_sha2_password AS 'garbage'", 1827, "expected format"},
	{"CREATE USER new IDENTIFIED WITH mysql_native_password AS '*AB'", 1827, "expected format"},
	{"CREATE USER new@'some.host.example'", 1235, "not looked up"},
	{"CREATE USER new@'127.0.0.1'", 1235, "localhost"},
	{"CREATE USER new@'10.0.0.0/255.0.255.0'", 1235, "network"},
	{"CREATE USER abcdefghijklmnopqrstuvwxyzabcdefghij", 1470, "too long"},
	{"ALTER USER a", 1235, "IDENTIFIED [WITH plugin] BY"},
	{"ALTER USER a WITH MAX_USER_CONNECTIONS 3", 1235, "IDENTIFIED [WITH plugin] BY"},
	{"ALTER USER a IDENTIFIED WITH caching_sha2_password", 1235, "IDENTIFIED [WITH plugin] BY"},
	{"ALTER USER a ACCOUNT LOCK", 1235, "DROP USER"},
	{"ALTER USER a REQUIRE SSL", 1235, "--require-tls"},
	{"ALTER USER USER() IDENTIFIED BY 'x'", 1235, "CURRENT_USER()"},
	{"ALTER USER a IDENTIFIED BY 'x', r IDENTIFIED BY 'x'", 1235, "one account at a time"},
	{"ALTER USER nobody IDENTIFIED BY 'x'", 1396, "'nobody'@'%'"},
	{"SET PASSWORD = 'x'", 1235, "ALTER USER"},
	{"SET PASSWORD FOR a = 'x'", 1235, "ALTER USER"},
	{"SET ROLE r", 1235, "active at once"},
	{"SET DEFAULT ROLE ALL TO a", 1235, "active at once"},
	{"SHOW CREATE USER a", 1235, "SHOW GRANTS"},
	{"SHOW GRANTS FOR a@'10.1.1.1'", 1141, "10.1.1.1"},
	{"DROP USER a@'10.1.1.1'", 1396, "'a'@'10.1.1.1'"},
	{"DROP USER a, nobody", 1396, "'nobody'@'%'"},
	{"DROP USER root@localhost", 1396, "last account"},
	{"DROP ROLE a", 1396, "DROP USER"},
	{"DROP ROLE root@localhost", 1396, "DROP USER"},
	{"DROP ROLE nobody", 1396, "nobody"},
	{"CREATE ROLE r", 1396, "'r'@'%'"},
	{"RENAME USER nobody TO other", 1396, "'nobody'@'%'"},
	{"RENAME USER a TO r", 1396, "'a'@'%'"},
	{"RENAME USER a TO a@'host.example'", 1235, "not looked up"},
	{"GRANT SELECT ON published.* TO a@'10.1.1.1'", 1410, "'a'@'10.1.1.1'"},
	{"GRANT SELECT (n) ON published.adult TO a", 1235, "columns"},
	{"GRANT SELECT ON *.* TO a AS root", 1235, "AS is not supported"},
	{"GRANT PROXY ON a TO r", 1235, "PROXY"},
	{"GRANT nobody TO a", 3523, "'nobody'@'%'"},
	{"GRANT r TO nobody", 3523, "'nobody'@'%'"},
	{"REVOKE nobody FROM a", 3523, "'nobody'@'%'"},
	{"REVOKE SELECT ON published.* FROM nobody", 1141, "'nobody'@'%'"},
	{"REVOKE ALL PRIVILEGES, GRANT OPTION FROM nobody", 1269, "'nobody'@'%'"},
}

// A refusal says what works instead, and leaves nothing behind.
func TestAccountStatementsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE USER a@'%' IDENTIFIED BY 'secret'", "CREATE ROLE r")
	for _, c := range refusedAccountStatements {
		t.Run(c.statement, func(t *testing.T) {
			_, err := root.Exec(c.statement)
			if servertest.Number(err) != c.number || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want number %d and %q", err, c.number, c.says)
			}
		})
	}
	if left := listed(t, root, "SELECT User, Host FROM mysql.user ORDER BY User"); left != "a %\nr %\nroot localhost\n" {
		t.Errorf("accounts are left:\n%s", left)
	}
	one[int](t, s.Open(t, servertest.Account{User: "a", Password: "secret"}), "SELECT 1")
	servertest.Exec(t, root, "DROP USER IF EXISTS a@'10.1.1.1', nobody", "ALTER USER IF EXISTS nobody IDENTIFIED BY 'x'")
	one[int](t, s.Open(t, servertest.Account{User: "a", Password: "secret"}), "SELECT 1")
}

// The next statement of an open session, also a prepared one, sees every change. So does a restarted server.
func TestAccountChangesInOpenSessions(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE raw", "CREATE TABLE raw.t (n INT)", "INSERT INTO raw.t VALUES (1)",
		"CREATE USER ana IDENTIFIED BY 'secret'", "CREATE ROLE reader", "GRANT SELECT ON raw.* TO reader")
	conn := s.Connect(t, servertest.Account{User: "ana", Password: "secret"})
	reads := func() bool {
		_, err := conn.ExecContext(t.Context(), "SELECT * FROM raw.t")
		return err == nil
	}
	servertest.Exec(t, root, "GRANT SELECT ON raw.* TO ana")
	prepared, err := conn.PrepareContext(t.Context(), "SELECT n FROM raw.t WHERE n = ?")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change string
		reads  bool
	}{
		{"GRANT SELECT ON raw.t TO ana", true},
		{"REVOKE SELECT ON raw.* FROM ana", true}, // the table's is left
		{"REVOKE SELECT ON raw.t FROM ana", false},
		{"GRANT reader TO ana", true},
		{"REVOKE SELECT ON raw.* FROM reader", false},
		{"GRANT SELECT ON raw.* TO reader", true},
		{"REVOKE reader FROM ana", false},
		{"GRANT reader TO ana WITH ADMIN OPTION", true},
		{"DROP ROLE reader", false},
		{"GRANT ALL ON raw.* TO ana", true},
		{"REVOKE ALL PRIVILEGES, GRANT OPTION FROM ana", false},
		{"GRANT SELECT ON raw.* TO ana", true},
		{"ALTER USER ana IDENTIFIED BY 'another'", true}, // as in MySQL, sessions stay
		{"RENAME USER ana TO anna", false},
		{"RENAME USER anna TO ana", true},
		{"DROP USER ana", false},
	} {
		servertest.Exec(t, root, c.change)
		if got := reads(); got != c.reads {
			t.Errorf("after %s the open session reads: %v, want %v", c.change, got, c.reads)
		}
		rows, err := prepared.QueryContext(t.Context(), 1)
		if err == nil {
			rows.Close()
		}
		if (err == nil) != c.reads {
			t.Errorf("after %s the prepared statement: %v, want to read: %v", c.change, err, c.reads)
		}
	}
}

// The session of a dropped account has no privileges, even if another account has its name, or there is an anonymous account.
func TestSessionsHaveNothingOfNamesakes(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE raw", "CREATE TABLE raw.t (n INT)")
	for _, c := range []struct{ namesake, gone string }{
		{"ana@'%'", "DROP USER ana@localhost"}, {"ana@'%'", "RENAME USER ana@localhost TO anna@localhost"}, {"''@'%'", "DROP USER ana@localhost"},
	} {
		servertest.Exec(t, root, "CREATE USER ana@localhost IDENTIFIED BY 'secret'", "CREATE USER "+c.namesake+" IDENTIFIED BY 'secret'",
			"GRANT SELECT ON published.* TO ana@localhost", "GRANT SELECT ON raw.t TO "+c.namesake, "GRANT CREATE USER ON *.* TO "+c.namesake)
		conn := s.Connect(t, servertest.Account{User: "ana", Password: "secret"})
		servertest.Exec(t, conn, "SELECT 1")
		servertest.Exec(t, root, c.gone)
		for _, statement := range []string{"SELECT * FROM raw.t", "CREATE USER made", "SHOW TABLES FROM raw"} {
			if _, err := conn.ExecContext(t.Context(), statement); servertest.Number(err) == 0 {
				t.Errorf("after %s, beside %s: %s was done", c.gone, c.namesake, statement)
			}
		}
		servertest.Exec(t, root, "DROP USER "+c.namesake, "DROP USER IF EXISTS ana@localhost, anna@localhost, made")
	}
}

// A role stays a role after a restart, and keeps WITH ADMIN OPTION.
func TestRolesSurviveRestart(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE USER other IDENTIFIED BY 'secret'", "CREATE ROLE admin", "GRANT admin TO other WITH ADMIN OPTION", "CREATE USER third")
	s.Stop(t)
	s = servertest.Start(t, s.Config)
	other := s.Open(t, servertest.Account{User: "other", Password: "secret"})
	servertest.Exec(t, other, "GRANT admin TO third")
	if _, err := s.Open(t, servertest.Account{User: "admin"}).Conn(t.Context()); servertest.Number(err) != 1045 {
		t.Errorf("a role logs in: %v", err)
	}
	servertest.Exec(t, s.Open(t, servertest.Root), "DROP ROLE admin")
}

// A long writing session holds the catalog's writer: GRANT waits for it, other statements do not.
func TestGrantWaitsAlone(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE raw", "CREATE TABLE raw.t (n INT)", "CREATE USER ana IDENTIFIED BY 'secret'")
	writer, err := root.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, writer, "START TRANSACTION", "INSERT INTO raw.t VALUES (1)")
	granted := underWay(t, s, s.Open(t, servertest.Root), "GRANT SELECT ON raw.* TO ana")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for _, statement := range []string{"INSERT INTO raw.t VALUES (2)", "COMMIT"} {
		if _, err := writer.ExecContext(ctx, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if err := <-granted; err != nil {
		t.Errorf("GRANT: %v", err)
	}
	if n := one[int](t, s.Open(t, servertest.Account{User: "ana", Password: "secret"}), "SELECT COUNT(*) FROM raw.t"); n != 2 {
		t.Errorf("%d rows", n)
	}
}

// An account that may create accounts cannot take over a superuser, and can grant only its own privileges.
func TestAccountsOfLesserAdministrators(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE raw", "CREATE TABLE raw.t (n INT)", "CREATE USER boss@'%' IDENTIFIED BY 'secret'", "CREATE ROLE powers",
		"GRANT CREATE USER ON *.* TO boss", "GRANT SELECT ON published.* TO boss WITH GRANT OPTION", "GRANT ALL ON *.* TO powers")
	servertest.Exec(t, root, "CREATE DATABASE mine", "GRANT ALL ON mine.* TO boss WITH GRANT OPTION")
	boss := s.Open(t, servertest.Account{User: "boss", Password: "secret", MultiStatements: true})
	servertest.Exec(t, boss, "CREATE PROCEDURE mine.escalate() BEGIN GRANT SELECT ON *.* TO boss; END")
	for _, statement := range []string{
		"ALTER USER root@localhost IDENTIFIED BY 'mine'", "DROP USER root@localhost", "RENAME USER root@localhost TO mine@localhost",
		"REVOKE ALL PRIVILEGES, GRANT OPTION FROM root@localhost", "GRANT SELECT ON raw.* TO boss", "GRANT ALL ON *.* TO boss",
		"PREPARE s FROM 'GRANT SELECT ON *.* TO boss'; EXECUTE s", "USE mine; CALL escalate()", "CALL mine.escalate()",
		"GRANT powers TO boss", "GRANT INSERT ON published.* TO boss", "GRANT SELECT ON *.* TO boss", "DROP ROLE powers, root@localhost",
	} {
		if _, err := boss.Exec(statement); err == nil {
			t.Errorf("%s was done", statement)
		}
	}
	servertest.Exec(t, boss, "CREATE USER low IDENTIFIED BY 'secret'", "GRANT SELECT ON published.* TO low", "ALTER USER low IDENTIFIED BY 'other'", "DROP USER low")
	if got := listed(t, boss, "SHOW GRANTS"); strings.Contains(got, "SELECT, CREATE USER ON *.*") || strings.Contains(got, "SELECT ON *.*") || strings.Contains(got, "raw") {
		t.Errorf("boss has\n%s", got)
	}
	one[int](t, s.Open(t, servertest.Root), "SELECT 1")
}

// Accounts may be bound to addresses, patterns and networks; the most specific one applies.
func TestAccountHosts(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE USER u@'10.%' IDENTIFIED BY 'ten', u@'127.%' IDENTIFIED BY 'pattern', u@'%' IDENTIFIED BY 'any', far@'10.0.0.0/8' IDENTIFIED BY 'x'")
	who := func(password string) string {
		return one[string](t, s.Open(t, servertest.Account{User: "u", Password: password}), "SELECT CURRENT_USER()")
	}
	if got := who("pattern"); got != "u@127.%" {
		t.Errorf("the pattern's account is %s", got)
	}
	servertest.Exec(t, root, "CREATE USER u@'127.0.0.0/255.0.0.0' IDENTIFIED BY 'network'")
	if got := who("network"); got != "u@127.0.0.0/255.0.0.0" {
		t.Errorf("the network's account is %s", got)
	}
	servertest.Exec(t, root, "CREATE USER u@localhost IDENTIFIED BY 'local'", "GRANT SELECT ON published.* TO u@localhost")
	if got := who("local"); got != "u@localhost" {
		t.Errorf("localhost's account is %s", got)
	}
	for _, account := range []servertest.Account{{User: "u", Password: "any"}, {User: "u", Password: "ten"}, {User: "far", Password: "x"}} {
		if err := s.Open(t, account).Ping(); servertest.Number(err) != 1045 {
			t.Errorf("%+v: %v", account, err)
		}
	}
	servertest.Exec(t, root, "DROP USER u@localhost, u@'127.%', u@'127.0.0.0/255.0.0.0'")
	if got := who("any"); got != "u@%" {
		t.Errorf("anybody's account is %s", got)
	}
}
