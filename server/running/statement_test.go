package running

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// begin returns a running statement, its context, and a function for the client that leaves.
func begin(t *testing.T, text string) (st *Statement, ctx context.Context, leave func()) {
	t.Helper()
	parent, leave := context.WithCancel(t.Context())
	st = New("select", text)
	ctx, cancel := st.NewContext(parent)
	t.Cleanup(func() { cancel(nil); leave() })
	return st, ctx, leave
}

// The contexts of a statement carry it, those below too; others carry none.
func TestContextsCarryTheirStatement(t *testing.T) {
	st, ctx, _ := begin(t, "SELECT 1")
	below, cancel := context.WithCancel(ctx)
	defer cancel()
	if StatementOf(ctx) != st || StatementOf(below) != st || StatementOf(sql.NewContext(below)) != st {
		t.Error("a context does not carry its statement")
	}
	if StatementOf(t.Context()) != nil {
		t.Error("a context of no statement carries one")
	}
	if st.Kind != "select" || st.Text != "SELECT 1" || time.Since(st.Started) < 0 {
		t.Errorf("the statement is %s, %q, begun %s", st.Kind, st.Text, st.Started)
	}
}

// ends are the ways to end a statement, with their causes.
var ends = []struct {
	name  string
	end   func(st *Statement, ctx context.Context, leave func())
	cause error
}{
	{"KILL", func(st *Statement, _ context.Context, _ func()) {
		st.UnlessSettled(func() { st.Cancel(sqlerror.ErrInterrupted) })
	}, sqlerror.ErrInterrupted},
	{"the time limit", func(st *Statement, _ context.Context, _ func()) {
		st.Limit(time.Nanosecond, "a setting")
		synctest.Wait()
	}, sqlerror.OverTime(time.Nanosecond, "a setting")},
	{"a client that leaves", func(_ *Statement, _ context.Context, leave func()) { leave() }, context.Canceled},
}

// A statement ends with one cause, the first; later ones change nothing.
func TestOneCause(t *testing.T) {
	for _, first := range ends {
		for _, second := range ends {
			synctest.Test(t, func(t *testing.T) {
				st, ctx, leave := begin(t, "SELECT 1")
				time.Sleep(time.Second) // of the bubble's clock
				if err := Ended(ctx); err != nil {
					t.Fatalf("before it ends: %v", err)
				}
				first.end(st, ctx, leave)
				second.end(st, ctx, leave)
				if err := Ended(ctx); err == nil || err.Error() != first.cause.Error() || sqlerror.Number(err) != sqlerror.Number(first.cause) {
					t.Errorf("%s, then %s: %v, want %v", first.name, second.name, err, first.cause)
				}
			})
		}
	}
}

// Once a statement has settled, KILL and the time limit come too late; the client that
// leaves does not.
func TestSettledStatementsGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, ctx, leave := begin(t, "CALL anonymize('t')")
		st.Limit(time.Minute, "a setting")
		if err := st.Settle(ctx); err != nil {
			t.Fatal(err)
		}
		st.UnlessSettled(func() { t.Error("KILL ends it") })
		time.Sleep(time.Hour)
		synctest.Wait()
		if err := Ended(ctx); err != nil {
			t.Errorf("ended by %v", err)
		}
		leave()
		if err := Ended(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("its client left: %v", err)
		}
	})
}

// An ended statement does not settle: it commits nothing.
func TestEndedStatementsDoNotSettle(t *testing.T) {
	for _, e := range ends {
		synctest.Test(t, func(t *testing.T) {
			st, ctx, leave := begin(t, "CALL anonymize('t')")
			time.Sleep(time.Second)
			e.end(st, ctx, leave)
			if err := st.Settle(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("after %s: %v", e.name, err)
			}
			called := false
			if st.UnlessSettled(func() { called = true }); !called {
				t.Errorf("after %s it is settled", e.name)
			}
		})
	}
}

// The limit counts from the statement's begin, and the shorter of two counts, in either
// order.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		limits []time.Duration
		want   time.Duration // 0 for none
	}{
		{nil, 0}, {[]time.Duration{0}, 0}, {[]time.Duration{-time.Second}, 0},
		{[]time.Duration{time.Minute}, time.Minute},
		{[]time.Duration{time.Minute, time.Hour}, time.Minute},
		{[]time.Duration{time.Hour, time.Minute}, time.Minute},
		{[]time.Duration{time.Minute, 0}, time.Minute},
		{[]time.Duration{time.Minute, time.Minute}, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			st, ctx, _ := begin(t, "SELECT 1")
			for _, d := range c.limits {
				time.Sleep(time.Second) // between the begin and the limit
				st.Limit(d, "a setting")
			}
			if c.want > 0 {
				time.Sleep(time.Until(st.Started.Add(c.want)) - time.Nanosecond)
			} else {
				time.Sleep(24 * time.Hour)
			}
			synctest.Wait()
			if err := Ended(ctx); err != nil {
				t.Errorf("%v: ended after %s by %v", c.limits, time.Since(st.Started), err)
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if err := Ended(ctx); (sqlerror.Number(err) == sqlerror.Timeout) != (c.want > 0) {
				t.Errorf("%v: after %s: %v", c.limits, time.Since(st.Started), err)
			} else if c.want == time.Minute && !strings.HasSuffix(err.Error(), "maximum statement execution time exceeded: 60 s, a setting (errno 3024) (sqlstate HY000)") {
				t.Errorf("after a minute: %v", err)
			}
		})
	}
}

// A finished statement has no clock, and gets none.
func TestFinishStopsTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, ctx, _ := begin(t, "SELECT 1")
		st.Limit(time.Minute, "a setting")
		st.Finish()
		st.Limit(time.Second, "a setting")
		time.Sleep(time.Hour)
		synctest.Wait()
		if err := Ended(ctx); err != nil {
			t.Errorf("ended by %v", err)
		}
	})
	without := New("select", "SELECT 1")
	without.Finish() // nothing to stop
	if without.timer != nil {
		t.Error("it has a clock")
	}
}

// Work without a client's statement has no cause of ours.
func TestEndedOfNoStatement(t *testing.T) {
	var none context.Context // the engine passes such a context
	if err := Ended(none); err != nil {
		t.Errorf("of no context: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	if err := Ended(ctx); err != nil {
		t.Errorf("while it runs: %v", err)
	}
	why := errors.New("why")
	if cancel(why); Ended(ctx) != why {
		t.Errorf("ended with %v", Ended(ctx))
	}
}

// An act is noted once, and the accounts before they change, for the audit.
func TestActs(t *testing.T) {
	st := New("create", "CREATE USER ana")
	st.SetClient(sql.Client{User: "root", Address: "localhost"})
	read, other := Act{Kind: "estimate", Release: "p"}, Act{Kind: "estimate", Release: "q"}
	for _, a := range []Act{read, other, read} {
		st.NoteAct(a)
	}
	st.ChangesAccounts(func(text string) map[string]bool { return map[string]bool{text: true} })
	acts, client := st.Acts()
	if want := []Act{read, other, {Kind: AccountKind}}; fmt.Sprint(acts) != fmt.Sprint(want) || client.User != "root" {
		t.Errorf("%+v did %v, want %v", client, acts, want)
	}
	if named := st.Accounts(); len(named) != 1 || !named["CREATE USER ana"] {
		t.Errorf("it names %v", named)
	}
}

// Work without a client's statement: nothing is recorded, and nothing refused.
func TestNoStatement(t *testing.T) {
	var st *Statement
	st.SetClient(sql.Client{})
	st.Limit(time.Nanosecond, "a setting")
	st.NoteAct(Act{})
	st.ChangesAccounts(func(string) map[string]bool { t.Error("somebody asks for names"); return nil })
	why := errors.New("why")
	if err := errors.Join(st.Parses("SELECT"), st.Expands()); err != nil {
		t.Error(err)
	}
	if st.Unparsed("SELECT", why) != why {
		t.Error("the error of a text is another")
	}
}

// A text that could not be parsed is not parsed again, however it ends; another text is.
func TestParsesOnce(t *testing.T) {
	st := New("select", "SELECT FROM")
	if err := st.Parses("SELECT FROM;"); err != nil {
		t.Fatal(err)
	}
	if st.Unparsed("SELECT 1", nil) != nil || st.Parses("SELECT 1") != nil {
		t.Error("a text without an error has one")
	}
	why := errors.New("syntax")
	if st.Unparsed("SELECT FROM;", why) != why {
		t.Error("the error of a text is another")
	}
	for text, want := range map[string]error{"SELECT FROM;": why, " SELECT FROM ": why, "SELECT FROM": why, "SELECT FROM t": nil} {
		if err := st.Parses(text); err != want {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

// within calls f at this depth of calls.
func within(calls int, f func() error) error {
	if calls == 0 {
		return f()
	}
	err := within(calls-1, f)
	if err != nil { // a call that is not the last thing done
		return err
	}
	return nil
}

// Texts of routines and views that call one another end before the stack does, which is looked at once in manyTexts.
func TestParsesNotTooDeep(t *testing.T) {
	st, ctx, _ := begin(t, "CALL p()")
	parse := func() error { return st.Parses("CALL p()") }
	deep := func() {
		for i := range manyTexts - 1 {
			if err := within(deepStack, parse); err != nil {
				t.Fatalf("text %d: %v", i+1, err)
			}
		}
	}
	deep()
	if err := parse(); err != nil || Ended(ctx) != nil {
		t.Fatalf("on a flat stack: %v, ended by %v", err, Ended(ctx))
	}
	deep()
	if err := within(deepStack, parse); sqlerror.Number(err) != sqlerror.TooDeep || Ended(ctx) != err {
		t.Errorf("on a deep stack: %v, ended by %v", err, Ended(ctx))
	}
}

// One statement may expand to a bounded number of views.
func TestExpands(t *testing.T) {
	st := New("select", "SELECT * FROM v")
	ctx, cancel := st.NewContext(t.Context())
	defer cancel(nil)
	for i := range maxViews {
		if err := st.Expands(); err != nil {
			t.Fatalf("view %d: %v", i+1, err)
		}
	}
	if err := st.Expands(); sqlerror.Number(err) != sqlerror.Syntax || Ended(ctx) != err {
		t.Errorf("one more: %v, ended by %v", err, Ended(ctx))
	}
}
