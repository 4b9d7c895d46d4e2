package acceptance

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// KILL ends waiting for a lock. A lock ends with its session, or when the session is reset.
func TestNamedLocks(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	conn, other := s.Connect(t, servertest.Root), s.Connect(t, servertest.Root)
	servertest.Refused(t, conn, 3057, "Incorrect user-level lock name", "SELECT GET_LOCK(CONCAT(REPEAT('a', 60000000), 1), 0)")
	w, err := wireLogin(s.Addr, "root", "", capUsual)
	if err != nil {
		t.Fatal(err)
	}
	take := func() {
		t.Helper()
		if answer, err := w.query("SELECT IF(GET_LOCK('x', 0), 'taken', 'refused') AS n"); err != nil || !strings.Contains(string(answer.shown), "taken") {
			t.Fatalf("GET_LOCK: %q, %v", answer.shown, err)
		}
	}
	take()
	ended := make(chan error, 1)
	go func() {
		_, err := servertest.Tries(conn, "SELECT GET_LOCK('X', -1)")
		ended <- err
	}()
	var waits []string
	servertest.Eventually(t, "somebody waits", func() bool {
		waits = servertest.Query(t, other, "SELECT id FROM information_schema.processlist WHERE info LIKE '%%GET_LOCK(''X''%%' AND id <> CONNECTION_ID()")
		return len(waits) == 1
	})
	servertest.Exec(t, other, "KILL QUERY "+waits[0])
	if err := <-ended; servertest.Number(err) != 1317 {
		t.Errorf("killed: %v", err)
	}
	isFree := func() bool { return servertest.Query(t, other, "SELECT IS_FREE_LOCK('x')")[0] == "1" }
	if isFree() {
		t.Error("a lock is free that somebody holds")
	}
	if _, err := w.command([]byte{0x1f}); err != nil || !isFree() { // COM_RESET_CONNECTION
		t.Errorf("a session that is reset holds its lock: %v", err)
	}
	take()
	w.close()
	servertest.Eventually(t, "the lock is free", isFree)
}
