package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// A release goes from a server as files into another server, over the wire, and into a data directory. A modified
// package is refused.
func TestImportRelease(t *testing.T) {
	dir, dataDir := t.TempDir(), t.TempDir()
	here := servertest.Start(t, server.Config{Extend: server.Product, ExportDir: dir})
	there := servertest.Start(t, server.Config{Extend: server.Product})
	root := here.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE h", "CREATE TABLE h.p (age INT, disease VARCHAR(20))")
	for i := range 30 {
		servertest.Exec(t, root, fmt.Sprintf("INSERT INTO h.p VALUES (%d, 'd%d')", 20+i, i%5))
	}
	servertest.Exec(t, root, "CALL anonymize('h.p', 'anatomy', 'l=3', 'qi=age', 'sa=disease', 'publish=p')", "CALL export_release('p')", "CALL export_release('p', 'dir=q', 'format=parquet')",
		"CALL fit_release('p')", "CALL export_release('p', 'dir=r', 'completed=2')")
	if err := os.RemoveAll(filepath.Join(dir, "r", "completed")); err != nil { // nobody reads them
		t.Fatal(err)
	}
	const imported = "published.%s: 30 records in 10 groups, method anatomy, version 1: verified\n"
	for _, c := range []struct{ arguments, want string }{
		{filepath.Join(dir, "p") + " --server " + there.Addr, fmt.Sprintf(imported, "p")},
		{filepath.Join(dir, "q", "datapackage.json") + " --name other --server " + there.Addr, fmt.Sprintf(imported, "other")},
		{filepath.Join(dir, "r") + " --name third --server " + there.Addr, fmt.Sprintf(imported, "third")},
		{filepath.Join(dir, "q") + " --replace --server " + there.Addr, fmt.Sprintf(imported, "p")},
		{filepath.Join(dir, "q") + " --data-dir " + dataDir, fmt.Sprintf(imported, "p")},
	} {
		if out, errs, code := play(t, strings.Fields("import-release "+c.arguments)...); code != 0 || out != c.want {
			t.Errorf("%s: exit %d:\n%s%s", c.arguments, code, out, errs)
		}
	}
	third := servertest.Start(t, server.Config{Extend: server.Product, DataDir: dataDir})
	for _, s := range []*servertest.Server{there, third} {
		var n float64
		if err := s.Open(t, servertest.Root).QueryRow("SELECT COUNT(*) FROM published.p WHERE age < 35").Scan(&n); err != nil || n != 15 {
			t.Errorf("%g people are below 35, %v", n, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "r", "p_sa.csv")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ arguments, want string }{
		{filepath.Join(dir, "p") + " --server " + there.Addr, `there is an imported release "p": say replace=true (--replace), or choose another name with publish=name (--name)`},
		{dir + " --server " + there.Addr, "the folder has no datapackage.json: name the folder that CALL export_release wrote"},
		{dir + " --data-dir " + t.TempDir(), "it has no datapackage.json: name the folder that CALL export_release wrote"},
		{filepath.Join(dir, "r") + " --server " + there.Addr, "p_sa.csv is missing, which datapackage.json names: copy the whole folder"},
		{filepath.Join(dir, "p"), "say where to"},
		{"a b --server x", "2 folders are given, must be one"},
		{filepath.Join(dir, "none") + " --data-dir " + t.TempDir(), "no such file"},
	} {
		if out, errs, code := play(t, strings.Fields("import-release "+c.arguments)...); code == 0 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit %d:\n%s%s", c.arguments, code, out, errs)
		}
	}
}
