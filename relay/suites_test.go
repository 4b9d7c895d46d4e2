package relay

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"net"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/testsize"
)

// suites is the directory in which clients/install has put what these tests run, beside the stock clients: ANONSQL_CLIENTS_DIR.
// They take minutes, most of which they wait: .ci/run has them as a job of the long run.
func suites(t *testing.T) string {
	t.Helper()
	directory := os.Getenv("ANONSQL_CLIENTS_DIR")
	if directory == "" {
		testsize.Missing(t, "ANONSQL_CLIENTS_DIR is not set: it is where clients/install has put the suites")
	}
	return directory
}

// The tests of go-sql-driver/mysql itself pass, fail and are skipped by the same names direct and through the relay. They take a quarter of a minute to a minute each way.
func TestGoDriversOwnSuite(t *testing.T) {
	suites(t)
	server := mariaDB(t)
	exec(t, open(t, server.Address, "root", "", nil), "CREATE DATABASE IF NOT EXISTS gotest", "CREATE OR REPLACE USER gotest IDENTIFIED BY 'secret'", "GRANT ALL ON *.* TO gotest WITH GRANT OPTION")
	program := filepath.Join(t.TempDir(), "suite")
	source := driverSource(t)
	build := osexec.Command("go", "test", "-c", "-o", program, ".")
	build.Dir = source
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(address string) map[string]string {
		c := osexec.Command("go", "tool", "test2json", program, "-test.v=test2json", "-test.timeout=8m",
			"-test.skip=^TestConnectorReturnsTimeout$") // dials a host on the Internet, and panics if it answers
		c.Dir = source
		c.Env = append(os.Environ(), "MYSQL_TEST_USER=gotest", "MYSQL_TEST_PASS=secret", "MYSQL_TEST_ADDR="+address, "MYSQL_TEST_CONCURRENT=1")
		out, err := c.Output()
		if len(out) == 0 {
			t.Fatal(err)
		}
		if bytes.Contains(out, []byte("panic: ")) {
			t.Fatalf("the suite ends early:\n%s", out[max(0, len(out)-3000):])
		}
		return verdicts(t, out)
	}
	compareVerdicts(t, run(server.Address), run(startRelay(t, server.Address, withTLS(t))), 300)
}

// withTLS is a relay that offers TLS and asks for it, as upstream does direct.
func withTLS(t *testing.T) func(*Config) {
	return func(c *Config) { c.UpstreamTLS, c.ClientTLS = trusting(t), serverTLS(t) }
}

// driverSource is a copy of the module that go.mod names.
func driverSource(t *testing.T) string {
	t.Helper()
	out, err := osexec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/go-sql-driver/mysql").Output()
	if err != nil {
		t.Fatal(err)
	}
	from, to := strings.TrimSpace(string(out)), t.TempDir()
	err = filepath.WalkDir(from, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Dir(file) != from {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, entry.Name()), text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// verdicts are pass, fail or skip by the names of tests, of test2json.
func verdicts(t *testing.T, out []byte) map[string]string {
	t.Helper()
	of := make(map[string]string)
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var event struct{ Action, Test string }
		if err := decoder.Decode(&event); err != nil {
			t.Fatal(err)
		}
		if event.Test != "" && slices.Contains([]string{"pass", "fail", "skip"}, event.Action) {
			of[event.Test] = event.Action
		}
	}
	return of
}

// compareVerdicts expects the same tests with the same verdicts, at least this many of them passed.
func compareVerdicts(t *testing.T, direct, relayed map[string]string, atLeast int) {
	t.Helper()
	count := make(map[string]int)
	names := maps.Clone(direct)
	maps.Copy(names, relayed)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		count[direct[name]]++
		if direct[name] != relayed[name] {
			t.Errorf("%s: %q direct, %q through the relay", name, direct[name], relayed[name])
		}
	}
	t.Logf("direct: %v", count)
	if count["pass"] < atLeast {
		t.Errorf("direct %d tests pass, must be at least %d: the suite does not run", count["pass"], atLeast)
	}
}

// The same of PyMySQL: 0.10.1 is the last one whose package has its tests.
func TestPyMySQLsOwnSuite(t *testing.T) {
	directory := suites(t)
	python, source := filepath.Join(directory, "python", "bin", "python"), t.TempDir()
	if err := os.CopyFS(source, os.DirFS(filepath.Join(directory, "suites", "PyMySQL-0.10.1"))); err != nil {
		t.Fatal(err)
	}
	server := mariaDB(t)
	exec(t, open(t, server.Address, "root", "", nil), "CREATE DATABASE IF NOT EXISTS test1", "CREATE DATABASE IF NOT EXISTS test2", "CREATE OR REPLACE USER test2@localhost IDENTIFIED BY 'some password'", "GRANT ALL ON test2.* TO test2@localhost")
	run := func(address string) map[string]string {
		host, port, _ := net.SplitHostPort(address)
		databases := `[{"host": "` + host + `", "port": ` + port + `, "user": "root", "password": "", "database": "test1", "use_unicode": true, "local_infile": true}, {"host": "` + host + `", "port": ` + port + `, "user": "root", "password": "", "database": "test2"}]`
		if err := os.WriteFile(filepath.Join(source, "pymysql", "tests", "databases.json"), []byte(databases), 0o600); err != nil {
			t.Fatal(err)
		}
		c := osexec.Command(python, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--color=no", "pymysql/tests")
		c.Dir = source
		out, _ := c.Output() // tests that fail direct fail
		of := make(map[string]string)
		for line := range strings.Lines(string(out)) {
			if name, verdict, ok := strings.Cut(line, " "); ok && strings.Contains(name, "::") {
				switch verdict, _, _ = strings.Cut(strings.TrimSpace(verdict), " "); verdict {
				case "PASSED":
					of[name] = "pass"
				case "FAILED", "SKIPPED", "XFAIL", "XPASS", "ERROR":
					of[name] = strings.ToLower(verdict)
				}
			}
		}
		return of
	}
	compareVerdicts(t, run(server.Address), run(startRelay(t, server.Address, withTLS(t))), 100)
}

// driver finds the jar with this prefix: java would take the first of several versions.
func driver(t *testing.T, name string) string {
	t.Helper()
	jars, err := filepath.Glob(filepath.Join(suites(t), "java", name+"*.jar"))
	if err != nil || len(jars) != 1 {
		t.Fatalf("want one driver %s: %v, %v", name, jars, err)
	}
	return jars[0]
}

// JDBC drivers see the same direct and through the relay: types, keys, cursors, procedures with several results, batches of statements,
// savepoints, 20 MB, files, timeouts and Statement.cancel.
func TestJDBC(t *testing.T) {
	jars := strings.Join([]string{driver(t, "mysql-connector-j-9"), driver(t, "mariadb-java-client-3")}, string(os.PathListSeparator))
	server := mariaDB(t)
	exec(t, open(t, server.Address, "root", "", nil), "SET GLOBAL max_allowed_packet = 64 << 20", "SET GLOBAL local_infile = 1")
	relayed := startRelay(t, server.Address, nil)
	for name, options := range map[string]string{
		"jdbc:mysql texts":      "useSSL=false&allowPublicKeyRetrieval=true&allowMultiQueries=true&allowLoadLocalInfile=true",
		"jdbc:mysql prepared":   "useSSL=false&allowPublicKeyRetrieval=true&allowMultiQueries=true&allowLoadLocalInfile=true&useServerPrepStmts=true&useCursorFetch=true",
		"jdbc:mariadb texts":    "allowMultiQueries=true&allowLocalInfile=true",
		"jdbc:mariadb prepared": "allowMultiQueries=true&allowLocalInfile=true&useServerPrepStmts=true&useBulkStmts=true",
	} {
		t.Run(name, func(t *testing.T) {
			seen := func(address string) string {
				exec(t, open(t, server.Address, "root", "", nil), "DROP DATABASE IF EXISTS jdbc", "CREATE DATABASE jdbc")
				scheme, _, _ := strings.Cut(name, " ")
				c := osexec.Command("java", "-cp", jars, filepath.Join("testdata", "Session.java"), scheme+"://"+address+"/jdbc?"+options, t.TempDir())
				out, err := c.CombinedOutput()
				if err != nil || !strings.HasSuffix(string(out), "done\n") {
					t.Fatalf("%v\n%s", err, out)
				}
				return string(out)
			}
			direct, through := strings.Split(seen(server.Address), "\n"), strings.Split(seen(relayed), "\n")
			if len(direct) < 150 {
				t.Errorf("the driver says %d lines, must say 150", len(direct))
			}
			for i, line := range direct {
				if i >= len(through) || line != through[i] {
					t.Fatalf("line %d is %q direct, and through the relay %q", i, line, through[min(i, len(through)-1)])
				}
			}
		})
	}
}
