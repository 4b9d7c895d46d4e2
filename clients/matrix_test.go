package clients

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// records is the number of people of the release.
const records = 2000

// password is of the clients' accounts.
const password = "a-long-secret"

// chosenClients are Go's alone where the others are not installed.
var chosenClients = flag.String("clients", installedClients(), "always, all, or names with commas between")

func installedClients() string {
	if os.Getenv("ANONSQL_CLIENTS_DIR") == "" {
		return ""
	}
	return testsize.Of("always", "all")
}

// Every selected client of the matrix prints the expected lines.
func TestClients(t *testing.T) {
	asked, err := choose(*chosenClients)
	if err != nil {
		t.Fatal(err)
	}
	expected := readLines(t, readFile(t, "testdata/expected.txt"))
	s := publish(t, server.Config{Extend: server.Product})
	for _, c := range asked {
		want := c.expects(t, expected)
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := s.newcomer(t, c.name)
			compare(t, readLines(t, c.run(t, a)), want)
		})
	}
}

// choose finds the clients by a list: always, all, or names with commas between. Go's
// driver, which needs no installation, is always one of them.
func choose(list string) ([]client, error) {
	var chosen []client
	for _, c := range matrix {
		if c.name == "go" || list == "all" || list == "always" && !c.onDemand {
			chosen = append(chosen, c)
		}
	}
	if list == "" || list == "all" || list == "always" {
		return chosen, nil
	}
	for _, name := range strings.Split(list, ",") {
		at := slices.IndexFunc(matrix, func(c client) bool { return c.name == name })
		switch {
		case at < 0:
			return nil, fmt.Errorf("-clients names %q: there are always, all and the names in list_test.go", name)
		case name != "go":
			chosen = append(chosen, matrix[at])
		}
	}
	return chosen, nil
}

// The selected clients run: an unknown name is an error, and Go's driver needs no name.
func TestChoose(t *testing.T) {
	names := func(list string) (names []string) {
		chosen, err := choose(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chosen {
			names = append(names, c.name)
		}
		return names
	}
	if got := names(""); !slices.Equal(got, []string{"go"}) {
		t.Errorf("without a list: %v", got)
	}
	if got := names("php,go,pymysql"); !slices.Equal(got, []string{"go", "php", "pymysql"}) {
		t.Errorf("by names: %v", got)
	}
	all := names("all")
	if len(all) != len(matrix) {
		t.Errorf("all are %v", all)
	}
	compiled := func(name string) bool { return strings.HasPrefix(name, "rust-") }
	if got, want := names("always"), slices.DeleteFunc(all, compiled); len(want) != len(matrix)-2 || !slices.Equal(got, want) {
		t.Errorf("always are %v, want all but those in Rust", got)
	}
	if _, err := choose("pymysql,nobody"); err == nil || !strings.Contains(err.Error(), `"nobody"`) {
		t.Errorf("an unknown name: %v", err)
	}
}

// A house is a server with the release people, and with a database for every client.
type house struct{ *servertest.Server }

func publish(t *testing.T, config server.Config) house {
	t.Helper()
	s := house{servertest.Start(t, config)}
	file, err := os.Create(filepath.Join(t.TempDir(), "people.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := sample.WriteCSV(file, records, 1); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := importer.ToServer(t.Context(), importer.Options{File: file.Name(), Database: "census", Table: "people", Server: s.Addr, User: "root"}); err != nil {
		t.Fatal(err)
	}
	// The seed makes the figures repeatable; without a measured misfit it is 0.1 for every pair.
	servertest.Exec(t, s.Open(t, servertest.Root),
		"CALL set_attributes('census.people', 'qi=age,sex,education,region', 'sa=disease', 'ei=person_id,name')",
		"CALL anonymize('census.people', 'anatomy', 'l=3', 'seed=1', 'misfit=false', 'publish=people')")
	return s
}

// An account is a client's account: it owns a database with its name, and reads published data.
type account struct{ address, name string }

// newcomer creates a client's account, and its database with the ordinary tables.
func (s house) newcomer(t *testing.T, name string) account {
	t.Helper()
	name = "of_" + name
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE DATABASE `"+name+"`", "CREATE USER `"+name+"` IDENTIFIED BY '"+password+"'",
		"GRANT ALL ON `"+name+"`.* TO `"+name+"`", "GRANT SELECT ON published.* TO `"+name+"`")
	db := s.Open(t, servertest.Account{User: "root", Database: name})
	for _, statement := range strings.Split(readFile(t, "testdata/ordinary.sql"), "\n\n") {
		servertest.Exec(t, db, strings.TrimSpace(statement))
	}
	return account{s.Addr, name}
}

// run runs a client's program and returns its output.
func (c client) run(t *testing.T, a account) string {
	t.Helper()
	if c.command == nil {
		return inGo(t, a)
	}
	directory := os.Getenv("ANONSQL_CLIENTS_DIR")
	if directory == "" {
		t.Fatal("ANONSQL_CLIENTS_DIR is not set: it is where clients/install has put the clients")
	}
	host, port, err := net.SplitHostPort(a.address)
	if err != nil {
		t.Fatal(err)
	}
	words := c.command(directory)
	command := exec.CommandContext(t.Context(), words[0], words[1:]...)
	command.Env = append(os.Environ(), "CLIENT_HOST="+host, "CLIENT_PORT="+port, "CLIENT_USER="+a.name, "CLIENT_PASSWORD="+password, "CLIENT_DATABASE="+a.name,
		"PYTHONDONTWRITEBYTECODE=", "PYTHONPYCACHEPREFIX="+filepath.Join(directory, "bytecode")) // shared, and outside of the tree
	var output, complaints bytes.Buffer
	command.Stdout, command.Stderr = &output, &complaints
	if err := command.Run(); err != nil {
		t.Fatalf("%v: %v; is it installed (clients/install)?\n%s\nIt printed before:\n%s", words, err, complaints.String(), output.String())
	}
	return output.String()
}

// expects is expected without what the client lacks, and with its differences.
func (c client) expects(t *testing.T, expected map[string]string) map[string]string {
	t.Helper()
	want := maps.Clone(expected)
	for _, l := range c.lacks {
		for _, section := range strings.Split(l.sections, ", ") {
			before := len(want)
			maps.DeleteFunc(want, func(key, _ string) bool { return key == section || strings.Fields(key)[0] == section })
			if len(want) == before {
				t.Errorf("%s lacks %q, of which no line is expected", c.name, section)
			}
		}
	}
	for _, d := range c.differs {
		before, ok := want[d.key]
		switch {
		case !ok:
			t.Errorf("%s differs in %q, which is not expected", c.name, d.key)
		case before == d.value:
			t.Errorf("%s does not differ in %q", c.name, d.key)
		}
		want[d.key] = d.value
	}
	return want
}

func compare(t *testing.T, got, want map[string]string) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		switch value, ok := got[key]; {
		case !ok:
			t.Errorf("%s: is missing, want %s", key, want[key])
		case value != want[key]:
			t.Errorf("%s: %s\nwant %s", key, value, want[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok {
			t.Errorf("%s: %s\nis not expected", key, got[key])
		}
	}
}

// readLines reads lines "key: value"; those that begin with # are comments.
func readLines(t *testing.T, text string) map[string]string {
	t.Helper()
	lines := make(map[string]string)
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		key, value, ok := strings.Cut(line, ": ")
		if _, twice := lines[key]; !ok || twice {
			t.Fatalf("the line %q has no value, or its key is there twice:\n%s", line, text)
		}
		lines[key] = value
	}
	return lines
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
