package importer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// patients are rows of a file, from one number to another.
func patients(from, to int) string {
	text := "id,age,sex,disease\n"
	for id := from; id <= to; id++ {
		text += fmt.Sprintf("%d,%d,%s,%s\n", id, 20+id*7%50, []string{"f", "m"}[id%2], []string{"flu", "cold", "gout", "asthma", "ulcer"}[id/2%5])
	}
	return text
}

// written is a file with a text.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// followedTable starts a server with a table of 200 patients that has a key, roles and a taxonomy, and that a release follows.
func followedTable(t *testing.T) (*servertest.Server, importer.Options) {
	t.Helper()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	owner := s.Open(t, servertest.Root)
	servertest.Exec(t, owner, "CREATE DATABASE d", "CREATE TABLE d.p (id INT PRIMARY KEY, age INT, sex VARCHAR(8), disease VARCHAR(20))")
	o := importer.Options{File: written(t, patients(1, 200)), Database: "d", Table: "p", Server: s.Addr, User: "root", Policy: importer.Append}
	if _, err := importer.ToServer(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, owner, "CALL set_attributes('d.p', 'ei=id', 'qi=age,sex', 'sa=disease')", "CALL set_taxonomy('d.p', 'age', 'intervals=5,20')",
		"CALL anonymize('d.p', 'drasl', 'k=5', 'publish=people', 'fit=false')")
	o.Policy = importer.Replace
	return s, o
}

// TestReplaceKeepsReleases: if a release follows the table, a file with its columns replaces its rows, and release, roles, taxonomies and keys stay.
// Equal rows are the same persons.
func TestReplaceKeepsReleases(t *testing.T) {
	s, o := followedTable(t)
	check := func(how string, pending, rows int) {
		t.Helper()
		owner := s.Open(t, servertest.Root)
		for statement, want := range map[string]string{
			"SELECT COUNT(*) FROM d.p": fmt.Sprint(rows),
			"SELECT updates, pending, refresh_problem FROM anonsql.releases WHERE name = 'people' AND status = 'public'": fmt.Sprintf("sealed|%d|NULL", pending),
			"SELECT GROUP_CONCAT(role ORDER BY `column`) FROM anonsql.attributes":                                        "qi,sa,ei,qi",
			"SELECT `column`, kind FROM anonsql.taxonomies":                                                              "age|intervals",
			"SELECT index_name FROM information_schema.statistics WHERE table_schema = 'd'":                              "PRIMARY",
			"SELECT GROUP_CONCAT(table_name) FROM information_schema.tables WHERE table_schema = 'd'":                    "p",
		} {
			if got := servertest.Query(t, owner, "%s", statement); !slices.Equal(got, []string{want}) {
				t.Errorf("%s: %s: %q, want %q", how, statement, got, want)
			}
		}
	}
	replace := func(to func(importer.Options) (*importer.Result, error)) {
		t.Helper()
		r, err := to(o)
		if err != nil || r.Created || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "table d.p stays, and the file's rows take the place of its rows, "+
			"because release people follows it, and its columns have roles, and its columns have taxonomies: ") {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	overTheWire := func(o importer.Options) (*importer.Result, error) { return importer.ToServer(t.Context(), o) }
	replace(overTheWire)
	check("the same file", 400, 200)
	if got := servertest.Query(t, s.Open(t, servertest.Root), "CALL refresh_release('people')"); len(got) != 1 || !strings.Contains(got[0], "nothing changed") {
		t.Errorf("refresh after the same file: %q", got)
	}
	check("the same file, refreshed", 0, 200)
	s.Stop(t)
	o.DataDir, o.File = s.Config.DataDir, written(t, patients(21, 210))
	replace(func(o importer.Options) (*importer.Result, error) { return importer.ToDataDir(t.Context(), o) })
	s = servertest.Start(t, s.Config)
	check("another file into the directory", 390, 190)
	servertest.Exec(t, s.Open(t, servertest.Root), "CALL refresh_release('people')")
	got := servertest.Query(t, s.Open(t, servertest.Root), "SELECT version, forged FROM anonsql.releases WHERE name = 'people'")
	if !slices.Equal(got, []string{"2|10"}) {
		t.Errorf("the release after 20 persons left and 10 of the same values came: %q", got)
	}
}

// TestReplaceRefuses: a file with other columns or values does not replace a table that a release follows, and nothing changes.
func TestReplaceRefuses(t *testing.T) {
	s, o := followedTable(t)
	owner := s.Open(t, servertest.Root)
	rows := patients(1, 200)
	refused := []struct{ text, want string }{
		{strings.Replace(rows, "age,sex", "age,gender", 1), "table d.p is not replaced: release people follows it, and its columns have roles, " +
			"and its columns have taxonomies, and it has no column gender, which FILE has, and FILE has no column sex, which it has. " +
			"Import into a table of another name; or, if that may be lost, DROP TABLE `d`.`p` first (CALL drop_release drops a release)"},
		{"id,age,disease\n1,20,flu\n", "and FILE has no column sex, which it has. Import"},
		{rows + "201,old,f,flu\n", "Incorrect integer value: 'old' for column 'age' at row 201"},
		{rows + "200,30,f,flu\n", "1 of the 201 rows have keys"},
	}
	check := func(how string) {
		t.Helper()
		if got := servertest.Query(t, owner, "SELECT COUNT(*), SUM(age), (SELECT GROUP_CONCAT(pending) FROM anonsql.releases), "+
			"(SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'd') FROM d.p"); !slices.Equal(got, []string{"200|8900|0|1"}) {
			t.Errorf("after %s the table has %q", how, got)
		}
	}
	try := func(to func(importer.Options) (*importer.Result, error)) {
		t.Helper()
		for _, c := range refused {
			o.File = written(t, c.text)
			if _, err := to(o); err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(c.want, "FILE", o.File)) {
				t.Errorf("%v, want %q", err, c.want)
			} else if !strings.Contains(c.want, "no column") && !strings.Contains(err.Error(), ". Table d.p was to stay, because release people follows it, ") {
				t.Errorf("%v does not say why the table was to stay", err)
			}
		}
	}
	try(func(o importer.Options) (*importer.Result, error) { return importer.ToServer(t.Context(), o) })
	check("imports over the wire")
	s.Stop(t)
	o.DataDir = s.Config.DataDir
	try(func(o importer.Options) (*importer.Result, error) { return importer.ToDataDir(t.Context(), o) })
	s = servertest.Start(t, s.Config)
	owner = s.Open(t, servertest.Root)
	check("imports into the directory")
	servertest.Exec(t, owner, "CALL drop_release('people')", "DROP TABLE d.p")
	o.File, o.Server = written(t, "id,gender\n1,f\n"), s.Addr
	if r, err := importer.ToServer(t.Context(), o); err != nil || !r.Created {
		t.Errorf("after DROP TABLE: %+v, %v", r, err)
	}
}

// TestReplaceAfterKilledImports: the remains of a killed import do not block others. Another table with such a name stays, and the error names it.
func TestReplaceAfterKilledImports(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	conn := s.Connect(t, servertest.Root)
	servertest.Exec(t, conn, "CREATE DATABASE d", "USE d", "CREATE TABLE t (a INT)")
	o := importer.Options{File: written(t, "a\n7\n"), Database: "d", Table: "t", Server: s.Addr, User: "root", Policy: importer.Replace}
	same := func(how, statement string, want ...string) {
		t.Helper()
		if got := servertest.Query(t, conn, "%s", statement); !slices.Equal(got, want) {
			t.Errorf("%s: %s: %q, want %q", how, statement, got, want)
		}
	}
	const tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'd' ORDER BY table_name"
	for _, left := range []string{"t__importing (x INT) COMMENT 'imported by anonsql as T'", "t__importing (x INT) COMMENT = 'imported by anonsql as t'"} {
		servertest.Exec(t, conn, "CREATE TABLE "+left)
		if r, err := importer.ToServer(t.Context(), o); err != nil || !r.Created {
			t.Fatalf("%s: %+v, %v", left, r, err)
		}
		same(left, tables, "t")
		same(left, "SELECT a FROM d.t", "7")
	}
	servertest.Exec(t, conn, "INSERT INTO d.t VALUES (8)")
	for name, refused := range map[string]string{
		"t__importing": "table d.t__importing is in the way of an import into t: no import into that table has made it. Give it another name, or drop it",
		"t__replaced":  "table d.t__replaced is in the way: it is yours, or has the old rows of an import that was killed. Give it another name, or drop it",
	} {
		for _, there := range []bool{true, false} {
			servertest.Exec(t, conn, "CREATE TABLE "+name+" (x INT) COMMENT 'imported by anonsql as "+name+"'", "INSERT INTO "+name+" VALUES (1)")
			if !there {
				servertest.Exec(t, conn, "RENAME TABLE t TO away")
			}
			if _, err := importer.ToServer(t.Context(), o); err == nil || err.Error() != refused {
				t.Errorf("%s: %v, want %q", name, err, refused)
			}
			same(name, "SELECT x FROM d."+name, "1")
			if !there {
				servertest.Exec(t, conn, "RENAME TABLE away TO t")
			}
			same(name, "SELECT a FROM d.t ORDER BY a", "7", "8")
			servertest.Exec(t, conn, "DROP TABLE "+name)
		}
	}
	servertest.Refused(t, conn, 1146, "missing", "RENAME TABLE t TO t__replaced, missing TO t")
	same("one statement that renames all or nothing", tables, "t")
}
