package functions

import (
	"context"
	dbsql "database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// The seconds of a release include the work since the table was read.
func TestSecondsOfAPublication(t *testing.T) {
	p := &publication{run: &run{started: time.Now().Add(-time.Hour)}}
	if err := p.clock(nil); err != nil || p.Record.Seconds < 3600 {
		t.Errorf("%v seconds after an hour, %v", p.Record.Seconds, err)
	}
}

// An attribute cannot be published as units together with the numbers of units; without these it can.
func TestUnitsIsAColumnOfUnits(t *testing.T) {
	r := anontest.Visits(t)
	if err := checkNames(r); err != nil {
		t.Fatal(err)
	}
	r.Fragments[1].Columns[0].Name = "Units"
	if err := checkNames(r); err == nil || !strings.Contains(err.Error(), `column "Units" cannot be released under its name: every published relation of a release with units`) {
		t.Errorf("it is refused with %v", err)
	}
	r.Units = nil
	for _, f := range r.Fragments {
		f.Units = nil
	}
	if err := checkNames(r); err != nil {
		t.Errorf("without units: %v", err)
	}
}

// A publication that panics records no changes for a release that is not there.
func TestPanicEndsFollowing(t *testing.T) {
	b := newBench(t)
	b.ward()
	b.environment.Method = func(name string) (anonymize.Method, error) {
		m, err := methodOrOrder(name)
		m.Algorithm = func(context.Context, *anonymize.Input, anonymize.Settings) (*anonymize.Release, error) {
			panic("broken")
		}
		return m, err
	}
	triggers := func() (n int) {
		err := b.catalog.View(t.Context(), func(tx *dbsql.Conn) error {
			return tx.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'trigger'").Scan(&n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := triggers()
	ctx := b.context(context.Background(), "root", "CALL anonymize")
	rows, err := b.environment.anonymize(ctx, "hospital.ward", "drasl", "k=4", "publish=other", "private=true")
	if err != nil {
		t.Fatal(err)
	}
	err = b.environment.doOwn(ctx, func(ctx *sql.Context) (sql.Row, error) { return nil, drained(ctx, rows) })
	if !errors.Is(err, errPanicked) || before == 0 || triggers() != before {
		t.Errorf("%v; %d triggers, before %d", err, triggers(), before)
	}
}
