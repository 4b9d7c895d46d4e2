package proxy_test

import (
	"fmt"
	"testing"

	"github.com/anonsql/anonsql/relay/protocol"
)

// once is behind the number of a statement that is executed: no cursor, one time.
var once = []byte{0, 1, 0, 0, 0}

// TestNewestStatement: MariaDB's -1 is the statement that was prepared last, whoever has it.
func TestNewestStatement(t *testing.T) {
	const newest = 1<<32 - 1
	f, owner := publishedPeople(t)
	w := dialWire(t, f.owners, "testneweststatement")
	if got := failure(w.of(protocol.StmtExecute, newest, once...)); got != 1243 {
		t.Errorf("before one is prepared: %d", got)
	}
	answers := map[string]bool{}
	for _, text := range []string{"SELECT 41", "SELECT COUNT(*) FROM published.people", "SELECT 42", "SELECT COUNT(*) + 1 FROM published.people"} {
		number := w.prepare(text)
		want := fmt.Sprintf("%q", w.of(protocol.StmtExecute, number, once...))
		answers[want] = true
		if got := fmt.Sprintf("%q", w.of(protocol.StmtExecute, newest, once...)); got != want {
			t.Errorf("%s: -1 is answered by %s, want %s", text, got, want)
		}
	}
	if len(answers) != 4 {
		t.Errorf("the answers are not four: %v", answers)
	}
	w.command(protocol.StmtPrepare, []byte("SELECT nothing FROM published.people")...)
	if got := failure(w.of(protocol.StmtExecute, newest, once...)); got != 1243 {
		t.Errorf("after one that was not prepared: %d", got)
	}
	owner.want("SELECT COUNT(*) FROM published.people", "300")
}
