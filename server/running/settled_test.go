package running

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// After a statement has settled, only its client can end it. Other causes come too late, and the first of them ends
// the next statement of a routine.
func TestNothingEndsWhatHasSettled(t *testing.T) {
	for _, first := range ends {
		if first.name == "a client that leaves" {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			st, ctx, leave := begin(t, "CALL d.publishes()")
			time.Sleep(time.Second)
			if err := st.Settle(ctx); err != nil {
				t.Fatal(err)
			}
			if isLate(st) {
				t.Error("it is late before anything was to end it")
			}
			waits := st.Late()
			first.end(st, ctx, leave)
			if <-waits; !isLate(st) {
				t.Errorf("%s came late, and who asks does not hear of it", first.name)
			}
			st.UnlessSettled(func() { t.Errorf("after %s, another ends it", first.name) })
			if err := Ended(ctx); err != nil {
				t.Errorf("%s ends it with %v", first.name, err)
			}
			st.Next()
			if isLate(st) {
				t.Errorf("%s came late for the statement before", first.name)
			}
			if err := Ended(ctx); err == nil || err.Error() != first.cause.Error() {
				t.Errorf("%s ends the next statement with %v, want %v", first.name, err, first.cause)
			}
			if err := st.Settle(ctx); err == nil {
				t.Error("what has ended settles")
			}
		})
	}
}

// The next statement of a routine that has settled can be ended, and settles again.
func TestNextStatementOfARoutine(t *testing.T) {
	(*Statement)(nil).Next()
	st, ctx, _ := begin(t, "CALL d.publishes()")
	for range 2 {
		if err := st.Settle(ctx); err != nil {
			t.Fatal(err)
		}
		st.Next()
	}
	st.UnlessSettled(func() { st.Cancel(sqlerror.ErrInterrupted) })
	if err := context.Cause(ctx); err != sqlerror.ErrInterrupted {
		t.Errorf("ended by %v", err)
	}
}

// isLate reports whether something was to end a statement that has settled.
func isLate(st *Statement) bool {
	select {
	case <-st.Late():
		return true
	default:
		return false
	}
}
