package server_test

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// secrets are names and values that an analyst must never be shown: the raw
// database, its tables, columns and explicit identifiers, a private release.
var secrets = []string{"zvault", "zledger", "zempty", "zident", "zother", "zebra", "zview", "zproc", "zprivate"}

// attacked is a server with a published table, and accounts that try to reach
// what is behind it: "bare" may read what is published, "rich" has in addition
// all that an owner may be tempted to give, but nothing of the raw database.
func attacked(t *testing.T) *servertest.Server {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	servertest.Exec(t, s.Open(t, servertest.Root),
		"CREATE DATABASE zvault", "CREATE DATABASE mine", "CREATE DATABASE common",
		"CREATE TABLE zvault.zledger (zident VARCHAR(20), age INT, sex VARCHAR(6), disease VARCHAR(20), zother INT)",
		"CREATE TABLE zvault.zempty (zident VARCHAR(20))",
		`INSERT INTO zvault.zledger VALUES ('zebra1', 30, 'F', 'flu', 1), ('zebra2', 33, 'M', 'cold', 2), ('zebra3', 45, 'M', 'gout', 3),
		 ('zebra4', 42, 'M', 'flu', 4), ('zebra5', 32, 'F', 'asthma', 5), ('zebra6', 44, 'F', 'cold', 6), ('zebra7', 30, 'M', 'gout', 7), ('zebra8', 33, 'M', 'asthma', 8)`,
		"CALL set_attributes('zvault.zledger', 'qi=age,sex', 'sa=disease', 'ei=zident')",
		"CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'publish=p')",
		"CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'private=true', 'publish=zprivate')",
		"CREATE VIEW zvault.zview AS SELECT zident FROM zvault.zledger",
		"CREATE PROCEDURE zvault.zproc() SELECT * FROM zvault.zledger",
		// What an owner may leave in a database that others read.
		"CREATE VIEW common.peek AS SELECT * FROM zvault.zledger",
		"CREATE VIEW common.run AS SELECT * FROM SLPPA(zvault.zledger, 1, 0.5)",
		"CREATE VIEW common.actual AS SELECT ANON_ACTUAL(COUNT(*)) AS n FROM published.p",
		"CREATE VIEW common.hidden AS SELECT * FROM published.zprivate",
		"CREATE PROCEDURE common.dump() SELECT * FROM zvault.zledger",
		"CREATE PROCEDURE common.publish() CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'replace=true', 'publish=p')",
		"ANALYZE TABLE zvault.zledger",
		"CREATE USER bare@'%' IDENTIFIED BY 's'", "CREATE USER rich@'%' IDENTIFIED BY 's'",
		"GRANT SELECT ON published.* TO bare, rich",
		"GRANT SELECT ON anonsql.* TO rich", "GRANT ALL ON mine.* TO rich",
		"GRANT SELECT, EXECUTE, SHOW VIEW, CREATE VIEW ON common.* TO rich",
		"GRANT EXECUTE, CREATE VIEW, SHOW VIEW ON *.* TO rich",
	)
	return s
}

func attacker(t *testing.T, s *servertest.Server, user string) *dbsql.Conn {
	t.Helper()
	conn, err := s.Open(t, servertest.Account{User: user, Password: "s", MultiStatements: true}).Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// try runs a statement and returns all that the client is shown of it.
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

// leaked returns a secret that is shown although the statement does not say it.
func leaked(statement, shown string) string {
	for _, secret := range secrets {
		if strings.Contains(strings.ToLower(shown), secret) && !strings.Contains(strings.ToLower(statement), secret) {
			return secret
		}
	}
	return ""
}

// doors are statements that must be refused, by the number of the refusal, for
// an account with much and one with little. Where bare is 0 it is the same.
var doors = []struct {
	statement  string
	rich, bare int
}{
	// Reading, in every position.
	{"SELECT * FROM zvault.zledger", 1142, 0},
	{"SELECT * FROM ZVAULT.ZLEDGER", 1142, 0},
	{"SELECT * FROM `zvault`.`zledger`", 1142, 0},
	{"TABLE zvault.zledger", 1142, 0},
	{"SELECT p.age FROM published.p JOIN zvault.zledger z ON z.age = p.age", 1142, 0},
	{"SELECT (SELECT zident FROM zvault.zledger LIMIT 1)", 1142, 0},
	{"SELECT EXISTS (SELECT 1 FROM zvault.zledger)", 1142, 0},
	{"SELECT 1 FROM published.p WHERE age IN (SELECT age FROM zvault.zledger)", 1142, 0},
	{"SELECT COUNT(*) FROM published.p HAVING COUNT(*) > (SELECT COUNT(*) FROM zvault.zledger)", 1142, 0},
	{"SELECT 1 ORDER BY (SELECT zident FROM zvault.zledger LIMIT 1)", 1142, 0},
	{"SELECT 1 UNION SELECT zident FROM zvault.zledger", 1142, 0},
	{"WITH w AS (SELECT * FROM zvault.zledger) SELECT * FROM w", 1142, 0},
	{"SELECT * FROM (SELECT * FROM zvault.zledger) d", 1142, 0},
	{"SELECT * FROM LATERAL (SELECT * FROM zvault.zledger) d", 1142, 0},
	{"SELECT table_name FROM information_schema.tables WHERE (SELECT COUNT(*) FROM zvault.zledger) > 1", 1142, 0},
	{"SET @x = (SELECT zident FROM zvault.zledger LIMIT 1)", 1142, 0},
	{"SELECT zident INTO @y FROM zvault.zledger LIMIT 1", 1142, 0},
	{"PREPARE s FROM 'SELECT * FROM zvault.zledger'", 1142, 0},
	{"SELECT 1; SELECT * FROM zvault.zledger", 1142, 0},
	{"/*!50000 SELECT * FROM zvault.zledger */", 1142, 0},
	{"SELECT /*! * FROM zvault.zledger */", 1142, 0},
	{"EXPLAIN SELECT * FROM zvault.zledger", 1142, 0},
	{"EXPLAIN SELECT * FROM common.peek", 1142, 0},
	// Names and definitions.
	{"USE zvault", 1044, 0},
	{"SHOW TABLES FROM zvault", 1044, 0},
	{"SHOW FULL TABLES FROM zvault", 1044, 0},
	{"SHOW TABLE STATUS FROM zvault", 1044, 0},
	{"SHOW COLUMNS FROM zvault.zledger", 1044, 0},
	{"SHOW FULL COLUMNS FROM zledger FROM zvault", 1044, 0},
	{"DESCRIBE zvault.zledger", 1044, 0},
	{"SHOW CREATE TABLE zvault.zledger", 1044, 0},
	{"SHOW CREATE VIEW zvault.zview", 1044, 0},
	{"SHOW CREATE DATABASE zvault", 1044, 0},
	{"SHOW CREATE PROCEDURE zvault.zproc", 1044, 0},
	{"SHOW CREATE TRIGGER zvault.x", 1044, 0},
	{"SHOW INDEX FROM zvault.zledger", 1044, 0},
	{"ANALYZE TABLE zvault.zledger", 1044, 0},
	{"ANALYZE TABLE zvault.zledger DROP HISTOGRAM ON zident", 1044, 0},
	{"ANALYZE TABLE published.p", 1142, 0},
	{"CREATE TABLE mine.dup LIKE zvault.zledger", 1044, 0},
	{"CREATE TABLE mine.child (x VARCHAR(20), FOREIGN KEY (x) REFERENCES zvault.zledger (zident))", 1044, 0},
	{"DROP DATABASE zvault", 1044, 0},
	{"DROP VIEW zvault.zview", 1044, 0},
	// What the owner made where others read: nobody gets the owner's rights.
	{"SELECT * FROM common.peek", 1142, 0},
	{"DESCRIBE common.peek", 1142, 1044},
	{"SHOW CREATE VIEW common.peek", 1142, 1044},
	{"SELECT * FROM common.run", 1142, 0},
	{"SELECT * FROM common.actual", 1142, 0},
	{"SELECT * FROM common.hidden", 1356, 1142},
	{"CALL common.dump()", 1142, 1370},
	{"CALL common.publish()", 1142, 1370},
	{"CALL zvault.zproc()", 1044, 1370},
	{"SHOW CREATE PROCEDURE common.dump", 1370, 1044},
	// What they make themselves.
	{"CREATE VIEW mine.v AS SELECT * FROM zvault.zledger", 1142, 1044},
	{"CREATE DEFINER=root@localhost SQL SECURITY DEFINER VIEW mine.v AS SELECT * FROM zvault.zledger", 1142, 1044},
	{"CREATE VIEW mine.v AS SELECT * FROM SLPPA(zvault.zledger, 1, 0.5)", 1142, 1044},
	{"CREATE TRIGGER mine.g BEFORE INSERT ON mine.t FOR EACH ROW SET NEW.b = (SELECT zident FROM zvault.zledger LIMIT 1)", 1142, 0},
	// Writing from it, or to it.
	{"CREATE TABLE mine.dup AS SELECT * FROM zvault.zledger", 1142, 1044},
	{"INSERT INTO mine.t SELECT zident, zident FROM zvault.zledger", 1142, 0},
	{"INSERT INTO mine.t VALUES ((SELECT zident FROM zvault.zledger LIMIT 1), 'x')", 1142, 0},
	{"INSERT INTO mine.t VALUES ('a', 'x') ON DUPLICATE KEY UPDATE b = (SELECT zident FROM zvault.zledger LIMIT 1)", 1142, 0},
	{"REPLACE INTO mine.t SELECT zident, zident FROM zvault.zledger", 1142, 0},
	{"UPDATE mine.t SET b = (SELECT zident FROM zvault.zledger LIMIT 1)", 1142, 0},
	{"UPDATE mine.t, zvault.zledger z SET mine.t.b = z.zident", 1142, 0},
	{"DELETE FROM mine.t WHERE a IN (SELECT zident FROM zvault.zledger)", 1142, 0},
	{"DELETE z FROM zvault.zledger AS z", 1142, 0},
	{"TRUNCATE TABLE zvault.zledger", 1142, 0},
	{"DROP TABLE zvault.zledger", 1142, 0},
	{"ALTER TABLE zvault.zledger ADD COLUMN q INT", 1142, 0},
	{"RENAME TABLE zvault.zledger TO mine.stolen", 1227, 0},
	{"ALTER TABLE zvault.zledger RENAME TO mine.stolen", 1227, 0},
	{"RENAME TABLE mine.t TO mine.s", 1235, 1227}, // published is the current database
	{"ALTER TABLE mine.t RENAME TO mine.s", 1235, 1227},
	{"LOCK TABLES zvault.zledger READ", 1142, 0},
	{"CREATE TABLE zvault.planted (i INT)", 1044, 0},
	// The server's files and its settings.
	{"LOAD DATA INFILE '/etc/hostname' INTO TABLE mine.t (a)", 1227, 0},
	{"SELECT 1 INTO OUTFILE 'x'", 1290, 0},
	{"SELECT 1 INTO DUMPFILE 'x'", 1290, 0},
	{`PREPARE s FROM "SELECT 1 INTO OUTFILE 'x'"; EXECUTE s`, 1290, 0},
	{"SET SESSION secure_file_priv = ''", 1238, 0},
	{"SET GLOBAL max_connections = 1", 1227, 0},
	{"SET @a = 1, GLOBAL max_connections = 1", 1227, 0},
	{"PREPARE s FROM 'SET GLOBAL max_connections = 1'; EXECUTE s", 1227, 0},
	{"SET PERSIST max_connections = 1", 1290, 0},
	// Accounts.
	{"SELECT * FROM mysql.user", 1142, 0},
	{"UPDATE mysql.user SET Super_priv = 'Y'", 1142, 0},
	{"ALTER USER root@localhost IDENTIFIED BY 'x'", 1227, 0},
	{"DROP USER root@localhost", 1227, 0},
	{"CREATE USER eve", 1227, 0},
	{"GRANT SELECT ON zvault.* TO bare", 1227, 0},
	{"KILL 1", 1095, 0},
	// Our own names.
	{"SELECT * FROM SLPPA(zvault.zledger, 1, 0.5)", 1142, 0},
	{"SELECT * FROM SLPPA('zvault.zledger', 1, 0.5)", 1142, 0},
	{"SELECT * FROM SLPPA(zvault.zledger, qi = 'nocolumn', sa = 'x')", 1142, 0},
	{"SELECT * FROM SLPPA(zvault.zview, 1, 0.5)", 1142, 0},
	{"DESCRIBE SELECT * FROM SLPPA(zvault.zledger, 1, 0.5)", 1142, 0},
	{"SELECT * FROM ANON_DETECT(zvault.zledger)", 1142, 0},
	{"SELECT * FROM ANON_QI_WEIGHTS(zvault.zledger)", 1142, 0},
	{"SELECT * FROM ANON_ASSOCIATION(zvault.zledger)", 1142, 0},
	{"SELECT * FROM ANON_DETECT(mysql.user)", 1142, 0},
	{"SELECT * FROM ANON_PRIVACY(zprivate)", 50001, 0},
	{"SELECT * FROM ANON_UTILITY(zprivate)", 50001, 0},
	{"CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'publish=w')", 1142, 1370},
	{"CALL anonymize('zvault.zledger', 'nomethod')", 1142, 1370},
	{"CALL anonymize('zvault.zledger', 'slppa', 'sa=nocolumn')", 1142, 1370},
	{"CALL set_attributes('zvault.zledger', 'qi=nocolumn')", 1142, 1370},
	{"CALL drop_release('p')", 1142, 1370},
	{"CALL drop_release('zprivate')", 50001, 1370},
	{"CALL evaluate('p', 'queries=10', 'qi=1')", 1142, 1370},
	{"CALL evaluate('zprivate', 'queries=10', 'qi=1')", 50001, 1370},
	{"SELECT ANON_ACTUAL(COUNT(*)) FROM published.p", 1142, 0},
	{"SELECT ANON_RELATIVE_ERROR(COUNT(*)) FROM published.p", 1142, 0},
	{"SELECT COUNT(*) FROM published.p HAVING ANON_ACTUAL(COUNT(*)) > 3", 1142, 0},
	{"SELECT COUNT(*) FROM published.p ORDER BY ANON_ACTUAL(COUNT(*))", 1142, 0},
	{"SELECT (SELECT ANON_ACTUAL(COUNT(*)) FROM published.p)", 1142, 0},
	{"EXPLAIN SELECT ANON_ACTUAL(COUNT(*)) FROM published.p", 1142, 0},
	{"SELECT * FROM published.zprivate", 1146, 0},
	{"SELECT * FROM published.zprivate_sa", 1146, 0},
	{"DESCRIBE published.zprivate", 1146, 0},
	{"SHOW CREATE TABLE published.zprivate", 1146, 0},
	{"CREATE VIEW mine.v AS SELECT * FROM published.zprivate", 1146, 1044},
	{"SELECT zident FROM published.p", 1054, 0},
}

func TestDoors(t *testing.T) {
	s := attacked(t)
	for _, user := range []string{"rich", "bare"} {
		conn := attacker(t, s, user)
		if user == "rich" {
			servertest.Exec(t, conn, "CREATE TABLE mine.t (a VARCHAR(60) PRIMARY KEY, b VARCHAR(60))", "INSERT INTO mine.t VALUES ('a', 'b')")
		}
		for _, door := range doors {
			want := door.rich
			if user == "bare" && door.bare != 0 {
				want = door.bare
			}
			shown, number := try(conn, door.statement)
			if number != want {
				t.Errorf("%s: %s\n%d: %s, want %d", user, door.statement, number, shown, want)
			}
			if secret := leaked(door.statement, shown); secret != "" {
				t.Errorf("%s: %s\nshows %s: %s", user, door.statement, secret, shown)
			}
		}
		if shown, _ := try(conn, "SELECT LOAD_FILE('/etc/hostname'), @x, @y, @@GLOBAL.max_connections"); !strings.Contains(shown, "[{ false} { false} { false} {151 true}]") {
			t.Errorf("%s reached a file, a variable or a setting: %s", user, shown)
		}
	}
}

// Views and procedures run with the rights of who calls them, whatever they say
// of a definer, and what they hide is not named.
func TestDefinitionsLendNoRights(t *testing.T) {
	s := attacked(t)
	root, rich := s.Open(t, servertest.Root), attacker(t, s, "rich")
	servertest.Exec(t, rich, "CREATE TABLE mine.t (a VARCHAR(60))")
	for _, c := range []struct {
		create, use string
		want        int
	}{
		{"CREATE PROCEDURE mine.q1() SELECT * FROM zvault.zledger", "CALL mine.q1()", 1142},
		{"CREATE DEFINER=root@localhost PROCEDURE mine.q2() SQL SECURITY DEFINER SELECT * FROM zvault.zledger", "CALL mine.q2()", 1142},
		{"CREATE PROCEDURE mine.q3() BEGIN DECLARE x VARCHAR(20); SELECT zident INTO x FROM zvault.zledger LIMIT 1; SELECT x; END", "CALL mine.q3()", 1142},
		{"CREATE PROCEDURE mine.q4() BEGIN IF 1 = 1 THEN INSERT INTO mine.t SELECT zident FROM zvault.zledger; END IF; END", "CALL mine.q4()", 1142},
		{"CREATE PROCEDURE mine.q5() CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'publish=w')", "CALL mine.q5()", 1142},
		{"CREATE PROCEDURE mine.q6() SELECT * FROM SLPPA(zvault.zledger, 1, 0.5)", "CALL mine.q6()", 1142},
		{"CREATE PROCEDURE mine.q7() SELECT ANON_ACTUAL(COUNT(*)) FROM published.p", "CALL mine.q7()", 1142},
		{"CREATE PROCEDURE mine.q8() ALTER USER root@localhost IDENTIFIED BY 'x'", "CALL mine.q8()", 1227},
		{"CREATE PROCEDURE mine.q9() DROP TABLE zvault.zledger", "CALL mine.q9()", 1142},
		{"CREATE VIEW mine.v1 AS SELECT ANON_ACTUAL(COUNT(*)) FROM published.p", "SELECT * FROM mine.v1", 1142},
		{"CREATE VIEW mine.v2 AS SELECT * FROM common.peek", "SELECT * FROM mine.v2", 1142},
	} {
		// Refused when it is made is as good.
		if shown, number := try(rich, c.create); number != 0 {
			if number != c.want || leaked(c.create, shown) != "" {
				t.Errorf("%s: %s, want %d", c.create, shown, c.want)
			}
			continue
		}
		if shown, number := try(rich, c.use); number != c.want || leaked(c.use, shown) != "" {
			t.Errorf("%s\n%s: %s, want %d", c.create, c.use, shown, c.want)
		}
	}
	var stolen, left int
	if err := root.QueryRow("SELECT (SELECT COUNT(*) FROM mine.t), (SELECT COUNT(*) FROM zvault.zledger)").Scan(&stolen, &left); err != nil || stolen != 0 || left != 8 {
		t.Errorf("%d rows were stolen, %d are left: %v", stolen, left, err)
	}
	// Nor does a procedure do what is guarded outside of one.
	for _, body := range []string{"SET GLOBAL max_connections = 77", "SELECT 1 INTO OUTFILE 'attack_test.out'"} {
		_, _ = try(rich, "CREATE PROCEDURE mine.guarded() "+body)
		shown, number := try(rich, "CALL mine.guarded()")
		if number == 0 {
			t.Errorf("%s succeeded in a procedure: %s", body, shown)
		}
		servertest.Exec(t, root, "DROP PROCEDURE IF EXISTS mine.guarded")
	}
	if shown, _ := try(rich, "SELECT @@GLOBAL.max_connections"); !strings.Contains(shown, "{151 true}") {
		t.Errorf("a procedure changed a global variable: %s", shown)
	}
}

// A name that exists is refused as one that does not, to the letter.
func TestRefusalsDoNotTellWhatExists(t *testing.T) {
	s := attacked(t)
	for _, user := range []string{"rich", "bare"} {
		conn := attacker(t, s, user)
		for _, door := range doors {
			there, _ := try(conn, door.statement)
			for _, pair := range [][2]string{{"zledger", "zlodger"}, {"zvault", "zvoult"}, {"zview", "zviow"}, {"zproc", "zpruc"}, {"zprivate", "zprivite"}} {
				if !strings.Contains(door.statement, pair[0]) {
					continue
				}
				other := strings.ReplaceAll(door.statement, pair[0], pair[1])
				absent, _ := try(conn, other)
				if strings.ReplaceAll(absent, pair[1], pair[0]) != there {
					t.Errorf("%s can tell that there is %s:\n%s\n%s\n%s\n%s", user, pair[0], door.statement, there, other, absent)
				}
			}
		}
	}
}

// Statements that anybody may run show nothing of what is not theirs.
func TestListingsShowNothingRaw(t *testing.T) {
	s := attacked(t)
	root := s.Open(t, servertest.Root)
	for _, user := range []string{"rich", "bare"} {
		conn := attacker(t, s, user)
		statements := []string{
			"SHOW DATABASES", "SHOW TABLES", "SHOW TABLES FROM published", "SHOW TABLE STATUS FROM published", "SHOW CREATE TABLE published.p",
			"SHOW FULL COLUMNS FROM published.p", "SHOW INDEX FROM published.p", "SHOW PROCESSLIST", "SHOW FULL PROCESSLIST", "SHOW WARNINGS",
			"SHOW STATUS", "SHOW GLOBAL STATUS", "SHOW VARIABLES", "SHOW GLOBAL VARIABLES", "SHOW GRANTS", "SHOW PROCEDURE STATUS", "SHOW TRIGGERS", "SHOW EVENTS",
			"SHOW TRIGGERS FROM zvault", "SHOW EVENTS FROM zvault", "SHOW PLUGINS", "SHOW ENGINES", "SHOW PRIVILEGES",
			"SELECT * FROM published.p", "SELECT * FROM published.p_qi1", "SELECT * FROM published.p_sa", "SELECT * FROM published.p_gid",
			"SELECT * FROM ANON_PRIVACY(p)", "EXPLAIN SELECT COUNT(*) FROM published.p WHERE sex = 'F' AND disease = 'flu'",
			"SELECT SUM(disease) FROM published.p", "SELECT LOAD_FILE('/etc/hostname')",
			"SELECT * FROM anonsql.releases", "SELECT * FROM anonsql.attributes", "SELECT * FROM anonsql.jobs", "SELECT * FROM anonsql.guarantees", "SELECT * FROM anonsql.evaluations",
		}
		tables, _ := try(conn, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'information_schema'")
		for _, line := range strings.Split(tables, "\n") {
			if table, ok := strings.CutPrefix(line, "[{"); ok {
				statements = append(statements, "SELECT * FROM information_schema."+strings.TrimSuffix(table, " true}]"))
			}
		}
		if len(statements) < 80 {
			t.Fatalf("information_schema lists too few tables: %s", tables)
		}
		statements = append(statements, "USE information_schema", "SELECT * FROM tables", "SELECT * FROM columns")
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { // something to be seen in the process list
			defer close(done)
			for ctx.Err() == nil {
				_, _ = root.ExecContext(ctx, "SELECT SLEEP(5) FROM zvault.zledger WHERE zident = 'zebra1'")
			}
		}()
		for _, statement := range statements {
			shown, number := try(conn, statement)
			if number != 0 && (strings.Contains(statement, "information_schema") || strings.HasPrefix(statement, "SELECT * FROM tables")) {
				t.Errorf("%s: %s fails: %s", user, statement, shown)
			}
			for _, secret := range secrets {
				if strings.Contains(strings.ToLower(shown), secret) {
					t.Errorf("%s: %s shows %s:\n%.2000s", user, statement, secret, shown)
				}
			}
		}
		cancel()
		<-done
	}
}

// What was prepared while it was allowed is refused when it no longer is.
func TestPreparedStatementsLosePrivileges(t *testing.T) {
	s := attacked(t)
	root, conn := s.Open(t, servertest.Root), attacker(t, s, "bare")
	servertest.Exec(t, root, "GRANT SELECT ON zvault.zledger TO bare")
	var prepared []*dbsql.Stmt
	queries := []string{"SELECT zident FROM zvault.zledger WHERE age > ?", "SELECT age FROM published.zprivate WHERE age > ?",
		"SELECT ANON_ACTUAL(COUNT(*)) FROM published.p WHERE age > ?", "SELECT gid FROM SLPPA(zvault.zledger, 1, ?)"}
	for i, query := range queries {
		statement, err := conn.PrepareContext(context.Background(), query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		defer statement.Close()
		prepared = append(prepared, statement)
		servertest.Exec(t, conn, fmt.Sprintf("PREPARE text%d FROM \"%s\"", i, query), "SET @v = 1")
		if shown, number := try(conn, fmt.Sprintf("EXECUTE text%d USING @v", i)); number != 0 {
			t.Fatalf("%s: %s", query, shown)
		}
	}
	servertest.Exec(t, root, "REVOKE SELECT ON zvault.zledger FROM bare")
	for i, want := range []int{1142, 1146, 1142, 1142} {
		rows, err := prepared[i].Query(1)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			rows.Close()
		}
		if servertest.Number(err) != want || leaked(queries[i], err.Error()) != "" {
			t.Errorf("%s, prepared before: %v, want %d", queries[i], err, want)
		}
		if shown, number := try(conn, fmt.Sprintf("EXECUTE text%d USING @v", i)); number != want || want == 1142 && leaked("", shown) != "" {
			t.Errorf("%s, prepared as text before: %s, want %d", queries[i], shown, want)
		}
	}
}

// Two accounts of one user name, from different hosts, are strangers.
func TestNamesakes(t *testing.T) {
	s := attacked(t)
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE USER bare@'10.0.0.9' IDENTIFIED BY 's'", "GRANT SELECT ON zvault.* TO bare@'10.0.0.9'")
	conn := attacker(t, s, "bare")
	if shown, number := try(conn, "ALTER USER bare@'10.0.0.9' IDENTIFIED BY 'x'"); number != 1227 {
		t.Errorf("an account set a namesake's password: %s", shown)
	}
	if shown, number := try(conn, "ALTER USER bare@'%' IDENTIFIED BY 's'"); number != 0 {
		t.Errorf("an account cannot set its own password: %s", shown)
	}
}

// A release is read in a transaction that began before it was published, and
// not any more after it was dropped.
func TestReleasesInOpenTransactions(t *testing.T) {
	s := attacked(t)
	root, conn := s.Open(t, servertest.Root), attacker(t, s, "rich")
	servertest.Exec(t, conn, "CREATE TABLE mine.own (a INT)", "INSERT INTO mine.own VALUES (1)", "START TRANSACTION")
	if _, number := try(conn, "SELECT * FROM mine.own"); number != 0 {
		t.Fatal("the transaction has no snapshot")
	}
	servertest.Exec(t, root, "CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'replace=true', 'publish=later')")
	if shown, number := try(conn, "SELECT COUNT(*) FROM published.later WHERE age > 0"); number != 0 || !strings.Contains(shown, "{8 true}") {
		t.Errorf("a release newer than the transaction: %s", shown)
	}
	servertest.Exec(t, root, "CALL drop_release('later')")
	if shown, number := try(conn, "SELECT COUNT(*) FROM published.later"); number != 1146 {
		t.Errorf("a dropped release is answered: %s", shown)
	}
}

// A release is replaced while others read it: every answer is of one whole
// version.
func TestReplacedWhileRead(t *testing.T) {
	s := attacked(t)
	root := s.Open(t, servertest.Root)
	stop, failed := make(chan struct{}), make(chan string, 2)
	for range 2 {
		conn := attacker(t, s, "rich")
		go func() {
			defer func() { failed <- "" }()
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, query := range []string{"SELECT COUNT(*) FROM published.p", "SELECT SUM(size) FROM published.p_gid", "SELECT SUM(`count`) FROM published.p_sa"} {
					if shown, number := try(conn, query); number != 0 || !strings.Contains(shown, "{8 true}") {
						failed <- query + ": " + shown
						return
					}
				}
			}
		}()
	}
	for range 20 {
		servertest.Exec(t, root, "CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'replace=true', 'publish=p')")
	}
	close(stop)
	for range 2 {
		if failure := <-failed; failure != "" {
			t.Error(failure)
		}
	}
}

// An account sees the description of what it may read, and of the owner's
// affairs nothing.
func TestDescriptionsNeedTheRelease(t *testing.T) {
	s := attacked(t)
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE USER blind@'%' IDENTIFIED BY 's'", "GRANT SELECT ON anonsql.* TO blind")
	blind, rich := attacker(t, s, "blind"), attacker(t, s, "rich")
	for _, table := range []string{"releases", "guarantees", "attributes", "jobs", "evaluations"} {
		if shown, _ := try(blind, "SELECT * FROM anonsql."+table); strings.Count(shown, "\n") != 1 {
			t.Errorf("anonsql.%s shows releases to an account that reads none:\n%s", table, shown)
		}
	}
	shown, _ := try(rich, "SELECT name, source, seconds, refresh_recommended FROM anonsql.releases")
	if want := "[{p true} { false} { false} { false}]"; !slices.Contains(strings.Split(shown, "\n"), want) {
		t.Errorf("an analyst's view of the release is\n%s, want %s", shown, want)
	}
}

// LOAD DATA LOCAL reads the client's file and nothing of the server's, its SET
// clause included.
func TestLoadDataReadsNothingRaw(t *testing.T) {
	s := attacked(t)
	mysql.RegisterReaderHandler("attack", func() io.Reader { return strings.NewReader("one\ntwo\n") })
	defer mysql.DeregisterReaderHandler("attack")
	root, conn := s.Open(t, servertest.Root), attacker(t, s, "rich")
	servertest.Exec(t, conn, "CREATE TABLE mine.t (a VARCHAR(60), b VARCHAR(60))")
	for _, statement := range []string{
		"LOAD DATA LOCAL INFILE 'Reader::attack' INTO TABLE mine.t (a) SET b = (SELECT zident FROM zvault.zledger LIMIT 1)",
		"LOAD DATA LOCAL INFILE 'Reader::attack' INTO TABLE mine.t (@v) SET a = (SELECT zident FROM zvault.zledger LIMIT 1)",
		"LOAD DATA LOCAL INFILE 'Reader::attack' INTO TABLE zvault.zledger (zident)",
		"LOAD DATA LOCAL INFILE 'Reader::attack' REPLACE INTO TABLE zvault.zempty",
		"LOAD DATA LOCAL INFILE 'Reader::attack' INTO TABLE published.p (sex)",
	} {
		shown, number := try(conn, statement)
		if number == 0 || leaked(statement, shown) != "" {
			t.Errorf("%s: %d %s", statement, number, shown)
		}
	}
	if shown, _ := try(conn, "SELECT * FROM mine.t"); leaked("", shown) != "" {
		t.Errorf("the analyst's table has %s", shown)
	}
	var rows int
	if err := root.QueryRow("SELECT COUNT(*) FROM zvault.zledger").Scan(&rows); err != nil || rows != 8 {
		t.Errorf("the raw table has %d rows: %v", rows, err)
	}
}

// A connection that asks for the raw database at once is told what it is told
// of any other.
func TestConnectingToTheRawDatabase(t *testing.T) {
	s := attacked(t)
	for _, user := range []string{"rich", "bare"} {
		told := map[string]string{}
		for _, database := range []string{"zvault", "zvoult"} {
			err := s.Open(t, servertest.Account{User: user, Password: "s", Database: database}).Ping()
			if servertest.Number(err) != 1044 || !strings.Contains(err.Error(), "'"+database+"'") {
				t.Errorf("%s connects to %s: %v", user, database, err)
				continue
			}
			told[database] = strings.ReplaceAll(err.Error(), database, "db")
		}
		if told["zvault"] != told["zvoult"] {
			t.Errorf("%s can tell the databases apart: %v", user, told)
		}
	}
}
