package main

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// TestTaxonomy sends hierarchies, whatever is in them.
func TestTaxonomy(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	db := s.Open(t, servertest.Account{User: "root", MultiStatements: true})
	servertest.Exec(t, db, `CREATE DATABASE d; CREATE TABLE d.people (age INT, job VARCHAR(40));
		INSERT INTO d.people VALUES (16, 'a;b'), (17, 'O''Neil \\'), (30, '"Zoë"')`)
	send := func(file, column string, more ...string) (string, string, int) {
		return play(t, append([]string{"taxonomy", file, "--table", "d.people", "--column", column, "--server", s.Addr}, more...)...)
	}
	ages := write(t, "age.csv", "\xef\xbb\xbf16;16-17;young;*\r\n17;16-17;young;*\r\n30;30-39;old;*\r\n")
	out, errs, code := send(ages, "age")
	want := "d.people.age has a taxonomy of 8 nodes, 3 of them values, 3 levels below '*'\n"
	if code != 0 || out != want {
		t.Errorf("exit %d, %q%s, want %q", code, out, errs, want)
	}
	jobs := write(t, "job.csv", "a;b,letters,all\nO'Neil \\,names,all\n\"\"\"Zoë\"\"\",names,all\n")
	if out, errs, code = send(jobs, "job", "--delimiter", ","); code != 0 || !strings.Contains(out, "6 nodes, 3 of them values") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	several := []string{"taxonomy", "age=" + ages, "job=" + write(t, "jobs.csv", "a;b;all\n"), "--table", "d.people", "--server", s.Addr}
	if out, errs, code = play(t, several...); code != program.ExitFailed || out != want || !strings.Contains(errs, "taxonomy") {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	if out, errs, code = play(t, "taxonomy", "age="+ages, "AGE="+ages, "--table", "d.people", "--server", s.Addr); code != 0 || strings.Count(out, "8 nodes") != 2 {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	servertest.Exec(t, db, "INSERT INTO d.people VALUES (31, 'a;b')")
	if _, errs, code = send(ages, "age"); code != program.ExitFailed || !strings.Contains(errs, "the taxonomy of age has no leaf for the value 31") {
		t.Errorf("exit %d, %s", code, errs)
	}
}
