package acceptance

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// mariadb runs the stock command line client and returns its output.
func mariadb(t *testing.T, s *servertest.Server, statements string, arguments ...string) (string, error) {
	t.Helper()
	program, err := exec.LookPath("mariadb")
	if err != nil {
		program, err = exec.LookPath("mysql")
	}
	if err != nil {
		testsize.Missing(t, "neither mariadb nor mysql, the command line clients, is installed")
	}
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	all := append([]string{"--no-defaults", "--protocol=tcp", "--host=" + host, "--port=" + port,
		"--user=root", "--batch", "--local-infile=1"}, arguments...)
	command := exec.Command(program, all...)
	command.Stdin = strings.NewReader(statements)
	output, err := command.CombinedOutput()
	return string(output), err
}

func TestCommandLineClient(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(file, []byte("3,three\n4,\"four, or so\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, statements, want string }{
		{"rows", "CREATE DATABASE d; USE d; CREATE TABLE t (id INT, s VARCHAR(20)); INSERT INTO t VALUES (1,'one'),(2,NULL); SELECT * FROM t ORDER BY id;",
			"id\ts\n1\tone\n2\tNULL\n"},
		{"doubles", "SELECT 1887430e0 AS a, 123456789012345e0 AS b, 1e15 AS c, 0.00000125e0 AS d, SUM(5000000) AS e;",
			"a\tb\tc\td\te\n1887430\t123456789012345\t1e15\t0.00000125\t5000000\n"},
		{"prepare", "PREPARE p FROM 'SELECT ? + 1 AS n'; SET @x = 41; EXECUTE p USING @x; DEALLOCATE PREPARE p; SELECT 'after' AS still;",
			"n\n42\nstill\nafter\n"},
		{"explain", "EXPLAIN SELECT 1;", "plan\nProject\n ├─ columns: [1]\n └─ Table\n     └─ name: \n"},
		{"load", "USE d; LOAD DATA LOCAL INFILE '" + file + "' INTO TABLE t FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"'; SELECT * FROM t WHERE id > 2 ORDER BY id;",
			"id\ts\n3\tthree\n4\tfour, or so\n"},
		{"transaction", "USE d; START TRANSACTION; DELETE FROM t; ROLLBACK; SELECT COUNT(*) AS n FROM t;", "n\n4\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := mariadb(t, s, c.statements)
			if err != nil || got != c.want {
				t.Errorf("error %v, output\n%s\nwant\n%s", err, got, c.want)
			}
		})
	}
	got, err := mariadb(t, s, "SELECT nothing FROM d.t;")
	if err == nil || !strings.Contains(got, "ERROR 1054 (42S22)") {
		t.Errorf("error %v, output %s", err, got)
	}
	got, err = mariadb(t, s, "SELECT 1 AS a; SELECT nothing FROM d.t; SELECT 2 AS b;", "--force")
	if !strings.Contains(got, "1054") || !strings.HasSuffix(got, "b\n2\n") {
		t.Errorf("after an error: %v, output %s", err, got)
	}
}
