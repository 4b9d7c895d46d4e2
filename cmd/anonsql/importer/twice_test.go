package importer_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// While an import loads a table, another one into it is refused. Afterwards, also after an aborted one, imports are possible.
func TestTwoImportsIntoOneTable(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	owner := s.Open(t, servertest.Root)
	servertest.Exec(t, owner, "CREATE DATABASE d")
	small := importer.Options{File: written(t, "a\n7\n"), Database: "d", Table: "T", Server: s.Addr, User: "root"}
	long := small
	long.Table, long.File = "t", written(t, "a\n"+strings.Repeat("1\n", 300_000))
	const tables = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'd'"
	for _, cut := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan error, 1)
		go func() {
			_, err := importer.ToServer(ctx, long)
			done <- err
		}()
		for asked := time.Now(); servertest.Query(t, owner, tables)[0] == "0"; time.Sleep(time.Millisecond) {
			if time.Since(asked) > time.Minute {
				t.Fatal("the import has made no table in a minute")
			}
		}
		if _, err := importer.ToServer(t.Context(), small); err == nil || !strings.Contains(err.Error(), "another import into the table is under way") {
			t.Errorf("a second import: %v", err)
		}
		if cut {
			cancel()
		}
		if err := <-done; (err != nil) != cut {
			t.Errorf("the first import: %v, cut off %v", err, cut)
		}
		if want := map[bool]string{true: "0", false: "1"}[cut]; servertest.Query(t, owner, tables)[0] != want {
			t.Errorf("cut off %v: not %s tables are left", cut, want)
		}
	}
	if got := servertest.Query(t, owner, "SELECT COUNT(*), SUM(a) FROM d.t"); got[0] != "300000|300000" {
		t.Errorf("the table has %s", got)
	}
	small.Policy = importer.Append
	if _, err := importer.ToServer(t.Context(), small); err != nil {
		t.Errorf("after the first: %v", err)
	}
}
