package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// The doors between an analyst and raw data. The list (doors_list_test.go) has one case for each. Cases for our own
// names, the engine's functions and tables of the system databases come from their registries
// (doors_generated_test.go), so that nobody can forget a new one. The commands of the protocol are in
// doors_wire_test.go.

// secrets are names and values that an analyst must never see: the raw database, its tables, columns, keys, comments,
// explicit identifiers and numbers, a private release, other accounts.
var secrets = []string{"zvault", "zledger", "zempty", "zkeyed", "zident", "zother", "zkey", "zindex", "zcheck", "zcomment", "zebra", "77007701",
	"zview", "zproc", "zprivate", "zfailed", "zowner", "zrole", "zlock"}

// attackers are accounts with their passwords. "bi" comes from create_analyst. "bare" may read published data.
// "staff" also has a role's privileges in a database where the owner has left views and procedures. "rich" has
// everything that an owner might grant, except the raw database. Tests create the others.
var attackers = map[string]string{"bi": "a long password", "bare": "s", "staff": "s", "rich": "s", "keeper": "s", "reader": "s"}

// attacked is a server with a published table, and accounts that try to reach the raw data. It stands in front of
// another server, and has an engine: no attacker may reach a byte of either.
func attacked(t *testing.T) *servertest.Server {
	upstream, distributed := record(t), recordEngine(t)
	s := servertest.Start(t, server.Config{Extend: server.Product, Beside: upstream.behind(make(chan string, 1)), Distributed: distributed.home})
	t.Cleanup(func() {
		upstream.nobody(t)
		distributed.nobody(t)
	})
	servertest.Exec(t, s.Open(t, servertest.Root),
		"CREATE DATABASE zvault", "CREATE DATABASE mine", "CREATE DATABASE common",
		`CREATE TABLE zvault.zledger (zident VARCHAR(20) COMMENT 'zcomment', age INT, sex VARCHAR(6), disease VARCHAR(20), zother INT,
		 KEY zindex (zident), CONSTRAINT zcheck CHECK (zother > 5)) COMMENT 'zcomment'`,
		"CREATE TABLE zvault.zempty (zident VARCHAR(20))",
		"CREATE TABLE zvault.zkeyed (zkey INT PRIMARY KEY, zident VARCHAR(20) UNIQUE)", "INSERT INTO zvault.zkeyed VALUES (7, 'zebra1')",
		`INSERT INTO zvault.zledger VALUES ('zebra1', 30, 'F', 'flu', 770077011), ('zebra2', 33, 'M', 'cold', 770077012), ('zebra3', 45, 'M', 'gout', 770077013),
		 ('zebra4', 42, 'M', 'flu', 770077014), ('zebra5', 32, 'F', 'asthma', 770077015), ('zebra6', 44, 'F', 'cold', 770077016), ('zebra7', 30, 'M', 'gout', 770077017), ('zebra8', 33, 'M', 'asthma', 770077018)`,
		"CALL set_attributes('zvault.zledger', 'qi=age,sex', 'sa=disease', 'ei=zident')",
		"CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'publish=p')",
		"CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'private=true', 'publish=zprivate')",
		"CREATE VIEW zvault.zview AS SELECT zident FROM zvault.zledger",
		"CREATE PROCEDURE zvault.zproc() SELECT * FROM zvault.zledger",
		// Objects that an owner may leave in a database that others read.
		"CREATE VIEW common.peek AS SELECT * FROM zvault.zledger",
		"CREATE VIEW common.peek2 AS SELECT zident FROM common.peek",
		"CREATE VIEW common.run AS SELECT * FROM SLPPA(zvault.zledger, 1, 0.5)",
		"CREATE VIEW common.actual AS SELECT ANON_ACTUAL(COUNT(*)) AS n FROM published.p",
		"CREATE VIEW common.hidden AS SELECT * FROM published.zprivate",
		"CREATE PROCEDURE common.dump() SELECT * FROM zvault.zledger",
		"CREATE PROCEDURE common.publish() CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'replace=true', 'publish=p')",
		"ANALYZE TABLE zvault.zledger",
		"CREATE USER bare@'%' IDENTIFIED BY 's'", "CREATE USER staff@'%' IDENTIFIED BY 's'", "CREATE USER rich@'%' IDENTIFIED BY 's'",
		"CREATE USER zowner@'%' IDENTIFIED BY 's'", "CREATE ROLE zrole", "GRANT SELECT ON zvault.* TO zowner, zrole",
		"CALL create_analyst('bi', 'a long password')",
		"GRANT SELECT ON published.* TO bare, staff, rich",
		"CREATE ROLE readers", "GRANT SELECT, EXECUTE, SHOW VIEW ON common.* TO readers", "GRANT readers TO staff",
		"GRANT SELECT ON anonsql.* TO rich", "GRANT ALL ON mine.* TO rich",
		"GRANT SELECT, EXECUTE, SHOW VIEW, CREATE VIEW ON common.* TO rich",
		"GRANT EXECUTE, CREATE VIEW, SHOW VIEW ON *.* TO rich",
	)
	return s
}

func attacker(t *testing.T, s *servertest.Server, user string) *dbsql.Conn {
	return s.Connect(t, servertest.Account{User: user, Password: attackers[user], MultiStatements: true})
}

// try runs a statement and returns everything that the client sees.
func try(conn *dbsql.Conn, statement string) (shown string, number int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	shown, err := shownOf(ctx, conn, statement)
	if err != nil {
		return shown + err.Error(), servertest.Number(err)
	}
	return shown, 0
}

func shownOf(ctx context.Context, conn *dbsql.Conn, statement string, arguments ...any) (string, error) {
	rows, err := conn.QueryContext(ctx, statement, arguments...)
	if err != nil {
		return "", err
	}
	return shownRows(rows)
}

func shownRows(rows *dbsql.Rows) (string, error) {
	defer rows.Close()
	var out strings.Builder
	for more := true; more; more = rows.NextResultSet() {
		columns, err := rows.Columns()
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&out, strings.Join(columns, "|"))
		fields, targets := make([]dbsql.NullString, len(columns)), make([]any, len(columns))
		for i := range fields {
			targets[i] = &fields[i]
		}
		for rows.Next() {
			if err := rows.Scan(targets...); err != nil {
				return "", err
			}
			fmt.Fprintln(&out, fields)
		}
	}
	return out.String(), rows.Err()
}

// tryPrepared is try in the binary protocol, for a statement without parameters.
func tryPrepared(conn *dbsql.Conn, statement string) (shown string, number int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	prepared, err := conn.PrepareContext(ctx, statement)
	if err != nil {
		return err.Error(), servertest.Number(err)
	}
	defer prepared.Close()
	if shown, err = shownPrepared(prepared); err != nil {
		return shown + err.Error(), servertest.Number(err)
	}
	return shown, 0
}

// leaked returns a secret that is shown but not in the statement.
func leaked(statement, shown string) string {
	statement, shown = strings.ToLower(statement), strings.ToLower(shown)
	for _, secret := range secrets {
		if strings.Contains(shown, secret) && !strings.Contains(statement, secret) {
			return secret
		}
	}
	return ""
}

// A door is a statement with the results for bi, staff and rich: the number of the refusal, 0 for an answer. No
// result may show a secret.
type door struct {
	name, statement string
	bi, staff, rich int
}

// asBi returns the number for bi.
const asBi = -1

func (d door) wants(user string) int {
	switch {
	case user == "staff" && d.staff != asBi:
		return d.staff
	case user == "rich" && d.rich != asBi:
		return d.rich
	}
	return d.bi
}

// Every door is shut, for text and for prepared statements.
func TestDoors(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE TABLE mine.t (a VARCHAR(60) PRIMARY KEY, b VARCHAR(60))", "CREATE TABLE mine.short (a VARCHAR(3))", "INSERT INTO mine.t VALUES ('a', 'b')")
	for _, user := range []string{"bi", "staff", "rich"} {
		conn := attacker(t, s, user)
		for _, d := range doors {
			want := d.wants(user)
			shown, number := try(conn, d.statement)
			if secret := leaked(d.statement, shown); number != want || secret != "" {
				t.Errorf("%s, %s: %s\n%d: %.500s\nwant %d, shows %q", user, d.name, d.statement, number, shown, want, secret)
			}
			if strings.Contains(d.statement, ";") || strings.HasPrefix(d.statement, "LOAD DATA") { // these cannot be prepared
				continue
			}
			shown, number = tryPrepared(conn, d.statement)
			if secret := leaked(d.statement, shown); (number == 0) != (want == 0) || secret != "" {
				t.Errorf("%s, %s, prepared: %s\n%d: %.500s\nwant %d, shows %q", user, d.name, d.statement, number, shown, want, secret)
			}
		}
		if shown, _ := try(conn, "SELECT LOAD_FILE('/etc/hostname'), @x, @y, @@GLOBAL.max_connections"); !strings.Contains(shown, "[{ false} { false} { false} {151 true}]") {
			t.Errorf("%s reached a file, a variable or a setting: %s", user, shown)
		}
		servertest.Exec(t, conn, "ROLLBACK")
	}
	var left, kept int
	if err := root.QueryRow("SELECT (SELECT COUNT(*) FROM zvault.zledger), (SELECT COUNT(*) FROM mine.t)").Scan(&left, &kept); err != nil || left != 8 || kept != 1 {
		t.Errorf("%d raw rows and %d rows of mine.t are left: %v", left, kept, err)
	}
}

// The refusals for an existing and a missing name are identical.
func TestRefusalsDoNotTellWhatExists(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	for _, user := range []string{"bi", "staff", "rich"} {
		conn := attacker(t, s, user)
		for _, d := range doors {
			if leaked("", d.statement) != "" {
				wantSameIfAbsent(t, user, conn, d.statement)
			}
		}
	}
}

// absences are existing names, each with a missing one.
var absences = [][2]string{{"zledger", "zlodger"}, {"zvault", "zvoult"}, {"zview", "zviow"}, {"zproc", "zpruc"}, {"zprivate", "zprivite"},
	{"zident", "zidant"}, {"zkeyed", "zkoyed"}, {"zowner", "zuwner"}}

func wantSameIfAbsent(t *testing.T, user string, conn *dbsql.Conn, statement string) {
	t.Helper()
	there, _ := try(conn, statement)
	for _, pair := range absences {
		if !strings.Contains(statement, pair[0]) {
			continue
		}
		other := strings.ReplaceAll(statement, pair[0], pair[1])
		absent, _ := try(conn, other)
		if strings.ReplaceAll(absent, pair[1], pair[0]) != there {
			t.Errorf("%s can tell that there is %s:\n%s\n%s\n%s\n%s", user, pair[0], statement, there, other, absent)
		}
	}
}
