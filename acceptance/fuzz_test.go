package acceptance

import (
	"bufio"
	"context"
	"crypto/sha1"
	dbsql "database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	vitesslog "github.com/dolthub/vitess/go/vt/log"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// Common parts of this package's fuzz targets: a server whose panics are noticed wherever they are caught, and a
// client that speaks packets, since the driver would hide what it does not understand.

// A fuzzed server receives a fuzzer's input.
type fuzzed struct {
	servertest.Server
	root   *dbsql.DB
	faults *faults
}

// fuzzedServer starts a server, and runs statements as root.
func fuzzedServer(f *testing.F, config server.Config, statements ...string) *fuzzed {
	f.Helper()
	s := &fuzzed{faults: &faults{}}
	ready, stopped := make(chan net.Addr, 1), make(chan error, 1)
	config.DataDir, config.Listen, config.Extend = f.TempDir(), "127.0.0.1:0", server.Product
	config.ShutdownGrace = 2 * time.Second
	config.Ready = func(address net.Addr) { ready <- address }
	config.Logger = slog.New(s.faults)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { stopped <- server.Run(ctx, config) }()
	select {
	case address := <-ready:
		s.Addr = address.String()
	case err := <-stopped:
		f.Fatalf("the server did not start: %v", err)
	}
	f.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			f.Error(err)
		}
	})
	s.faults.listen()
	s.root = s.Open(f, servertest.Account{User: "root", MultiStatements: true})
	servertest.Exec(f, s.root, statements...)
	return s
}

// faults is a log that collects reports of panics.
type faults struct {
	mu    sync.Mutex
	texts []string
}

// listen also captures the log of the protocol layer, which recovers by itself.
func (l *faults) listen() {
	vitesslog.Errorf = func(format string, values ...any) { l.note(fmt.Sprintf(format, values...)) }
}

func (l *faults) note(text string) {
	if strings.Contains(text, "panic") {
		l.mu.Lock()
		l.texts = append(l.texts, text)
		l.mu.Unlock()
	}
}

// take returns the reports since its last call.
func (l *faults) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.Join(l.texts, "\n")
	l.texts = nil
	return text
}

func (l *faults) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
func (l *faults) WithAttrs([]slog.Attr) slog.Handler               { return l }
func (l *faults) WithGroup(string) slog.Handler                    { return l }

// Handle implements slog.Handler.
func (l *faults) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		return true
	})
	l.note(text)
	return nil
}

// internals match the insides of the server and of its libraries, which no error may mention.
var internals = regexp.MustCompile(`(?i)panic|runtime error|goroutine \d|nil pointer|interface conversion|index out of range|slice bounds|reflect[.:]|invalid memory|sqlite|` +
	`sql logic|\.go:\d+|%!\w?\(|0xc0[0-9a-f]{8}|unable to find field|plan\.|\*expression|\*sql\.|\*types\.|database/sql`)

// internal returns the part of an error that mentions the inside, unless the statement contains it. explain_sql
// mentions SQLite, whose dialect it writes.
func internal(statement, message string) string {
	statement = strings.ReplaceAll(statement, "explain_sql", "sqlite")
	for _, found := range internals.FindAllString(message, -1) {
		if !strings.Contains(strings.ToLower(statement), strings.ToLower(found)) {
			return found
		}
	}
	return ""
}

// A wire is a connection that speaks packets.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	// id is the connection's, salt is the server's challenge for passwords.
	id       uint32
	salt     []byte
	sequence byte
}

const (
	wirePatience = 5 * time.Minute // no statement may take as long

	capProtocol41  = 1 << 9
	capSecure      = 1 << 15
	capMulti       = 1 << 16
	capMultiResult = 1 << 17
	capPlugin      = 1 << 19
	capLocalFiles  = 1 << 7
	capUsual       = capProtocol41 | capSecure | capMulti | capMultiResult | capPlugin | capLocalFiles
)

// dial reads the server's greeting.
func dial(address string) (*wire, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	w := &wire{conn: conn, in: bufio.NewReader(conn)}
	_ = conn.SetDeadline(time.Now().Add(wirePatience))
	greeting, err := w.receive()
	if err != nil || len(greeting) < 1 || greeting[0] != 10 {
		conn.Close()
		return nil, fmt.Errorf("greeting %q: %w", greeting, err)
	}
	rest := greeting[1:]
	rest = rest[strings.IndexByte(string(rest), 0)+1:]
	w.id, rest = binary.LittleEndian.Uint32(rest), rest[4:]
	w.salt = append(append(w.salt, rest[:8]...), rest[8+1+2+1+2+2+1+10:][:12]...)
	return w, nil
}

// wireLogin answers the greeting.
func wireLogin(address, user, password string, capabilities uint32) (*wire, error) {
	w, err := dial(address)
	if err != nil {
		return nil, err
	}
	response := binary.LittleEndian.AppendUint32(nil, capabilities)
	response = append(response, make([]byte, 4)...)
	response = append(append(response, 255), make([]byte, 23)...)
	response = append(append(response, user...), 0)
	scrambled := scramble(password, w.salt)
	response = append(append(response, byte(len(scrambled))), scrambled...)
	response = append(response, "mysql_native_password\x00"...)
	w.sequence = 1
	w.send(response)
	answer, err := w.receive()
	if err == nil && (len(answer) == 0 || answer[0] != 0) {
		err = fmt.Errorf("not let in: %q", answer)
	}
	if err != nil {
		w.conn.Close()
		return nil, err
	}
	return w, nil
}

// scramble is the response of mysql_native_password to the challenge.
func scramble(password string, salt []byte) []byte {
	if password == "" {
		return nil
	}
	once := sha1.Sum([]byte(password))
	twice := sha1.Sum(once[:])
	mask := sha1.Sum(append(salt[:len(salt):len(salt)], twice[:]...))
	for i := range mask {
		mask[i] ^= once[i]
	}
	return mask[:]
}

// send writes a packet; receive notices a lost connection.
func (w *wire) send(body []byte) {
	for {
		part := body[:min(len(body), 1<<24-1)]
		_, _ = w.conn.Write(append([]byte{byte(len(part)), byte(len(part) >> 8), byte(len(part) >> 16), w.sequence}, part...))
		w.sequence++
		if body = body[len(part):]; len(part) < 1<<24-1 {
			return
		}
	}
}

func (w *wire) receive() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(w.in, head[:]); err != nil {
		return nil, err
	}
	body := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	w.sequence = head[3] + 1
	_, err := io.ReadFull(w.in, body)
	return body, err
}

// An answered command: all bytes of the answer, and the errors among it.
type answered struct {
	shown  []byte
	errors []wireError
}

type wireError struct {
	number  int
	message string
}

// command sends a command and reads all its results. If the server asks for a file, it sends a short one.
func (w *wire) command(body []byte) (*answered, error) {
	_ = w.conn.SetDeadline(time.Now().Add(wirePatience))
	w.sequence = 0
	w.send(body)
	a := &answered{}
	for {
		more, err := w.result(a)
		if err != nil || !more {
			return a, err
		}
	}
}

const moreResults = 8 // of the status flags

func (w *wire) result(a *answered) (more bool, err error) {
	p, err := w.show(a)
	switch {
	case err != nil:
		return false, err
	case len(p) == 0:
		return false, errors.New("an empty packet")
	case p[0] == 0xff:
		return false, nil
	case p[0] == 0:
		return okFlags(p)&moreResults != 0, nil
	case p[0] == 0xfb:
		w.send([]byte("1\t2\n3\n"))
		w.send(nil)
		return w.result(a)
	}
	for range 2 { // columns, then rows
		for {
			if p, err = w.show(a); err != nil {
				return false, err
			}
			if len(p) > 0 && p[0] == 0xff {
				return false, nil
			}
			if len(p) == 5 && p[0] == 0xfe {
				break
			}
		}
	}
	return binary.LittleEndian.Uint16(p[3:])&moreResults != 0, nil
}

func (w *wire) show(a *answered) ([]byte, error) {
	p, err := w.receive()
	a.shown = append(append(a.shown, p...), '\n')
	if len(p) > 3 && p[0] == 0xff {
		message := string(p[3:])
		if strings.HasPrefix(message, "#") && len(message) >= 6 {
			message = message[6:]
		}
		a.errors = append(a.errors, wireError{int(binary.LittleEndian.Uint16(p[1:])), message})
	}
	return p, err
}

// okFlags returns the status flags of an OK packet: they follow two numbers.
func okFlags(p []byte) uint16 {
	at := 1
	for range 2 {
		if at < len(p) {
			at += 1 + map[byte]int{0xfc: 2, 0xfd: 3, 0xfe: 8}[p[at]]
		}
	}
	if at+2 > len(p) {
		return 0
	}
	return binary.LittleEndian.Uint16(p[at:])
}

func (w *wire) query(text string) (*answered, error) { return w.command(append([]byte{3}, text...)) }

func (w *wire) close() { w.conn.Close() }

// fuzzing reports whether the fuzzer generates inputs, or only the stored ones run.
func fuzzing() bool {
	for _, argument := range os.Args[1:] {
		if strings.HasPrefix(argument, "-test.fuzz=") || strings.HasPrefix(argument, "-test.fuzzworker") {
			return true
		}
	}
	return false
}

// scriptStatements returns the statements of the SQL scripts with recorded answers: all of them for a fuzzer, some
// for a test.
func scriptStatements(t testing.TB) (statements []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "testdata", "*", "*.test"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no scripts: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(string(text), "\n\n") {
			directive, rest, ok := strings.Cut(strings.TrimLeft(block, "\n"), "\n")
			statement, _, answered := strings.Cut(rest, "\n----")
			if ok && answered && len(statement) < 2000 && !strings.HasPrefix(directive, "#") && (fuzzing() || i%16 == 0) {
				statements = append(statements, statement)
			}
		}
	}
	return statements
}
