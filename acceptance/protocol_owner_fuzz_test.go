package acceptance

import (
	"context"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
)

// An ownerTarget is a server that runs inputs as root. An input may drop everything and lock itself out, so the
// target restarts a fresh server when necessary.
type ownerTarget struct {
	dir    string // of all servers' directories, and of exports
	faults *faults
	addr   string
	stop   func() error
	w      *wire
	// changes counts the inputs that may have changed stored data.
	changes int
}

// scratch creates an owner's objects: tables with roles and taxonomies, releases, a view, a routine, an account.
func scratch() []string {
	statements := append(vaultStatements("zmark"), oddTables()...)
	return append(statements, "CREATE DATABASE hospital", "CREATE TABLE hospital.patients (id INT PRIMARY KEY, age INT, sex VARCHAR(10), zip VARCHAR(10), born DATE, charge DECIMAL(10,2), disease VARCHAR(20))",
		"INSERT INTO hospital.patients VALUES (1, 30, 'F', '11000', '1980-01-01', 1.5, 'flu'), (2, 31, 'M', '11100', '1981-01-01', 2.5, 'cold'), (3, 32, 'F', '11000', '1982-01-01', NULL, 'gout'), (4, 33, 'M', '11200', NULL, 4.5, 'flu'), (5, NULL, 'F', '11000', '1984-01-01', 5.5, 'asthma'), (6, 35, NULL, NULL, '1985-01-01', 6.5, 'cold')",
		"CALL set_attributes('hospital.patients', 'qi=age,sex,zip', 'sa=disease', 'ei=id')", "CREATE USER ana@'%' IDENTIFIED BY 's'", "CREATE DATABASE d", "CREATE TABLE d.t (a INT PRIMARY KEY AUTO_INCREMENT, b VARCHAR(20), c INT CHECK (c > 0), KEY (b))",
		"INSERT INTO d.t (b, c) VALUES ('x', 1), (NULL, 2)")
}

// start starts a server in its own directory.
func (o *ownerTarget) start(t testing.TB) {
	t.Helper()
	dir, err := os.MkdirTemp(o.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	ready, stopped := make(chan net.Addr, 1), make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	config := server.Config{DataDir: dir, Listen: "127.0.0.1:0", Extend: server.Product, StatementTimeout: time.Second, MemoryLimit: 2 << 30,
		ShutdownGrace: time.Second, ExportDir: o.dir, Logger: slog.New(o.faults), Ready: func(a net.Addr) { ready <- a }}
	go func() { stopped <- server.Run(ctx, config) }()
	select {
	case a := <-ready:
		o.addr = a.String()
	case err := <-stopped:
		t.Fatalf("the server did not start: %v", err)
	}
	o.stop = func() error { cancel(); return <-stopped }
	o.changes = 0
	if !o.login() {
		t.Fatal("root is not let in")
	}
	for _, statement := range scratch() {
		if answer, err := o.w.query(statement); err != nil || len(answer.errors) > 0 {
			t.Fatalf("%s: %v, %v", statement, answer.errors, err)
		}
	}
}

func (o *ownerTarget) login() bool {
	if o.w != nil {
		o.w.close()
	}
	var err error
	o.w, err = wireLogin(o.addr, "root", "", capUsual)
	return err == nil
}

func (o *ownerTarget) restart(t testing.TB) {
	t.Helper()
	if o.w != nil {
		o.w.close()
		o.w = nil
	}
	if err := o.stop(); err != nil {
		t.Errorf("the server stopped with %v", err)
	}
	o.start(t)
}

// freshAfter is the number of inputs that may change a server before a fresh one replaces it.
const freshAfter = 100

// ready resets the connection to its state after a login.
func (o *ownerTarget) ready(t *testing.T) {
	t.Helper()
	if o.changes >= freshAfter {
		o.restart(t)
		return
	}
	if answer, err := o.w.command([]byte{0x1f}); err == nil && len(answer.errors) == 0 {
		return
	}
	if !o.login() {
		o.restart(t) // it has locked itself out
	}
}

// run sends one text as root.
func (o *ownerTarget) run(t *testing.T, text string) {
	o.ready(t)
	answer, err := o.w.query(text)
	lower := strings.ToLower(text)
	if err != nil {
		if !strings.Contains(lower, "kill") {
			t.Errorf("%q: the connection ended: %v", text, err)
		}
		if !o.login() {
			o.restart(t)
		}
	}
	if fault := o.faults.take(); fault != "" {
		t.Errorf("%q: %s", text, fault)
	}
	for _, e := range answer.errors {
		if word := internal(text, e.message); word != "" || strings.Contains(e.message, "internal error") {
			t.Errorf("%q: error %d says %q: %s", text, e.number, word, e.message)
		}
	}
	if held := heldBytes(); held > 6<<30 {
		t.Errorf("%q: the process holds %d MB", text, held>>20)
	}
	if changing.MatchString(text) {
		o.changes++
	}
	if strings.Contains(lower, "global") || strings.Contains(lower, "persist") {
		o.changes = freshAfter
	}
}

// FuzzOwnerStatement: any text from root is answered, in time, without a panic and without mention of the server's
// inside, whatever earlier inputs did to stored data.
func FuzzOwnerStatement(f *testing.F) {
	for _, statement := range scriptStatements(f) {
		f.Add(statement)
	}
	for _, statement := range []string{
		"CREATE TABLE d.u (a INT, b ENUM('x','y') DEFAULT 'x', c JSON, d DECIMAL(5,2) UNSIGNED, e DATETIME(6), PRIMARY KEY (a, b)); INSERT INTO d.u VALUES (1, 'y', '{}', 1.5, NOW()); ALTER TABLE d.u DROP COLUMN c, ADD COLUMN g INT FIRST; SELECT * FROM d.u",
		"ALTER TABLE d.t RENAME COLUMN b TO z; UPDATE d.t SET z = CONCAT(z, z) WHERE a IN (SELECT a FROM d.t); DELETE FROM d.t ORDER BY a LIMIT 1; TRUNCATE d.t; DROP TABLE d.t",
		"CREATE TRIGGER d.g BEFORE INSERT ON d.t FOR EACH ROW SET NEW.b = UPPER(NEW.b); INSERT INTO d.t (b) VALUES ('q'); SHOW TRIGGERS FROM d",
		"CREATE PROCEDURE d.p(IN n INT) BEGIN DECLARE i INT DEFAULT 0; WHILE i < n DO SET i = i + 1; INSERT INTO d.t (b) VALUES (i); END WHILE; SELECT COUNT(*) FROM d.t; END; CALL d.p(3); DROP PROCEDURE d.p",
		"CREATE VIEW d.v AS SELECT a, COUNT(*) AS n FROM d.t GROUP BY a; SELECT * FROM d.v; SHOW CREATE VIEW d.v", "INSERT INTO d.t SELECT * FROM d.t ON DUPLICATE KEY UPDATE b = VALUES(b)", "REPLACE INTO d.t VALUES (1, 'r', 3)",
		"START TRANSACTION; SAVEPOINT s; INSERT INTO d.t (b) VALUES ('t'); ROLLBACK TO s; COMMIT", "LOAD DATA LOCAL INFILE 'x' INTO TABLE d.t (a, @b) SET b = @b", "CREATE TABLE d.w LIKE d.t; CREATE TABLE d.k AS SELECT * FROM hospital.patients; RENAME TABLE d.k TO d.l",
		"CREATE INDEX i ON d.t (c); CREATE UNIQUE INDEX u ON d.t (b(3)); DROP INDEX i ON d.t; ANALYZE TABLE d.t", "ALTER TABLE d.t ADD CONSTRAINT f FOREIGN KEY (c) REFERENCES d.t (a); SHOW CREATE TABLE d.t",
		"CALL anonymize('hospital.patients', 'slppa', 'beta=0.5', 'publish=q'); SELECT COUNT(*) FROM published.q; CALL refresh('q'); CALL drop_release('q')", "CALL anonymize('zvault.zledger', 'anatomy', 'l=2', 'publish=p', 'replace=true')",
		"SELECT * FROM SLPPA(zvault.zledger, beta = 0.5)", "CALL set_taxonomy('hospital.patients', 'age', 'intervals=5,10'); CALL drop_taxonomy('hospital.patients', 'age')", "CALL tune('hospital.patients', 'methods=slppa', 'queries=5')", "CALL evaluate('p', 'queries=5')",
		"CALL export_release('p', 'dir=x'); CALL import_release('x', 'publish=y')", "CREATE USER eve IDENTIFIED BY 'e'; GRANT ALL ON *.* TO eve WITH GRANT OPTION; REVOKE ALL ON *.* FROM eve; DROP USER eve", "GRANT SELECT (age) ON zvault.zledger TO ana", "DROP USER root@'%'", "SET GLOBAL local_infile = 0",
		"SET PERSIST max_connections = 5", "DROP DATABASE zvault; SELECT * FROM published.p", "ALTER TABLE zvault.zledger DROP COLUMN age; CALL refresh('p')", "UPDATE zvault.zledger SET age = NULL; SELECT AVG(age) FROM published.p", "DROP DATABASE mysql", "DROP DATABASE published", "DELETE FROM anonsql.releases",
		"INSERT INTO mysql.user (Host, User) VALUES ('%', 'x')", "KILL CONNECTION_ID()", "SELECT * FROM anonsql.audit, anonsql.jobs LIMIT 2", "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 9) INSERT INTO d.t (b) SELECT n FROM r", "UPDATE d.t x JOIN d.t y ON x.a = y.a SET x.c = y.c + 1",
		"SELECT''", "SET NAMES latin1; EXPLAIN SELECT * FROM d.t WHERE a = 1", "SELECT JSON_TABLE('[1]', '$[*]' COLUMNS (a INT PATH '$')) FROM d.t", "CREATE EVENT d.e ON SCHEDULE EVERY 1 DAY DO DELETE FROM d.t", "LOCK TABLES d.t WRITE; UNLOCK TABLES", "FLUSH PRIVILEGES", "CREATE FULLTEXT INDEX ft ON d.t (b)", "CREATE SPATIAL INDEX sp ON d.t (b)",
	} {
		f.Add(statement)
	}
	o := &ownerTarget{dir: f.TempDir(), faults: &faults{}}
	o.faults.listen()
	o.start(f)
	f.Cleanup(func() {
		if o.w != nil {
			o.w.close()
		}
		if err := o.stop(); err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(o.run)
}
