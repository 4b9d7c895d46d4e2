package relay

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	osexec "os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/mariadbtest"
	"github.com/anonsql/anonsql/relay/protocol"
	"github.com/anonsql/anonsql/testsize"
)

// If upstream is killed during a statement, the client gets error 1430: the outcome of the statement is unknown.
func TestUpstreamIsKilled(t *testing.T) {
	t.Parallel()
	server := mariadbtest.Start(t, options())
	address := startRelay(t, server.Address, nil)
	asks, idle := dialWire(t, address, everything), dialWire(t, address, everything)
	asks.must("SELECT 1")
	asks.send(0, append([]byte{byte(protocol.Query)}, "SELECT SLEEP(600)"...))
	observer := dialWire(t, server.Address, everything)
	eventually(t, "the statement runs", func() bool { return sleeping(observer) == "1" })
	server.Kill()
	packet, sequence, err := asks.read()
	if err != nil || packet[0] != 0xff || binary.LittleEndian.Uint16(packet[1:]) != 1430 || sequence != 1 {
		t.Errorf("the client that asked got %q with number %d, %v; must get error 1430", packet, sequence, err)
	}
	if !strings.Contains(string(packet), "not known") || !strings.Contains(string(packet), server.Address) {
		t.Errorf("the error says %q", packet)
	}
	if p, _, err := idle.read(); err == nil {
		t.Errorf("the client that was idle got %q, must be left", p)
	}
	_, _, err = asks.read()
	if err == nil {
		t.Error("the connection goes on")
	}
	// A new client is told that there is no server.
	var number *mysql.MySQLError
	err = open(t, address, "root", "", nil).Ping()
	if !errors.As(err, &number) || number.Number != 1429 || !strings.Contains(err.Error(), server.Address) {
		t.Errorf("a new client gets %v, must get error 1429 with the address", err)
	}
}

// libmariadb shows "Malformed packet" for an error with a client's own number, such as 2003. Our numbers are a server's.
func TestStockClientReadsThatUpstreamIsAway(t *testing.T) {
	t.Parallel()
	program, err := osexec.LookPath("mariadb")
	if err != nil {
		testsize.Missing(t, "mariadb, the command line client, is not installed")
	}
	server := mariadbtest.Start(t, options())
	address := startRelay(t, server.Address, nil)
	host, port, _ := net.SplitHostPort(address)
	says := func(statement string) string {
		text, err := osexec.Command(program, "--no-defaults", "--protocol=tcp", "--host="+host, "--port="+port, "--user=root", "-e", statement).CombinedOutput()
		if err == nil {
			t.Errorf("%s: no error", statement)
		}
		return string(text)
	}
	during := make(chan string)
	go func() { during <- says("SELECT SLEEP(600)") }()
	observer := dialWire(t, server.Address, everything)
	eventually(t, "the statement runs", func() bool { return sleeping(observer) == "1" })
	server.Kill()
	if text := <-during; !strings.Contains(text, "ERROR 1430 (08S01)") || !strings.Contains(text, "Lost connection to the upstream server "+server.Address) {
		t.Errorf("during a statement the client says %q", text)
	}
	if text := says("SELECT 1"); !strings.Contains(text, "1429") || !strings.Contains(text, "cannot reach the upstream server "+server.Address) {
		t.Errorf("afterwards the client says %q", text)
	}
}

// sleeping counts the statements of others that sleep.
func sleeping(w *wire) string {
	return value(w.must("SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'"), w.capabilities)
}

// A fake is an upstream that greets, lets everybody in, and then says what the test wants.
// A full process has no descriptor for a client, once.
type full struct {
	net.Listener
	told bool
}

func (f *full) Accept() (net.Conn, error) {
	if !f.told {
		f.told = true
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return f.Listener.Accept()
}

// A process without descriptors continues when it gets one. The oldest client that sends no login gives way.
func TestRelayIsFull(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serveRelay(t, fake(t, func(c net.Conn) { _ = letIn(c) }), &full{Listener: listener}, nil)
	var first net.Conn
	for i := range arrivingOfAddress + 1 {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if i == 0 {
			first = c
		}
		if packet, _, err := protocol.ReadPacket(c, longestLogin); err != nil || protocol.IsError(packet) {
			t.Fatalf("client %d is told %q, %v", i, packet, err)
		}
	}
	_ = first.SetReadDeadline(time.Now().Add(patience))
	if _, err := first.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the first client reads %v", err)
	}
}

// A client that is turned out takes its attempt to reach upstream with it.
func TestTurnedOutWhileUpstreamIsDialed(t *testing.T) {
	dialed, ended := make(chan struct{}, arrivingOfAddress+1), make(chan error, arrivingOfAddress+1)
	address := startRelay(t, "db.example:3306", func(c *Config) {
		c.LoginTimeout = time.Hour
		c.dial = func(ctx context.Context) (net.Conn, error) {
			dialed <- struct{}{}
			<-ctx.Done()
			ended <- ctx.Err()
			return nil, ctx.Err()
		}
		c.Reached = func(err error) { t.Errorf("a client that was turned out tells of upstream: %v", err) }
	})
	for range arrivingOfAddress + 1 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		<-dialed
	}
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the attempt ended with %v", err)
		}
	case <-time.After(patience):
		t.Error("the attempt for a client that was turned out goes on")
	}
}

func fake(t *testing.T, says func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				says(c)
			}()
		}
	}()
	return listener.Addr().String()
}

// greeting is one that a MySQL 8 might send.
func greeting(c protocol.Capabilities, plugin string) []byte {
	p := append([]byte{10}, "8.0.36\x00\x07\x00\x00\x00abcdefgh\x00"...)
	p = binary.LittleEndian.AppendUint16(p, uint16(c))
	p = append(p, 45, 2, 0)
	p = binary.LittleEndian.AppendUint16(p, uint16(c>>16))
	p = append(p, 21)
	p = append(p, make([]byte, 10)...)
	return append(append(p, "ijklmnopqrst\x00"...), plugin+"\x00"...)
}

// letIn greets and accepts any login, without TLS.
func letIn(c net.Conn) error {
	if _, err := c.Write(frame(0, greeting(everything|protocol.LongPassword|protocol.DeprecateEOF, "mysql_native_password"))); err != nil {
		return err
	}
	if _, _, err := protocol.ReadPacket(c, longestLogin); err != nil {
		return err
	}
	_, err := c.Write(frame(2, protocol.OK(protocol.Autocommit)))
	return err
}

// Wherever in an answer upstream leaves, the client has every byte that came, then error 1430 where a packet can be placed, then
// the end.
func TestUpstreamLeavesAnywhere(t *testing.T) {
	var answer []byte
	for i, payload := range []string{"\x01", "\x03def\x00\x00\x00\x01x\x00\x0c\x2d\x00\x00\x01\x00\x00\xfd\x00\x00\x00\x00\x00", "\x01a", "\x02bc", "\xfe\x00\x00\x02\x00\x00\x00"} {
		answer, _ = protocol.AppendPacket(answer, byte(i+1), []byte(payload))
	}
	cut := make(chan int, 1)
	upstream := fake(t, func(c net.Conn) {
		if letIn(c) != nil {
			return
		}
		if _, _, err := protocol.ReadPacket(c, 1000); err == nil {
			_, _ = c.Write(answer[:<-cut])
		}
	})
	address := startRelay(t, upstream, nil)
	for n := range len(answer) {
		cut <- n
		w := dialWire(t, address, (everything|protocol.DeprecateEOF)&^protocol.PluginAuth)
		before := len(w.got)
		w.send(0, append([]byte{byte(protocol.Query)}, "SELECT x"...))
		var last []byte
		var number byte
		packets := -1
		for err := error(nil); err == nil; packets++ {
			var p []byte
			var s byte
			if p, s, err = w.read(); err == nil {
				last, number = p, s
			}
		}
		got := w.got[before:]
		whole, at := 0, 0
		for at < n && at+4+int(answer[at]) <= n {
			at, whole = at+4+int(answer[at]), whole+1
		}
		switch {
		case at == n && (len(last) == 0 || last[0] != 0xff || int(number) != whole+1 || packets != whole+1):
			t.Errorf("cut after %d bytes, %d packets: %d packets, the last %q with number %d", n, whole, packets, last, number)
		case at < n && packets != whole:
			t.Errorf("cut after %d bytes, in packet %d: %d packets, %q", n, whole+1, packets, got)
		}
	}
}

// After a packet that nobody expects, even a part of one, nothing is taken for an answer to a question of ours.
func TestUnexpectedPacket(t *testing.T) {
	received := make(chan string, 1)
	upstream := fake(t, func(c net.Conn) {
		if letIn(c) != nil {
			return
		}
		if _, err := c.Write([]byte{9, 0, 0, 0, 0xff, 'x', 'y'}); err != nil {
			return
		}
		packet, _, err := protocol.ReadPacket(c, 1000)
		received <- fmt.Sprint(string(packet), err)
	})
	address := startRelay(t, upstream, func(c *Config) {
		c.Router = func(s *Session) Router { return &here{session: s, closed: make(chan struct{})} }
	})
	w := dialWire(t, address, (everything|protocol.DeprecateEOF)&^protocol.PluginAuth)
	if _, err := io.ReadFull(w.conn, make([]byte, 7)); err != nil {
		t.Fatal(err)
	}
	w.send(0, append([]byte{byte(protocol.Query)}, "ours asks SELECT 1"...))
	if got := <-received; got != "\x03ours asks SELECT 1<nil>" {
		t.Errorf("upstream receives %q", got)
	}
}

// A client that leaves in a statement takes its upstream connection with it, at once; the statement ends when upstream notices,
// which MariaDB does within seconds where it sleeps, and at the next rows where it sends some.
func TestClientLeavesUpstream(t *testing.T) {
	t.Parallel()
	server := mariaDB(t)
	address := startRelay(t, server.Address, nil)
	observer := dialWire(t, server.Address, everything)
	for name, text := range map[string]string{"waits": "SELECT SLEEP(600)", "sends": "SELECT a.seq, b.seq, REPEAT('x', 1000) FROM mysql.seq_1_to_100000 a, mysql.seq_1_to_100000 b"} {
		t.Run(name, func(t *testing.T) {
			w := dialWire(t, address, everything)
			running := fmt.Sprintf("SELECT COUNT(*) FROM information_schema.processlist WHERE id = %d", w.greeting.Thread)
			w.send(0, append([]byte{byte(protocol.Query)}, text...))
			eventually(t, "the statement runs", func() bool {
				return value(observer.must(running+" AND info IS NOT NULL"), observer.capabilities) == "1"
			})
			w.conn.Close()
			eventually(t, "the statement has ended", func() bool { return value(observer.must(running), observer.capabilities) == "0" })
		})
	}
}

// An idle client learns of upstream's wait_timeout when it ends the connection, not at the next statement.
func TestIdleTimeout(t *testing.T) {
	w := dialWire(t, startRelay(t, mariaDB(t).Address, nil), everything)
	w.must("SET wait_timeout = 1")
	if p, _, err := w.read(); err == nil && p[0] != 0xff {
		t.Errorf("the idle client got %q", p)
	}
}

// KILL through the relay ends statements and connections, as direct.
func TestKill(t *testing.T) {
	address := startRelay(t, mariaDB(t).Address, nil)
	killer := dialWire(t, address, everything)
	// A connection that is killed ends with 1927 or without a word, by the moment: 1430 is the relay's then.
	for kind, want := range map[string][]uint16{"QUERY": {1317}, "CONNECTION": {1927, 1430}} {
		t.Run(kind, func(t *testing.T) {
			w := dialWire(t, address, everything)
			w.send(0, append([]byte{byte(protocol.Query)}, "SELECT COUNT(*) FROM mysql.seq_1_to_1000000 a, mysql.seq_1_to_1000000 b"...))
			running := fmt.Sprintf("SELECT COUNT(*) FROM information_schema.processlist WHERE id = %d AND info LIKE 'SELECT COUNT%%'", w.greeting.Thread)
			eventually(t, "the statement runs", func() bool { return value(killer.must(running), killer.capabilities) == "1" })
			killer.must(fmt.Sprintf("KILL %s %d", kind, w.greeting.Thread))
			p, _, err := w.read() // the number of columns may precede
			for err == nil && p[0] != 0xff {
				p, _, err = w.read()
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := binary.LittleEndian.Uint16(p[1:]); !slices.Contains(want, got) {
				t.Errorf("the statement ended with %q, must end with one of the errors %d", p, want)
			}
			if kind == "QUERY" {
				w.must("SELECT 1")
			} else if _, _, err := w.read(); err == nil {
				t.Error("the connection goes on")
			}
		})
	}
}

// A client that connects and stays silent is disconnected when the time for a login is over.
func TestSilentClient(t *testing.T) {
	address := startRelay(t, mariaDB(t).Address, func(c *Config) { c.LoginTimeout = 200 * time.Millisecond })
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	w := &wire{t: t, conn: conn}
	for err == nil { // a greeting, or that upstream took too long
		_, _, err = w.read()
	}
}

// A client that does not read an answer is left, whichever side answers.
func TestClientThatDoesNotRead(t *testing.T) {
	conn, other := net.Pipe() // it has no buffer
	defer other.Close()
	s := &Session{client: conn, relay: &Relay{config: Config{writeTimeout: time.Millisecond}}}
	time.AfterFunc(patience, func() { conn.Close() })
	if err := s.writePending(&outbound{bytes: []byte("x"), at: 1}); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("upstream's answer ends with %v", err)
	}
	r := &Reply{session: s}
	if err := errors.Join(r.Packet([]byte("x")), r.Flush()); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("our answer ends with %v", err)
	}
}

// A client that sends more and more commands at once waits for upstream.
func TestManyCommandsAtOnce(t *testing.T) {
	s := &Session{}
	s.changed = sync.NewCond(&s.mu)
	go func() {
		for range 2 * maxDue {
			s.expectAnswer(&due{Answer: protocol.NewAnswer(protocol.Ping, 0)})
		}
	}()
	owed := func() []*due {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.due
	}
	eventually(t, "upstream owes many answers", func() bool { return len(owed()) >= maxDue })
	for range 2 * maxDue {
		eventually(t, "upstream owes an answer", s.IsBusy)
		owes := owed()
		if len(owes) > maxDue {
			t.Fatalf("upstream owes %d answers, must owe at most %d", len(owes), maxDue)
		}
		s.settle(owes[0])
		s.changed.Broadcast()
	}
}

// A client that leaves ends what waits for upstream: the next command of too many, and the one after a change of user.
func TestManyCommandsAtOnceOfAClientThatLeaves(t *testing.T) {
	for name, waits := range map[string]func(*Session){
		"too many":      func(s *Session) { s.expectAnswer(&due{Answer: protocol.NewAnswer(protocol.Ping, 0)}) },
		"changing user": func(s *Session) { _ = s.loggedIn() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				changes := &due{Answer: protocol.NewAnswer(protocol.ChangeUser, 0)}
				s := &Session{done: func() {}, due: slices.Repeat([]*due{changes}, maxDue)}
				s.changed = sync.NewCond(&s.mu)
				go waits(s)
				synctest.Wait()
				s.clientLeft() // without it the test ends in a deadlock
			})
		})
	}
}

// The nine seconds are the client's: upstream may take longer to check a password.
func TestUpstreamIsSilentInALogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, served := net.Pipe()
		dialed, upstream := net.Pipe()
		defer client.Close()
		r, err := New(Config{Network: "tcp", Address: "pipe", dial: func(context.Context) (net.Conn, error) { return dialed, nil }})
		if err != nil {
			t.Fatal(err)
		}
		go r.serve(t.Context(), served)
		go func() {
			asks := func(sequence byte, packet []byte) {
				time.Sleep(patience) // of the test's clock, as are the seconds
				_, _ = upstream.Write(frame(sequence, packet))
			}
			_, _ = upstream.Write(frame(0, greeting(everything, "mysql_native_password")))
			_, _, _ = protocol.ReadPacket(upstream, longestLogin)
			asks(2, []byte("\xfedialog\x00"))
			_, _, _ = protocol.ReadPacket(upstream, longestLogin)
			asks(4, protocol.OK(protocol.Autocommit))
		}()
		w := &wire{t: t, conn: client}
		w.packet()
		login := binary.LittleEndian.AppendUint32(nil, uint32(everything))
		w.send(1, append(append(login, make([]byte, 28)...), "root\x00\x00mysql_native_password\x00"...))
		if packet := w.packet(); packet[0] != 0xfe {
			t.Fatalf("upstream does not ask: %q", packet)
		}
		w.send(3, []byte("sesame\x00"))
		if packet := w.packet(); packet[0] != 0 {
			t.Errorf("the login ends with %q", packet)
		}
	})
}

// The end of the relay ends its clients in every state.
func TestServeEnds(t *testing.T) {
	server := mariaDB(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(Config{Network: "tcp", Address: server.Address})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- r.Serve(ctx, listener) }()
	address := listener.Addr().String()
	idle, asks := dialWire(t, address, everything), dialWire(t, address, everything)
	asks.send(0, append([]byte{byte(protocol.Query)}, "SELECT SLEEP(600)"...))
	silent, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	idle.must("SELECT 1")
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	for _, w := range []*wire{idle, asks} {
		if p, _, err := w.read(); err == nil {
			t.Errorf("a client got %q", p)
		}
	}
	eventually(t, "no goroutine of the relay is left", func() bool { return relaying() == 0 })
}

// What cannot be configured.
func TestConfig(t *testing.T) {
	secured := &tls.Config{InsecureSkipVerify: true}
	for want, c := range map[string]Config{
		"network is \"udp\"":    {Network: "udp", Address: "x:1"},
		"address is missing":    {Network: "tcp"},
		"in the clear":          {Network: "tcp", Address: "x:1", ClientTLS: secured},
		"no certificate":        {Network: "tcp", Address: "x:1", RequireTLS: true},
		"has no host's name":    {Network: "unix", Address: "/x", UpstreamTLS: &tls.Config{}},
		"16777215 bytes":        {Network: "tcp", Address: "x:1", LongestRouted: protocol.MaxFrame},
		"-1 bytes":              {Network: "tcp", Address: "x:1", LongestRouted: -1},
		"-1s, must be positive": {Network: "tcp", Address: "x:1", LoginTimeout: -time.Second},
	} {
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: must say %q", err, want)
		}
	}
	if _, err := New(Config{Network: "unix", Address: "/x", ClientTLS: secured}); err != nil {
		t.Errorf("a Unix socket is safe: %v", err)
	}
}
