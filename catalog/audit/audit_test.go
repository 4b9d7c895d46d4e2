package audit

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

func openAudit(t testing.TB, dir string, keep time.Duration) *Log {
	t.Helper()
	a, err := Open(dir, keep)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func count(t testing.TB, a *Log) (n int) {
	t.Helper()
	if err := a.db.QueryRow("SELECT COUNT(*) FROM audit").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Entries come in the order of Add, are there after the file was opened again,
// and wait for one another in no deadlock.
func TestAuditOrder(t *testing.T) {
	dir := t.TempDir()
	a := openAudit(t, dir, 0)
	var wait sync.WaitGroup
	const clients, each = 8, 5000
	for client := range clients {
		wait.Go(func() {
			for i := range each {
				if err := a.Ready(context.Background()); err != nil {
					t.Error(err)
					return
				}
				number := a.Add(Entry{At: time.Now(), Account: fmt.Sprint(client), Kind: "estimate", Rows: int64(i)})
				if i%1000 == 0 {
					if err := a.Flushed(context.Background(), number); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wait.Wait()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a = openAudit(t, dir, 0)
	rows, err := a.db.Query("SELECT account, rows FROM audit ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	next := map[string]int64{}
	for rows.Next() {
		var account string
		var n int64
		if err := rows.Scan(&account, &n); err != nil {
			t.Fatal(err)
		}
		if n != next[account] {
			t.Fatalf("client %s: entry %d, want %d", account, n, next[account])
		}
		next[account]++
	}
	for client, n := range next {
		if n != each {
			t.Errorf("client %s has %d entries", client, n)
		}
	}
	if len(next) != clients {
		t.Errorf("%d clients", len(next))
	}
}

// Failed logins of one name and host are one entry of a batch; old entries go.
func TestAuditRetention(t *testing.T) {
	a := openAudit(t, t.TempDir(), 0) // Prune is called below
	now := time.Now()
	for i := range 100 {
		a.Add(Entry{At: now, Account: "root", Host: "10.0.0.1", Kind: LoginKind, Error: 1045, Rows: 1})
		a.Add(Entry{At: now.Add(-time.Duration(i) * time.Hour), Account: "bi", Kind: "estimate"})
	}
	if err := a.Flushed(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	var attempts int
	if err := a.db.QueryRow("SELECT SUM(rows) FROM audit WHERE kind = 'login'").Scan(&attempts); err != nil || attempts != 100 {
		t.Errorf("%d attempts, %v", attempts, err)
	}
	if err := a.Prune(now.Add(-24*time.Hour - time.Minute)); err != nil {
		t.Fatal(err)
	}
	var estimates int
	if err := a.db.QueryRow("SELECT COUNT(*) FROM audit WHERE kind = 'estimate'").Scan(&estimates); err != nil || estimates != 25 {
		t.Errorf("%d estimates left, %v", estimates, err)
	}
}

// A clock that jumps years ahead empties no audit at once: each removal takes a day.
func TestAuditOutlivesAClock(t *testing.T) {
	a := openAudit(t, t.TempDir(), 0)
	now := time.Now()
	for i := range 100 {
		a.Add(Entry{At: now.Add(-time.Duration(i) * time.Hour), Account: "bi", Kind: "estimate"})
	}
	if err := a.Flushed(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	years := now.AddDate(10, 0, -90)
	for _, left := range []int{76, 52, 28, 4, 0, 0} {
		if err := a.pruneDay(years); err != nil || count(t, a) != left {
			t.Errorf("%d entries are left, want %d; %v", count(t, a), left, err)
		}
	}
}

// While nothing can be written, no entry is lost; once the queue is full, no entry is accepted. Then it continues.
func TestAuditCannotBeWritten(t *testing.T) {
	a := openAudit(t, t.TempDir(), 0)
	if _, err := a.db.Exec("CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'broken'); END"); err != nil {
		t.Fatal(err)
	}
	for range maxWaiting {
		a.Add(Entry{At: time.Now(), Kind: "estimate"})
	}
	if err := a.Flushed(context.Background(), 0); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("flushed: %v", err)
	}
	if err := a.Ready(context.Background()); err == nil || !strings.Contains(err.Error(), "the audit cannot be written") {
		t.Errorf("ready: %v", err)
	}
	if _, err := a.db.Exec("DROP TRIGGER broken"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for a.Flushed(ctx, 0) != nil { // which waits for the next attempt
		if ctx.Err() != nil {
			t.Fatal("it does not go on")
		}
	}
	if err := a.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	if n := count(t, a); n != maxWaiting {
		t.Errorf("%d entries, want %d", n, maxWaiting)
	}
}
