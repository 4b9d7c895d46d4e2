package acceptance

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// socketTo opens a socket to the server, closed when the test ends.
func socketTo(t testing.TB, s *servertest.Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// sslRequestPacket asks for TLS, and nothing follows.
var sslRequestPacket = "\x20\x00\x00\x01" + "\x00\x8a\x08\x00" + "\x00\x00\x00\x01" + "\x21" + strings.Repeat("\x00", 23)

// unfinished are stages of a login that clients never finish.
var unfinished = []struct{ name, sends string }{
	{"silent", ""},
	{"half a header", "\x20\x00"},
	{"half a greeting", sslRequestPacket[:20]},
	{"TLS that stops", sslRequestPacket},
	{"TLS that stops within a record", sslRequestPacket + "\x16\x03\x01\x02\x00\x01\x00"},
}

// crowd opens sockets that never log in.
func crowd(t *testing.T, s *servertest.Server, n int) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if limit.Cur < limit.Max {
		limit.Cur = limit.Max
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit) // with a lower limit, the test opens fewer sockets
	}
	n = min(n, int(limit.Cur)*3/5)
	var wait sync.WaitGroup
	const dialers = 8
	for d := range dialers {
		wait.Go(func() {
			for i := d; i < n; i += dialers {
				conn, err := net.Dial("tcp", s.Addr)
				if err != nil {
					t.Errorf("socket %d: %v", i, err)
					return
				}
				t.Cleanup(func() { conn.Close() })
				_, _ = conn.Write([]byte(unfinished[i%len(unfinished)].sends)) // the server may have closed it already
			}
		})
	}
	wait.Wait()
	t.Logf("%d sockets are open", n)
}

// soon expects a quick answer on one of three new connections: the machine may be busy.
func soon(t *testing.T, s *servertest.Server, account servertest.Account) {
	t.Helper()
	fastest := time.Hour
	for range 3 {
		started := time.Now()
		db := s.Open(t, account)
		if one[int](t, db, "SELECT 1") != 1 {
			t.Error("SELECT 1 is not 1")
		}
		fastest = min(fastest, time.Since(started))
		t.Logf("%s logged in and had an answer after %v", account.User, time.Since(started))
		db.Close()
	}
	if fastest > servertest.Soon {
		t.Errorf("%s waited %v", account.User, fastest)
	}
}

// 10,000 unauthenticated sockets of one address never lock out logins from the same address, and cost little.
func TestCrowdLocksOutNobody(t *testing.T) {
	s := servertest.Start(t, server.Config{TLSSelfSigned: true, MetricsListen: ":0", Extend: withPublished})
	ana := analyst(t, s)
	goroutines, resident := runtime.NumGoroutine(), residentBytes(t)
	crowd(t, s, testsize.Of(2000, 10_000))
	soon(t, s, servertest.Root)
	soon(t, s, ana)
	_, text := get(t, "http://"+monitorOf(t, s)+"/metrics")
	var arriving int
	if _, err := fmt.Sscan(value(text, "anonsql_connections_arriving"), &arriving); err != nil || arriving > 256 {
		t.Errorf("%d that have not logged in are kept, %v", arriving, err)
	}
	t.Logf("%d arriving, %d goroutines more, %d KiB of memory more, clients' sockets included",
		arriving, runtime.NumGoroutine()-goroutines, (residentBytes(t)-resident)>>10)
	// The process list has only authenticated connections.
	if n := one[int](t, s.Open(t, servertest.Root), "SELECT COUNT(*) FROM information_schema.processlist WHERE user NOT IN ('root', 'ana')"); n > 0 {
		t.Errorf("%d processes of nobody", n)
	}
}

// Clients that reconnect faster than the server closes their connections pile up no goroutines, and lock out nobody.
func TestFloodPilesUpNowhere(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: withPublished})
	before := runtime.NumGoroutine()
	ctx, stop := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	const clients = 400
	for range clients {
		wait.Go(func() {
			for ctx.Err() == nil {
				conn, err := net.Dial("tcp", s.Addr)
				if err != nil {
					continue // no port is free at this moment
				}
				_ = conn.SetReadDeadline(time.Now().Add(200 * time.Millisecond)) // of a TCP connection never an error
				_, _ = io.Copy(io.Discard, conn)                                 // until the server closes it
				conn.Close()
			}
		})
	}
	most := 0
	for range 3 {
		db := s.Open(t, servertest.Root)
		got, tries := 0, 0
		for deadline := time.Now().Add(time.Minute); got != 1 && time.Now().Before(deadline); tries++ { // 256 may connect while the login waits for a processor
			if err := db.QueryRow("SELECT 1").Scan(&got); err != nil && tries < 10 {
				t.Logf("try %d: %v", tries, err)
			}
		}
		if got != 1 {
			t.Errorf("root is locked out: SELECT 1 is %d", got)
		}
		db.Close()
		most = max(most, runtime.NumGoroutine()-before-clients)
	}
	stop()
	wait.Wait()
	if t.Logf("at most %d goroutines more", most); most > 256+64+50 {
		t.Errorf("%d goroutines more", most)
	}
}

// residentBytes returns the process's resident memory.
func residentBytes(t *testing.T) int64 {
	t.Helper()
	runtime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		testsize.Missing(t, "no /proc")
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return resident * int64(os.Getpagesize())
}

// The server closes connections without a login after connect_timeout: one that sends nothing, one that sends a byte
// now and then, one that stops in its TLS handshake. Authenticated connections stay.
func TestLoginDeadline(t *testing.T) {
	s := servertest.Start(t, server.Config{TLSSelfSigned: true, ConnectTimeout: 2 * time.Second})
	inside := s.Connect(t, servertest.Root)
	if got := one[int](t, inside, "SELECT @@GLOBAL.connect_timeout"); got != 2 {
		t.Errorf("connect_timeout is %d", got)
	}
	slow := struct{ name, sends string }{"a byte now and then", ""}
	var wait sync.WaitGroup
	for _, c := range append(unfinished, slow) {
		conn := socketTo(t, s)
		wait.Go(func() {
			started := time.Now()
			_, _ = conn.Write([]byte(c.sends))
			if c == slow {
				go func() {
					for i := range sslRequestPacket {
						if _, err := conn.Write([]byte{sslRequestPacket[i]}); err != nil {
							return
						}
						time.Sleep(100 * time.Millisecond) // the load: the client's pace
					}
				}()
			}
			_ = conn.SetReadDeadline(started.Add(30 * time.Second)) // of a TCP connection never an error
			_, err := io.Copy(io.Discard, conn)
			if took := time.Since(started); errors.Is(err, os.ErrDeadlineExceeded) || took < 1900*time.Millisecond {
				t.Errorf("%s: closed after %v, %v", c.name, took, err)
			}
		})
	}
	wait.Wait()
	one[int](t, inside, "SELECT 1")
}

// connections opens this many connections of an account, and keeps them open.
func connections(t *testing.T, s *servertest.Server, account servertest.Account, n int) []*dbsql.Conn {
	t.Helper()
	var list []*dbsql.Conn
	db := s.Open(t, account)
	for range n {
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, conn)
	}
	return list
}

// refusedWith expects that the account's next connection gets the error.
func refusedWith(t *testing.T, s *servertest.Server, account servertest.Account, want int) {
	t.Helper()
	_, err := s.Open(t, account).Conn(context.Background())
	number(t, err, want)
}

// max_connections counts authenticated connections; administrators have some extra ones; a freed connection can be
// reused.
func TestTooManyConnections(t *testing.T) {
	s := servertest.Start(t, server.Config{MaxConnections: 2, Extend: withPublished})
	ana := servertest.Account{User: "ana", Password: "secret"}
	asRoot(t, s, "CREATE USER ana IDENTIFIED BY 'secret'", "CREATE USER boss IDENTIFIED BY 'secret'", "CREATE ROLE chief", "GRANT SUPER ON *.* TO chief", "GRANT chief TO boss")
	for range 10 {
		socketTo(t, s) // unauthenticated, they do not count
	}
	connections(t, s, ana, 2)
	refusedWith(t, s, ana, 1040)
	held := connections(t, s, servertest.Root, 2)
	connections(t, s, servertest.Account{User: "boss", Password: "secret"}, 1)
	refusedWith(t, s, servertest.Root, 1040)
	if got := one[string](t, held[0], "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'ana'"); got != "2" {
		t.Errorf("the process list has %s of ana", got)
	}
	// An administrator raises the limit.
	servertest.Exec(t, held[0], "SET GLOBAL max_connections = 6")
	connections(t, s, ana, 1)
	refusedWith(t, s, ana, 1040)
	servertest.Exec(t, held[0], "SET GLOBAL max_connections = 2")
	// Administrators count: five of six are taken, both of two are ana's.
	refusedWith(t, s, servertest.Root, 1040)
	one[int](t, held[1], "SELECT 1")
}

// asRoot runs statements on a connection that it closes.
func asRoot(t *testing.T, s *servertest.Server, statements ...string) {
	t.Helper()
	conn := rawLogin(t, s, 0)
	for _, statement := range statements {
		say(t, conn, "\x03"+statement)
		if answer := readPacket(t, conn); len(answer) == 0 || answer[0] != 0 {
			t.Fatalf("%s: %q", statement, answer)
		}
	}
	say(t, conn, "\x01") // quit
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Fatalf("after quit: %v", err)
	}
}

// Addresses and accounts have their own limits, from which administrators are exempt. A freed connection can be
// reused.
func TestConnectionsOfOne(t *testing.T) {
	for _, c := range []struct {
		config   server.Config
		variable string
		number   int
	}{
		{server.Config{MaxAddressConnections: 2, Extend: withPublished}, "max_address_connections", 1040},
		{server.Config{MaxUserConnections: 2, Extend: withPublished}, "max_user_connections", 1203},
	} {
		s := servertest.Start(t, c.config)
		ana := servertest.Account{User: "ana", Password: "secret"}
		asRoot(t, s, "CREATE USER ana IDENTIFIED BY 'secret'")
		connections(t, s, ana, 2)
		refusedWith(t, s, ana, c.number)
		root := connections(t, s, servertest.Root, 4)[0]
		if got := one[int](t, root, "SELECT @@GLOBAL."+c.variable); got != 2 {
			t.Errorf("%s is %d", c.variable, got)
		}
		servertest.Exec(t, root, "SET GLOBAL "+c.variable+" = 0")
		connections(t, s, ana, 15)
		s.Stop(t)
	}
}

// After wrong passwords, the account's next login from that address waits, whether or not its password is right.
// Other accounts do not wait. The right password ends the wait.
func TestLoginsAreDelayed(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{MetricsListen: ":0", Extend: withPublished})
	ana := analyst(t, s)
	wrong := ana
	wrong.Password = "guess"
	login := func(account servertest.Account) (time.Duration, error) {
		started := time.Now()
		db := s.Open(t, account)
		defer db.Close()
		err := db.Ping()
		return time.Since(started), err
	}
	var last time.Duration
	for range 9 {
		var err error
		if last, err = login(wrong); servertest.Number(err) != 1045 {
			t.Fatal(err)
		}
	}
	if last < 800*time.Millisecond {
		t.Errorf("the ninth wrong password was answered after %v", last)
	}
	soon(t, s, servertest.Root)
	if took, err := login(ana); err != nil || took < 1600*time.Millisecond {
		t.Errorf("the right password: %v after %v", err, took)
	}
	soon(t, s, ana)
	_, text := get(t, "http://"+monitorOf(t, s)+"/metrics")
	if got := value(text, "anonsql_logins_delayed_total"); got != "5" {
		t.Errorf("%s logins were delayed", got)
	}
	// A waiting client does not block the server.
	for range 9 {
		_, _ = login(wrong)
	}
	waiting := make(chan error, 1)
	go func() { _, err := login(wrong); waiting <- err }()
	started := time.Now()
	s.Stop(t)
	if took := time.Since(started); took > 3*time.Second {
		t.Errorf("the server stopped after %v", took)
	}
	<-waiting
}

// The server refuses as many concurrent guesses as could exploit the free ones.
func TestGuessesSideBySide(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: withPublished})
	wrong := analyst(t, s)
	wrong.Password = "guess"
	var wait sync.WaitGroup
	var mu sync.Mutex
	answers := map[int]int{}
	started := time.Now()
	for range 20 {
		wait.Go(func() {
			for time.Since(started) < 2*time.Second {
				db := s.Open(t, wrong)
				err := db.Ping()
				db.Close()
				mu.Lock()
				answers[servertest.Number(err)]++
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	t.Logf("answers by number after %v: %v", time.Since(started), answers)
	if answers[1045] > 60 || answers[1040] == 0 {
		t.Errorf("in two seconds %d passwords were looked at, %d were refused", answers[1045], answers[1040])
	}
}

// The log has no name of a failed login that is no account's: it may be a password, and long.
func TestNamesOfNoAccountAreNotLogged(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	refusedWith(t, s, servertest.Account{User: strings.Repeat("secret", 1000), Password: "x"}, 1045)
	refusedWith(t, s, servertest.Account{User: "root", Password: "x"}, 1045)
	for _, line := range []string{"user=_", "user=root"} {
		if !strings.Contains(s.Log(), `"login refused" `+line+" ") {
			t.Errorf("no login is refused with %s", line)
		}
	}
	if strings.Contains(s.Log(), "secret") || !strings.Contains(s.Log(), "error=1045") {
		t.Errorf("the log has %.3000s", s.Log())
	}
}

// Failed logins cannot fill the audit: some have entries, the others are counted.
func TestAuditOfManyLogins(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	const n = 160
	owner := s.Open(t, servertest.Root)
	for i := range n { // existing accounts: unknown ones count as one
		servertest.Exec(t, owner, fmt.Sprintf("CREATE USER somebody%d IDENTIFIED BY 'a long password'", i))
		refusedWith(t, s, servertest.Account{User: fmt.Sprint("somebody", i), Password: "x"}, 1045)
	}
	if got := strings.Count(s.Log(), "login refused"); got > 102 {
		t.Errorf("the log has %d lines", got)
	}
	s.Stop(t)
	s = servertest.Start(t, s.Config)
	root := s.Open(t, servertest.Root)
	if sum := one[int](t, root, "SELECT CAST(SUM(`rows`) AS SIGNED) FROM anonsql.audit WHERE kind = 'login'"); sum != n {
		t.Errorf("the entries count %d logins", sum)
	}
	if entries := one[int](t, root, "SELECT COUNT(*) FROM anonsql.audit WHERE kind = 'login'"); entries < 101 || entries > 105 {
		t.Errorf("%d entries", entries)
	}
	if got := listed(t, root, "SELECT account, outcome FROM anonsql.audit WHERE kind = 'login' AND `rows` > 1"); !strings.Contains(got, "(several) error 1045") {
		t.Errorf("the sum is %q", got)
	}
}

// The server closes an idle session after its wait_timeout, with MySQL's error, but not a session that sends a
// statement now and then, nor one in a long statement.
func TestWaitTimeout(t *testing.T) {
	s := servertest.Start(t, server.Config{})
	idle, busy := rawLogin(t, s, 0), rawLogin(t, s, 0)
	for _, conn := range []net.Conn{idle, busy} {
		say(t, conn, "\x03SET wait_timeout = 1")
		readPacket(t, conn)
	}
	started := time.Now()
	say(t, busy, "\x03SELECT SLEEP(1.5)")
	for range 5 { // the number of columns, the column, its end, the row, its end
		readPacket(t, busy)
	}
	for range 4 {
		time.Sleep(400 * time.Millisecond) // the load: the client's pace
		say(t, busy, "\x0e")               // ping
		if answer := readPacket(t, busy); len(answer) == 0 || answer[0] != 0 {
			t.Errorf("%v after a ping", answer)
		}
	}
	if time.Since(started) < 3*time.Second {
		t.Fatal("the test took too little time to tell")
	}
	answer := readPacket(t, idle)
	if len(answer) < 3 || answer[0] != 0xff || int(answer[1])|int(answer[2])<<8 != 4031 {
		t.Errorf("the idle client was told %q", answer)
	}
	if _, err := idle.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("it is still connected: %v", err)
	}
	// Half a command does not count.
	stopped := rawLogin(t, s, 0)
	say(t, stopped, "\x03SET wait_timeout = 1")
	readPacket(t, stopped)
	if _, err := stopped.Write([]byte("\x20\x00\x00\x00\x03SELECT")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, stopped); err != nil {
		t.Errorf("who sends half a command is still connected: %v", err)
	}
	// interactive_timeout applies to interactive clients.
	servertest.Exec(t, s.Open(t, servertest.Root), "SET GLOBAL interactive_timeout = 1")
	defer servertest.Exec(t, s.Open(t, servertest.Root), "SET GLOBAL interactive_timeout = 28800")
	if answer := readPacket(t, rawLogin(t, s, 0x04)); len(answer) < 3 || answer[0] != 0xff {
		t.Errorf("the interactive client was told %q", answer)
	}
}

// rawLogin logs in as root without a driver. more is the second byte of flags.
func rawLogin(t *testing.T, s *servertest.Server, more byte) net.Conn {
	t.Helper()
	conn := socketTo(t, s)
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // of a TCP connection never an error
	readPacket(t, conn)
	body := "\x00" + string([]byte{0x82 | more}) + "\x08\x00\x00\x00\x00\x01\x21" + strings.Repeat("\x00", 23) + "root\x00\x00mysql_native_password\x00"
	if _, err := conn.Write([]byte(string([]byte{byte(len(body)), 0, 0, 1}) + body)); err != nil {
		t.Fatal(err)
	}
	if answer := readPacket(t, conn); len(answer) == 0 || answer[0] != 0 {
		t.Fatalf("the login is answered with %q", answer)
	}
	return conn
}

// say sends a command.
func say(t *testing.T, conn net.Conn, command string) {
	t.Helper()
	if _, err := conn.Write([]byte(string([]byte{byte(len(command)), byte(len(command) >> 8), 0, 0}) + command)); err != nil {
		t.Fatal(err)
	}
}
