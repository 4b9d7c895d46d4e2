package faults_test

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/anonsql/anonsql/catalog/maintenance"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// smallDisk mounts a separate file system.
func smallDisk(t *testing.T, bytes int) (mounted string) {
	t.Helper()
	mounted = t.TempDir()
	if err := syscall.Mount("tmpfs", mounted, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		testsize.Missing(t, "no file system can be mounted here (%v)", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(mounted, syscall.MNT_DETACH) })
	return mounted
}

// stock fills a server with a table, a release and a release that follows its
// table.
var stock = []string{
	"CREATE DATABASE k", "CREATE TABLE k.people (id INT PRIMARY KEY, age INT, sex VARCHAR(1), disease VARCHAR(20), KEY by_age (age))",
	"CREATE TABLE k.live (id INT PRIMARY KEY, age INT, sex VARCHAR(1), disease VARCHAR(20))", "CREATE TABLE k.filler (id INT PRIMARY KEY, filler TEXT)",
	"CALL set_attributes('k.people', 'qi=age,sex', 'sa=disease')", "CALL set_attributes('k.live', 'qi=age,sex', 'sa=disease')",
}

func stocked(t *testing.T, execute func(statements ...string)) {
	t.Helper()
	c := &chain{t: t, random: rand.New(rand.NewPCG(5, 5))}
	execute(stock...)
	execute("INSERT INTO k.people VALUES "+c.people(200), "INSERT INTO k.live SELECT id, age + 100, sex, disease FROM k.people",
		"CALL anonymize('k.people', 'anatomy', 'l=2', 'publish=people', 'seed=1')", "CALL anonymize('k.live', 'drasl', 'k=4', 'publish=live', 'allow_composition=true', 'seed=1')",
		"DELETE FROM k.live WHERE id % 5 = 0")
}

// On a full disk, statements that do not fit are refused with MySQL's number and leave nothing behind. Existing data
// can be read and queried. With room again everything works.
func TestFullDiskOverTheWire(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, 3<<20)
	dir := filepath.Join(disk, "data")
	s := servertest.Start(t, server.Config{Extend: server.Product, DataDir: dir})
	db := s.Open(t, servertest.Account{User: "root", Variables: servertest.ListsRelations})
	stocked(t, func(statements ...string) { run(t, db, statements...) })
	filler := filepath.Join(disk, "filler")
	fill(t, filler)
	refused := 0
	for _, statement := range []string{
		"INSERT INTO k.filler SELECT id, REPEAT('x', 9000) FROM k.people", "CREATE TABLE k.more AS SELECT id, REPEAT('x', 9000) AS x FROM k.people",
		"CALL anonymize('k.people', 'mondrian', 'k=2', 'publish=people', 'replace=true', 'allow_composition=true', 'seed=2')", "CALL refresh_release('live', 'seed=2')",
		"CALL evaluate('people', 'queries=20', 'seed=2')", "CALL create_analyst('reader', 'a long secret')", "CALL drop_release('people')",
	} {
		before := sees(t, db)
		_, err := db.Exec(statement)
		if err == nil { // the log had room for it
			continue
		}
		refused++
		if n := servertest.Number(err); n != 1021 || !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("%s: %v", statement, err)
		}
		if different := before.unlike(sees(t, db)); len(different) > 0 {
			t.Errorf("%s was refused, and left other %v", statement, different)
		}
	}
	if refused < 3 {
		t.Errorf("%d statements were refused: the disk was not full", refused)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	run(t, db, "INSERT INTO k.filler SELECT id, 'x' FROM k.people", "CALL refresh_release('live', 'seed=3')",
		"CALL anonymize('k.live', 'drasl', 'k=4', 'publish=live', 'replace=true', 'allow_composition=true', 'seed=3')")
	if n := servertest.Query(t, db, "SELECT COUNT(*) FROM anonsql.audit WHERE outcome = 'error 1021'")[0]; n == "0" {
		t.Error("the audit has no statement that was refused")
	}
	sees(t, db)
	s.Stop(t)
	report, err := maintenance.CheckDirectory(context.Background(), dir, nil)
	if err != nil || len(report.Findings)+len(report.Notes) > 0 {
		t.Errorf("%v %+v", err, report)
	}
}

// fill writes a file until its disk has no room.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// sees returns what a server shows; it must be consistent.
func sees(t *testing.T, db *dbsql.DB) sight {
	t.Helper()
	s, problems, err := look(db)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return s
}

// A read-only data directory is not served; the error says what to do. It can be checked and backed up, also with the
// log that a kill left, and nothing is lost.
func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, 16<<20)
	dir := filepath.Join(disk, "data")
	c := servertest.StartChild(t, dir)
	stocked(t, func(statements ...string) { run(t, c.DB, statements...) })
	before, _, err := look(c.DB)
	if err != nil {
		t.Fatal(err)
	}
	for _, stop := range []func(){c.Kill, func() { c.Stop(t) }} {
		stop()
		_ = os.Remove(filepath.Join(dir, "anonsql.db-shm")) // as in a copy of the directory
		if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			testsize.Missing(t, "no file system can be made read-only here: %v", err)
		}
		if text := servertest.RefusedChild(t, dir); !strings.Contains(text, "needs to write into its data directory; mount it for writing") {
			t.Errorf("serve says: %s", text)
		}
		report, err := maintenance.CheckDirectory(context.Background(), dir, nil)
		if err != nil || report.Err() != nil || report.Rows != 360 || report.Releases != 2 {
			t.Errorf("check: %v %+v", err, report)
		}
		file := filepath.Join(t.TempDir(), "backup")
		if report, err = maintenance.Backup(context.Background(), dir, file, false, nil); err != nil || report.Rows != 360 || report.Releases != 2 {
			t.Errorf("backup: %v %+v", err, report)
		}
		if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT, ""); err != nil {
			t.Fatal(err)
		}
		c = servertest.StartChild(t, dir)
		after, _, err := look(c.DB)
		if different := before.unlike(after); err != nil || len(different) > 0 {
			t.Errorf("writable again: %v, other %v", err, different)
		}
	}
}

// serve runs a server in this process; it returns the error of a server that does not start.
func serve(t *testing.T, dir string, log *slog.Logger) (address string, stop func() error, err error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		ended <- server.Run(ctx, server.Config{DataDir: dir, Listen: "127.0.0.1:0", Extend: server.Product, ShutdownGrace: time.Second, Logger: log,
			Ready: func(a net.Addr) { ready <- a }})
	}()
	select {
	case address := <-ready:
		return address.String(), func() error {
			cancel()
			return <-ended
		}, nil
	case err := <-ended:
		cancel()
		return "", nil, err
	}
}

// A damaged catalog is not served, or its damaged parts are refused, with messages that say what to do; the rest is
// served.
func TestDamageOverTheWire(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := servertest.Start(t, server.Config{Extend: server.Product, DataDir: dir})
	stocked(t, func(statements ...string) {
		run(t, s.Open(t, servertest.Account{User: "root", Variables: servertest.ListsRelations}), statements...)
	})
	s.Stop(t)
	file := filepath.Join(dir, "anonsql.db")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	unserved, refused := 0, 0
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			if err := os.WriteFile(file, damaged(whole, seed), 0o600); err != nil {
				t.Fatal(err)
			}
			address, stop, err := serve(t, dir, slog.New(slog.DiscardHandler))
			if err != nil {
				unserved++
				tellsOfDamage(t, "start", err)
				return
			}
			refused += askDamaged(t, address)
			_ = stop() // the error is about what it could not write
		})
	}
	t.Logf("30 damaged files: %d not served, %d statements refused by the others", unserved, refused)
	if unserved == 0 || refused == 0 {
		t.Error("the damage was not noticed")
	}
}

// damaged is a copy of a file that is cut, or has pages of garbage, but seldom the
// first ones.
func damaged(whole []byte, seed uint64) []byte {
	random, data := rand.New(rand.NewPCG(seed, 3)), append([]byte{}, whole...)
	if seed%5 == 0 {
		return data[:random.IntN(len(data))]
	}
	for range 1 + random.IntN(4) {
		at := random.IntN(len(data)/4096) * 4096
		for i := range 4096 {
			data[at+i] = byte(random.Uint32())
		}
	}
	return data
}

// tellsOfDamage checks that an error says what to do.
func tellsOfDamage(t *testing.T, doing string, err error) {
	t.Helper()
	if text := err.Error(); !strings.Contains(text, "damaged") || !strings.Contains(text, "anonsql check") && !strings.Contains(text, "anonsql restore") {
		t.Errorf("%s: %v", doing, err)
	}
}

// askDamaged runs all kinds of statements on a damaged catalog: each is answered, or refused properly. The server
// keeps running.
func askDamaged(t *testing.T, address string) (refused int) {
	t.Helper()
	db := open(t, address)
	defer db.Close()
	for _, statement := range []string{"SELECT * FROM k.people", "SELECT id FROM k.people WHERE age = 30", "SELECT COUNT(*) FROM k.live", "SELECT * FROM anonsql.releases",
		"SELECT disease, COUNT(*) FROM published.people GROUP BY disease", "SELECT * FROM published.live", "SELECT * FROM ANON_PRIVACY(published.live)",
		"INSERT INTO k.filler VALUES (-1, 'x')", "UPDATE k.people SET age = age + 1", "CALL refresh_release('live')", "CALL drop_release('people')"} {
		_, err := servertest.Tries(db, statement)
		if n := servertest.Number(err); err == nil || n == 1146 || n == 1054 || n == 30001 || n == 1049 {
			continue // a name or a description may be gone with its row
		}
		refused++
		if n := servertest.Number(err); n != 1877 {
			t.Errorf("%s: %v", statement, err)
		}
		tellsOfDamage(t, statement, err)
	}
	if _, err := servertest.Tries(db, "SELECT 1"); err != nil {
		t.Errorf("after all: %v", err)
	}
	return refused
}

// A spoiled audit is a file in the audit's place when a server starts.
type spoiledAudit struct {
	name       string
	data       []byte // nil for none
	log, check string // messages of the server and the check, "" for none
	kept       bool   // whether a new file replaces it, and the old one is kept
}

const auditNotWritten = "an entry of the audit is not on the disk"

func spoiledAudits(whole []byte) []spoiledAudit {
	random := rand.New(rand.NewPCG(1, 1))
	garbage := make([]byte, 20_000)
	for i := range garbage {
		garbage[i] = byte(random.Uint32())
	}
	inside := append(append([]byte{}, whole[:4096]...), garbage...)
	const begun = "the audit was damaged: a new one is begun, and the old one kept"
	return []spoiledAudit{
		{"whole", whole, "", "", false},
		{"missing", nil, "a new audit is begun", "", false},
		{"empty", []byte{}, "", "", false},
		{"garbage", garbage, begun, "is no database", true},
		{"cut short", whole[:5000], begun, "is cut short", true},
		{"pages of garbage", inside[:len(whole)], auditNotWritten, "has problems in its file", false},
	}
}

// The audit is a separate file: without it, or with a damaged one, a server starts, reports it, and keeps the old
// file. The check examines the file.
func TestDamagedAudit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	file := filepath.Join(dir, "audit.db")
	s := servertest.Start(t, server.Config{Extend: server.Product, DataDir: dir})
	stocked(t, func(statements ...string) {
		run(t, s.Open(t, servertest.Account{User: "root", Variables: servertest.ListsRelations}), statements...)
	})
	s.Stop(t)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range spoiledAudits(whole) {
		t.Run(c.name, func(t *testing.T) {
			c.put(t, file)
			c.isChecked(t, dir)
			c.isServed(t, dir)
			c.isKept(t, file)
		})
	}
}

// put lays it in place of the audit.
func (c spoiledAudit) put(t *testing.T, file string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(file + suffix) // it may not be there
	}
	if c.data != nil {
		if err := os.WriteFile(file, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// isChecked checks that the directory's check finds the damage, and says what to do.
func (c spoiledAudit) isChecked(t *testing.T, dir string) {
	t.Helper()
	report, err := maintenance.CheckDirectory(context.Background(), dir, nil)
	if err != nil || len(report.Notes) > 0 || (c.check == "") != (len(report.Findings) == 0) {
		t.Fatalf("check: %v %+v", err, report)
	}
	if c.check != "" && (!strings.Contains(report.Findings[0].What, c.check) || !strings.Contains(report.Findings[0].Do, "move the file away")) {
		t.Errorf("check: %+v", report.Findings)
	}
}

// isServed starts a server over it, which answers, refreshes and writes its entries
// where it can.
func (c spoiledAudit) isServed(t *testing.T, dir string) {
	t.Helper()
	var log strings.Builder
	address, stop, err := serve(t, dir, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	db := open(t, address)
	servertest.Query(t, db, "SELECT COUNT(*) FROM published.people")
	run(t, db, "CALL refresh_release('live', 'seed=1')")
	if c.log != auditNotWritten {
		if n := servertest.Query(t, db, "SELECT COUNT(*) FROM anonsql.audit WHERE kind = 'refresh'")[0]; n == "0" {
			t.Error("the audit has no entry")
		}
	}
	db.Close()
	if err := stop(); (err != nil) != (c.log == auditNotWritten) {
		t.Errorf("the server stopped with %v", err)
	}
	if !strings.Contains(log.String(), c.log) {
		t.Errorf("the log does not say %q:\n%s", c.log, log.String())
	}
}

// isKept checks that the damaged file lies unchanged next to the new one, and removes it.
func (c spoiledAudit) isKept(t *testing.T, file string) {
	t.Helper()
	kept, _ := filepath.Glob(file + ".*")
	if (len(kept) > 0) != c.kept {
		t.Errorf("kept: %v", kept)
	}
	for _, name := range kept {
		if got, err := os.ReadFile(name); err != nil || string(got) != string(c.data) {
			t.Errorf("%s is not what was there (%v)", name, err)
		}
		os.Remove(name)
	}
}
