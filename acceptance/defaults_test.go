package acceptance

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// A session starts with the owner's defaults for the account. Connection attributes override these, and SET overrides both.
func TestDefaultsOfAccounts(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CALL create_analyst('bi', 'long enough')")
	begins := func(attributes string) (counts string, err error) {
		config := mysql.NewConfig()
		config.Net, config.Addr, config.User, config.Passwd, config.ConnectionAttributes = "tcp", s.Addr, "bi", "long enough", attributes
		db := servertest.Dial(t, config)
		defer db.Close()
		return counts, db.QueryRow("SELECT CONCAT_WS(' ', @@anon_counts, @@sql_notes)").Scan(&counts)
	}
	for _, step := range []struct{ statement, attributes, want string }{
		{"", "", "estimate 1"},
		{"CALL set_defaults('bi', 'anon_counts=integer', 'sql_notes=OFF')", "", "integer 0"},
		{"", "program_name:tool,ANON_COUNTS:estimate", "estimate 0"},
		{"SET GLOBAL anon_counts = 'integer'", "sql_notes:1", "integer 1"},
		{"CALL set_defaults('bi', 'anon_counts=default')", "", "integer 0"},
		{"SET GLOBAL anon_counts = 'estimate'", "", "estimate 0"},
	} {
		if step.statement != "" {
			servertest.Exec(t, root, step.statement)
		}
		if got, err := begins(step.attributes); err != nil || got != step.want {
			t.Errorf("%s, then a session with %q: %q, %v, must be %q", step.statement, step.attributes, got, err, step.want)
		}
	}
	_, err := begins("anon_counts:many")
	number(t, err, 1231)
	for statement, want := range map[string]string{
		"CALL set_defaults('bi', 'anon_counts=many')":        "anon_counts is \"many\", must be a value of that variable",
		"CALL set_defaults('bi', 'autocommit=0')":            "must be one of anon_counts, anon_estimator",
		"CALL set_defaults('nobody', 'anon_counts=integer')": "there is no such account",
		"CALL set_defaults('bi')":                            "CALL set_defaults('bi', 'anon_counts=integer'",
	} {
		_, err := root.Exec(statement)
		if told := (*mysql.MySQLError)(nil); !errors.As(err, &told) || !strings.Contains(told.Message, want) {
			t.Errorf("%s: %v, must say %s", statement, err, want)
		}
	}
	analyst := s.Open(t, servertest.Account{User: "bi", Password: "long enough"})
	_, err = analyst.Exec("CALL set_defaults('bi', 'sql_notes=ON')")
	number(t, err, 1370)
}

// The owner's defaults survive a restart, and coexist with limits. A reset session starts with them again.
func TestDefaultsAreKept(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CALL create_analyst('bi', 'long enough', 'max_connections=3')", "CALL set_defaults('bi', 'anon_counts=integer')", "CALL set_limits('bi', 'memory=64MiB')")
	s.Stop(t)
	s = servertest.Start(t, s.Config)
	analyst := s.Open(t, servertest.Account{User: "bi", Password: "long enough"})
	analyst.SetMaxOpenConns(1)
	const asks = "SELECT CONCAT_WS(' ', @@anon_counts, max_connections, memory) FROM anonsql.limits"
	if got := one[string](t, analyst, asks); got != "integer 3 67108864" {
		t.Errorf("after a restart: %s", got)
	}
	w, err := wireLogin(s.Addr, "bi", "long enough", capUsual)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if _, err := w.query("SET anon_counts = 'estimate'"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.command([]byte{0x1f}); err != nil { // COM_RESET_CONNECTION
		t.Fatal(err)
	}
	if answer, err := w.query("SELECT @@anon_counts"); err != nil || !strings.Contains(string(answer.shown), "integer") {
		t.Errorf("after a reset: %q, %v", answer.shown, err)
	}
}
