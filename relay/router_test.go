package relay

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/anonsql/anonsql/relay/protocol"
	"github.com/anonsql/anonsql/testsize"
)

// A here is a router that answers statements which begin with `ours` itself.
type here struct {
	session *Session
	entered chan struct{}      // gets a value when `ours waits` has begun
	ended   chan error         // gets what ended it
	mu      sync.Mutex         // of seen
	seen    []protocol.Command // commands that were routed
	closed  chan struct{}
}

func (h *here) Close() { close(h.closed) }

func (h *here) Route(c Command) Answerer {
	h.mu.Lock()
	h.seen = append(h.seen, c.Number())
	h.mu.Unlock()
	text, ours := strings.CutPrefix(c.Text(), "ours")
	if text == " panics at once" {
		panic("of the test")
	}
	if !ours {
		return nil
	}
	whole := c.Whole
	return func(ctx context.Context, r *Reply) error {
		switch {
		case !whole:
			return r.Error(1153, "08S01", "too long")
		case text == " panics":
			panic("of the test")
		case text == " panics when upstream answers":
			return r.Ask(append([]byte{byte(protocol.Query)}, "SELECT 1"...), func([]byte) error { panic("of the test") })
		case text == " gives up":
			ended, cancel := context.WithCancel(ctx)
			cancel()
			err := r.AskUntil(ended, append([]byte{byte(protocol.Query)}, "SELECT GET_LOCK('held', 600)"...), func([]byte) error { return nil })
			return h.rows(r, []string{fmt.Sprint(err)})
		case text == " fails":
			return r.Error(1235, "42000", "not answered")
		case text == " waits":
			h.entered <- struct{}{}
			<-ctx.Done()
			h.ended <- ctx.Err()
			return ctx.Err()
		case strings.HasPrefix(text, " asks "):
			return h.ask(r, strings.TrimPrefix(text, " asks "))
		}
		return h.rows(r, []string{"here" + text})
	}
}

// rows is a result of one column.
func (h *here) rows(r *Reply, values []string) error {
	c := h.session.Capabilities()
	definition := []byte("\x03def\x00\x00\x00\x01x\x00\x0c\x2d\x00\x00\x01\x00\x00\xfd\x00\x00\x00\x00\x00")
	count := []byte{1}
	if c&protocol.CacheMetadata != 0 {
		count = append(count, 1)
	}
	packets := [][]byte{count, definition}
	if c&protocol.DeprecateEOF == 0 {
		packets = append(packets, []byte{0xfe, 0, 0, byte(h.session.Status()), 0})
	}
	for _, v := range values {
		packets = append(packets, append([]byte{byte(len(v))}, v...))
	}
	end := []byte{0xfe, 0, 0, byte(h.session.Status()), 0}
	if c&protocol.DeprecateEOF != 0 {
		end = append(protocol.OK(h.session.Status()), 0)[:7]
		end[0] = 0xfe
	}
	var failures []error
	for _, p := range append(packets, end) {
		failures = append(failures, r.Packet(p))
	}
	return errors.Join(failures...)
}

// ask answers with what upstream says: the first bytes of its packets.
func (h *here) ask(r *Reply, text string) error {
	var values []string
	take := func(p []byte) error {
		values = append(values, fmt.Sprintf("%d:%.20q", len(p), p))
		return nil
	}
	command := append([]byte{byte(protocol.Query)}, text...)
	stop := errors.New("enough")
	if err := r.Ask(command, func([]byte) error { return stop }); !errors.Is(err, stop) {
		return r.Error(1105, "HY000", fmt.Sprintf("who stops to listen gets %v", err))
	}
	if err := r.Ask(command, take); err != nil {
		return err
	}
	return h.rows(r, values)
}

// routed is a relay with such a router, for sessions one after the other: the last session's router is in *h.
func routed(t *testing.T, change func(*Config)) (address string, router func() *here) {
	var mu sync.Mutex
	var last *here
	address = startRelay(t, mariaDB(t).Address, func(c *Config) {
		c.Router = func(s *Session) Router {
			mu.Lock()
			defer mu.Unlock()
			last = &here{session: s, entered: make(chan struct{}, 1), ended: make(chan error, 1), closed: make(chan struct{})}
			return last
		}
		if change != nil {
			change(c)
		}
	})
	return address, func() *here {
		mu.Lock()
		defer mu.Unlock()
		return last
	}
}

// Statements that are answered here, in the middle of upstream's, leave its session as it was.
func TestOwnAnswersLeaveUpstreamAlone(t *testing.T) {
	address, router := routed(t, nil)
	for name, c := range dialects {
		t.Run(name, func(t *testing.T) {
			w := dialWire(t, address, c)
			ours := func() {
				t.Helper()
				if got := value(w.must("ours"), w.capabilities); got != "here" {
					t.Errorf("ours is %q", got)
				}
			}
			for _, text := range []string{"CREATE DATABASE IF NOT EXISTS routed", "USE routed", "CREATE OR REPLACE TABLE t (a INT) ENGINE=InnoDB", "INSERT INTO t VALUES (1), (2)",
				"BEGIN", "UPDATE t SET a = a + 10", "SET @v = 5", "CREATE TEMPORARY TABLE tt SELECT 7 AS x"} {
				w.must(text)
				ours()
			}
			if router().session.Status()&protocol.InTransaction == 0 {
				t.Error("the session does not know that a transaction is open")
			}
			w.prepare("SELECT SUM(a) FROM t")
			ours()
			if got := w.query("ours fails"); len(got) != 1 || !strings.Contains(string(got[0]), "not answered") {
				t.Errorf("ours fails: %q", got)
			}
			if got := w.command(w.statementCommand(protocol.StmtExecute, 0, 1, 0, 0, 0)); !strings.Contains(fmt.Sprintf("%q", got), "23") {
				t.Errorf("the prepared statement says %q, must say 23", got)
			}
			ours()
			for text, want := range map[string]string{"SELECT CONCAT(@v, x) FROM tt": "57", "SELECT SUM(a) FROM t": "23", "SELECT DATABASE()": "routed"} {
				if got := value(w.must(text), w.capabilities); got != want {
					t.Errorf("%s is %q, must be %q", text, got, want)
				}
			}
			w.must("ROLLBACK")
			ours()
			if got := value(w.must("SELECT SUM(a) FROM t"), w.capabilities); got != "3" {
				t.Errorf("after ROLLBACK the sum is %q", got)
			}
			if account := router().session.Account(); account != "root" {
				t.Errorf("the account is %q", account)
			}
		})
	}
}

// Several commands that arrive at once are answered in order, by us or upstream.
func TestPipelinedCommands(t *testing.T) {
	address, _ := routed(t, nil)
	w := dialWire(t, address, everything|protocol.DeprecateEOF)
	var texts []string
	var sent []byte
	for i := range 40 {
		text := fmt.Sprintf("SELECT 'upstream %d'", i)
		if i%3 == 0 || i%7 == 1 {
			text = fmt.Sprintf("ours %d", i)
		}
		texts = append(texts, text)
		sent, _ = protocol.AppendPacket(sent, 0, append([]byte{byte(protocol.Query)}, text...))
	}
	if _, err := w.conn.Write(sent); err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		want := fmt.Sprintf("upstream %d", i)
		if strings.HasPrefix(text, "ours") {
			want = fmt.Sprintf("here %d", i)
		}
		if got := value(w.answer([]byte{byte(protocol.Query)}, 1), w.capabilities); got != want {
			t.Fatalf("answer %d is %q, must be %q", i, got, want)
		}
	}
}

// A router sees every command but files and passwords, and the beginning of those that are too long.
func TestWhatARouterSees(t *testing.T) {
	address, router := routed(t, func(c *Config) { c.LongestRouted = 1000 })
	w := dialWire(t, address, everything)
	w.must("CREATE DATABASE IF NOT EXISTS routed")
	w.must("USE routed")
	w.must("CREATE OR REPLACE TABLE loaded (a INT, b TEXT)")
	w.must("LOAD DATA LOCAL INFILE 'any' INTO TABLE loaded")
	change := append([]byte{byte(protocol.ChangeUser)}, "root\x00\x00routed\x00\x2d\x00client_ed25519\x00"...)
	w.command(change)
	w.prepare("DO ?")
	w.command(w.statementCommand(protocol.StmtSendLongData, append([]byte{0, 0}, make([]byte, 5000)...)...))
	w.must("SELECT '" + strings.Repeat("x", 17<<20) + "'")
	long := append([]byte{byte(protocol.Query)}, "ours"+strings.Repeat("x", 17<<20)...)
	next := w.send(0, long)
	if got := w.answer(long, next); len(got) != 1 || !strings.Contains(string(got[0]), "too long") {
		t.Errorf("a long statement of ours: %.60q", got)
	}
	w.must("SELECT 1")
	q := protocol.Query
	want := []protocol.Command{q, q, q, q, protocol.ChangeUser, protocol.StmtPrepare, protocol.StmtSendLongData, q, q, q}
	h := router()
	h.mu.Lock()
	defer h.mu.Unlock()
	if fmt.Sprint(h.seen) != fmt.Sprint(want) {
		t.Errorf("the router saw %v, must see %v", h.seen, want)
	}
}

// A router can ask upstream on the session's own connection: inside its transaction, unseen by the client.
func TestOwnAnswersAskUpstream(t *testing.T) {
	address, _ := routed(t, nil)
	w := dialWire(t, address, everything|protocol.DeprecateEOF)
	w.must("SET @v = 'of the session'")
	got := fmt.Sprintf("%s", w.must("ours asks SELECT @v, REPEAT('x', 17000000); SELECT 2"))
	for _, want := range []string{"1:\"\\x02\"", "of the session", "170000", "1:\"\\x01\""} {
		if !strings.Contains(got, want) {
			t.Errorf("upstream's packets are %s, must have %s", got, want)
		}
	}
	if got := fmt.Sprintf("%s", w.must("ours asks SELECT * FROM nowhere.x")); !strings.Contains(got, "\\xff") {
		t.Errorf("an error of upstream's is %s", got)
	}
	w.must("CREATE DATABASE IF NOT EXISTS routed")
	w.must("USE routed")
	w.must("CREATE OR REPLACE TABLE empty (a INT)")
	w.must("ours asks LOAD DATA LOCAL INFILE 'any' INTO TABLE empty")
	if got := value(w.must("SELECT COUNT(*) FROM empty"), w.capabilities); got != "0" {
		t.Errorf("the file has %s rows, must be empty", got)
	}
}

// What is asked is held packet by packet, and a packet only up to a size.
func TestLongPacketsAreNotHeld(t *testing.T) {
	s, d := &Session{}, &due{take: func([]byte) error { return nil }}
	out := &outbound{from: d, taken: make([]byte, longestTaken), bytes: []byte{0xff, 0xff, 0xff, 1, 'x'}}
	out.at, _, _ = s.fromUpstream.Next(out.bytes)
	if s.take(out, 0); !errors.Is(d.failure, ErrLong) || out.taken != nil {
		t.Errorf("the packet ends with %v, of which %d bytes are held", d.failure, len(out.taken))
	}
}

// What gives up asking is answered at once. What follows is answered when upstream has ended the answer that nobody awaits.
func TestGivesUpAsking(t *testing.T) {
	address, _ := routed(t, nil)
	w, holds := dialWire(t, address, everything), dialWire(t, address, everything)
	holds.must("SELECT GET_LOCK('held', 0)")
	if got := value(w.must("ours gives up"), w.capabilities); got != "context canceled" {
		t.Errorf("asking ends with %q", got)
	}
	released := append([]byte{byte(protocol.Query)}, "SELECT RELEASE_LOCK('held')"...)
	next := w.send(0, released)
	holds.must("SELECT RELEASE_LOCK('held')")
	if got := value(w.answer(released, next), w.capabilities); got != "1" {
		t.Errorf("the next statement's answer is %q", got)
	}
	if got := value(w.must("ours"), w.capabilities); got != "here" {
		t.Errorf("ours is %q", got)
	}
}

// A replication command waits for an answer that nobody awaits: the client does not get it.
func TestReplicationAfterGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		abandoned := &due{Answer: protocol.NewAnswer(protocol.Query, 0), take: func([]byte) error { return nil }}
		s := &Session{relay: &Relay{}, due: []*due{abandoned}}
		s.changed = sync.NewCond(&s.mu)
		command := frame(0, []byte{byte(protocol.BinlogDump)})
		go func() { _ = s.route(&inbound{bytes: command, at: len(command), holding: true}, true) }()
		synctest.Wait()
		if s.transparent() {
			t.Error("upstream's answer is passed on")
		}
		s.settle(abandoned)
		s.changed.Broadcast()
		synctest.Wait()
		if !s.transparent() {
			t.Error("the replication is not passed on")
		}
	})
}

// A command that the router has taken gets no answer once packets are not understood: the session ends.
func TestTakenCommandAfterAnUnknownPacket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := &Session{done: cancel, due: []*due{{Answer: protocol.NewAnswer(protocol.Query, 0)}}}
		s.changed = sync.NewCond(&s.mu)
		s.answerHere(func(context.Context, *Reply) error { return errors.New("it is answered") }, 1)
		synctest.Wait()
		err := s.follow(&outbound{from: s.due[0]}, protocol.Packet{})
		s.own.Wait()
		if err != nil || !s.transparent() || ctx.Err() == nil {
			t.Errorf("after an unknown packet (%v) the session goes on", err)
		}
	})
}

// A client that disconnects ends our statement.
func TestClientLeavesOwnAnswer(t *testing.T) {
	address, router := routed(t, nil)
	w := dialWire(t, address, everything)
	w.send(0, append([]byte{byte(protocol.Query)}, "ours waits"...))
	h := waitForRouter(t, router)
	<-h.entered
	w.conn.Close()
	if err := <-h.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	<-h.closed
}

// So does COM_QUIT, before the connection has ended.
func TestQuitEndsOwnAnswer(t *testing.T) {
	address, router := routed(t, nil)
	w := dialWire(t, address, everything)
	w.send(0, append([]byte{byte(protocol.Query)}, "ours waits"...))
	h := waitForRouter(t, router)
	<-h.entered
	w.send(0, []byte{byte(protocol.Quit)})
	if err := <-h.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	<-h.closed
}

// KILL of the upstream connection ends our statement, with its error.
func TestKillEndsOwnAnswer(t *testing.T) {
	address, router := routed(t, nil)
	w := dialWire(t, address, everything)
	w.send(0, append([]byte{byte(protocol.Query)}, "ours waits"...))
	h := waitForRouter(t, router)
	<-h.entered
	if h.session.Thread() != w.greeting.Thread {
		t.Errorf("the session's thread is %d, the client knows it as %d", h.session.Thread(), w.greeting.Thread)
	}
	killer := dialWire(t, mariaDB(t).Address, everything)
	killer.must(fmt.Sprintf("KILL %d", w.greeting.Thread))
	packet, _, err := w.read()
	if err != nil || packet[0] != 0xff || binary.LittleEndian.Uint16(packet[1:]) != 1430 {
		t.Errorf("the client got %q, %v, must get error 1430", packet, err)
	}
	<-h.ended
	<-h.closed
}

// waitForRouter waits until the session has its router.
func waitForRouter(t *testing.T, router func() *here) *here {
	t.Helper()
	eventually(t, "the session has a router", func() bool { return router() != nil })
	return router()
}

// A client whose password was refused has no router, also when it is sent at once with it.
func TestRouterSeesNobodyUnknown(t *testing.T) {
	address, router := routed(t, nil)
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	w := &wire{t: t, conn: conn}
	w.packet()
	login := make([]byte, 32)
	binary.LittleEndian.PutUint32(login, uint32(everything))
	login = append(login, "root\x00\x14aaaaaaaaaaaaaaaaaaaamysql_native_password\x00"...)
	sent, _ := protocol.AppendPacket(nil, 1, login)
	sent, _ = protocol.AppendPacket(sent, 0, append([]byte{byte(protocol.Query)}, "ours"...))
	if _, err := conn.Write(sent); err != nil {
		t.Fatal(err)
	}
	if p := w.packet(); p[0] != 0xff || binary.LittleEndian.Uint16(p[1:]) != 1045 {
		t.Errorf("a wrong password: %q", p)
	}
	if p, _, err := w.read(); err == nil {
		t.Errorf("there is an answer after it: %q", p)
	}
	if h := router(); h != nil {
		t.Errorf("there is a router, which saw %v", h.seen)
	}
}

// A router that panics, in whatever goroutine, ends its session and no other.
func TestPanicsEndOneSession(t *testing.T) {
	causes := make(chan any, 3)
	address, _ := routed(t, func(c *Config) {
		c.Panicked = func(cause any, stack []byte) {
			if len(stack) == 0 {
				cause = "no stack"
			}
			causes <- cause
		}
	})
	other := dialWire(t, address, everything)
	for _, text := range []string{"ours panics", "ours panics at once", "ours panics when upstream answers"} {
		w := dialWire(t, address, everything)
		w.send(0, append([]byte{byte(protocol.Query)}, text...))
		if n, err := w.conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("%s: %d bytes were answered", text, n)
		}
		if cause := <-causes; cause != "of the test" {
			t.Errorf("%s: the panic is told as %v", text, cause)
		}
		if got := value(other.must("ours"), other.capabilities); got != "here" {
			t.Errorf("another session's answer is %q", got)
		}
	}
}

// TestWrongPasswordOfAnotherUser: what follows a COM_CHANGE_USER that fails is answered as it is without a relay: MariaDB goes on with the
// account and the database before, and refuses a third attempt.
func TestWrongPasswordOfAnotherUser(t *testing.T) {
	t.Parallel()
	address, _ := routed(t, nil)
	wrong := append([]byte{byte(protocol.ChangeUser)}, "protected\x00\x00mysql\x00\x2d\x00mysql_native_password\x00"...)
	told := func(address string) (answers []string) {
		w := dialWire(t, address, everything)
		w.must("CREATE USER IF NOT EXISTS protected IDENTIFIED BY 'right'")
		w.must("CREATE DATABASE IF NOT EXISTS routed")
		w.must("USE routed")
		for range testsize.Levels(2, 4, 4) {
			packets := w.command(wrong)
			last := packets[len(packets)-1]
			answers = append(answers, fmt.Sprintf("%q", last))
			answers = append(answers, fmt.Sprintf("%q", w.query("SELECT CURRENT_USER(), DATABASE()")))
		}
		return answers
	}
	direct, through := told(mariaDB(t).Address), told(address)
	for i := range direct {
		if direct[i] != through[i] {
			t.Errorf("answer %d is %s, direct %s", i, through[i], direct[i])
		}
	}
	if !strings.HasPrefix(through[0], `"\xff\x15\x04`) {
		t.Errorf("the answer is %s, want error 1045", through[0])
	}
}
