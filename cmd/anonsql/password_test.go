package main

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// Whoever forgets the password is told of the flag; whoever gives a wrong one is not.
func TestForgottenPassword(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	servertest.Exec(t, s.Open(t, servertest.Account{User: "root"}), "ALTER USER root@localhost IDENTIFIED BY 'a long password 1'")
	file := write(t, "p.csv", patients(3))
	for _, flags := range [][]string{nil, {"--password", "another"}} {
		_, errs, code := play(t, append([]string{"import", file, "--table", "h.p", "--server", s.Addr}, flags...)...)
		if code != program.ExitFailed || !strings.Contains(errs, "Access denied") || strings.Contains(errs, "say --password") != (flags == nil) {
			t.Errorf("%v: exit %d, %s", flags, code, errs)
		}
	}
}
