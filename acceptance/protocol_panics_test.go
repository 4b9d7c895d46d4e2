package acceptance

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// A command of several packets, which is not inspected, reaches the protocol layer: its panic is logged with the
// stack, the client gets an error, and other connections continue.
func TestPanicsOfTheProtocolAreLogged(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	w, err := wireLogin(s.Addr, "root", "", capUsual)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	w.sequence = 0
	w.send([]byte("\x16SELECT ?"))
	for range 5 { // one parameter, one column, an EOF after each
		if _, err := w.receive(); err != nil {
			t.Fatal(err)
		}
	}
	w.sequence = 0
	w.send([]byte("\x17\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\xfd\x00\xfe\xff\xff\xff\xff\xff\xff\xff\xff" + strings.Repeat("x", 1<<24)))
	answer, err := w.receive()
	if err != nil || !strings.HasPrefix(string(answer), "\xff\x2b\x07#HY000") {
		t.Errorf("answered %.80q, %v", answer, err)
	}
	if _, err := w.receive(); err == nil {
		t.Error("the connection goes on")
	}
	if said := s.Log(); !strings.Contains(said, "protocol layer panicked") || !strings.Contains(said, "parseComStmtExecute") {
		t.Errorf("the log has %q", said)
	}
	one[int](t, s.Open(t, servertest.Root), "SELECT 1")
}
