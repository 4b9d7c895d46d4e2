package worker

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"net/rpc"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

func TestMain(m *testing.M) {
	Declare()
	if Called() {
		inherited, err := Inherit()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		inherited.Work(rpc.NewServer(), func(socket net.Conn) {
			Serve(socket, func(o Opening) (Client, error) {
				if o.User == "nobody" {
					return nil, mysql.NewSQLError(1045, "28000", "nobody comes in")
				}
				return &clerk{inherited: inherited, opening: o}, nil
			})
		})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A clerk is the client of these tests: its commands are words.
type clerk struct {
	inherited *Inherited
	opening   Opening
	forgotten []string
}

func text(values ...string) *sqltypes.Result {
	r := &sqltypes.Result{Fields: []*querypb.Field{{Name: "text", Type: sqltypes.VarChar, Charset: 255, ColumnLength: 80}}}
	for _, v := range values {
		r.Rows = append(r.Rows, []sqltypes.Value{sqltypes.NewVarChar(v)})
	}
	return r
}

func (c *clerk) Run(ctx context.Context, command *Command, send func(Answer) error) Ending {
	word, argument, _ := strings.Cut(command.Text, " ")
	switch word {
	case "echo":
		return Ended(send(Part(text(argument), false, 2, 1)))
	case "who":
		return Ended(send(Part(text(c.opening.User, c.opening.Database, fmt.Sprint(c.opening.Variables["a"])), false, 2, 0)))
	case "values":
		r := text()
		r.Rows = [][]sqltypes.Value{{sqltypes.NULL}, {sqltypes.NewVarChar("")}, {sqltypes.NewInt64(-7)}, {sqltypes.MakeTrusted(sqltypes.Blob, []byte{0, 255})}}
		r.RowsAffected, r.InsertID, r.Info = 3, 4, "info"
		return Ended(send(Part(r, true, 2, 0)))
	case "many":
		for range 1 << 20 {
			if err := send(Part(text(argument), false, 2, 0)); err != nil {
				return Ended(err)
			}
			if ctx.Err() != nil {
				return Ended(mysql.NewSQLError(1317, "70100", "interrupted after some rows"))
			}
		}
	case "wait": // and obey
		<-ctx.Done()
		return Ended(mysql.NewSQLError(1317, "70100", "interrupted"))
	case "loop": // never checks for the end
		_ = send(Part(text("begun"), false, 2, 0))
		select {}
	case "hold": // memory
		held := bytes.Repeat([]byte{1}, 256<<20)
		_ = send(Part(text("holds"), false, 2, 0))
		<-ctx.Done()
		return Ended(send(Part(text(string(held[:1])), false, 2, 0)))
	case "request": // with more bytes than a front reads
		_ = c.inherited.Requests.Call("Front.Anything", make([]byte, LargestRequest+1<<13), nil) // its connection breaks
		select {}
	case "panic":
		panic("a clerk panics")
	case "forgotten":
		return Ended(send(Part(text(c.forgotten...), false, 2, 0)))
	case "set":
		e := Ended(nil)
		e.State, e.Lasting = &State{Database: "d", Variables: map[string]any{"a": int64(5)}}, true
		return e
	case "file": // that was handed under a number
		number, err := strconv.ParseUint(argument, 10, 64)
		if err != nil {
			return Ended(err)
		}
		f := c.inherited.Await(number)
		defer f.Close()
		data, err := io.ReadAll(f)
		if err != nil {
			return Ended(err)
		}
		return Ended(send(Part(text(string(data)), false, 2, 0)))
	case "holds":
		return Ended(send(Part(text(holds()...), false, 2, 0)))
	}
	return Ended(mysql.NewSQLError(1064, "42000", "no word: %s", word))
}

func (c *clerk) Forget(text string) { c.forgotten = append(c.forgotten, text) }

func (c *clerk) Close() {}

// holds returns what this process has: environment variables, its folder, its descriptors and mappings, and its networks.
func holds() []string {
	folder, _ := os.Getwd()
	list := []string{fmt.Sprint("environment ", os.Environ()), "folder " + folder}
	descriptors, _ := os.ReadDir("/proc/self/fd")
	for _, d := range descriptors {
		if to, err := os.Readlink("/proc/self/fd/" + d.Name()); err == nil {
			kind, _, _ := strings.Cut(to, ":")
			list = append(list, "descriptor "+kind)
		}
	}
	maps, _ := os.ReadFile("/proc/self/maps")
	for line := range strings.Lines(string(maps)) {
		if fields := strings.Fields(line); len(fields) > 5 && strings.HasPrefix(fields[5], "/") {
			list = append(list, "mapping "+filepath.Base(fields[5]))
		}
	}
	interfaces, _ := net.Interfaces()
	for _, i := range interfaces {
		list = append(list, fmt.Sprintf("network %s up=%v", i.Name, i.Flags&net.FlagUp != 0))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func begin(t *testing.T) *Process {
	t.Helper()
	p, err := Start(rpc.NewServer(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		<-p.Ended()
	})
	return p
}

func open(t *testing.T, p *Process, user string) *Session {
	t.Helper()
	s, err := p.Open(t.Context(), Opening{Connection: 1, User: user, State: State{Database: "published", Variables: map[string]any{"a": int64(3)}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// say returns the first column of a command's rows, and its ending.
func say(ctx context.Context, s *Session, word string) (rows []string, ending *Ending, err error) {
	ending, err = s.Do(ctx, Command{Text: word}, func(a Answer) error {
		for _, row := range a.Rows {
			rows = append(rows, row[0].ToString())
		}
		return nil
	})
	return rows, ending, err
}

// TestCommands: commands and answers arrive unchanged.
func TestCommands(t *testing.T) {
	s := open(t, begin(t), "ann")
	if rows, _, err := say(t.Context(), s, "who"); err != nil || fmt.Sprint(rows) != "[ann published 3]" {
		t.Errorf("who: %q, %v", rows, err)
	}
	var got *sqltypes.Result
	ending, err := s.Do(t.Context(), Command{Text: "values"}, func(a Answer) error {
		got = a.Result
		if !a.More || a.Status != 2 {
			t.Errorf("more %v, status %d", a.More, a.Status)
		}
		return nil
	})
	if err != nil || ending.Failure != nil {
		t.Fatal(ending, err)
	}
	want := `[[NULL] [VARCHAR("")] [INT64(-7)] [BLOB("\x00\xff")]] 3 4 info text`
	if text := fmt.Sprint(got.Rows, got.RowsAffected, got.InsertID, " ", got.Info, " ", got.Fields[0].Name); text != want {
		t.Errorf("values: %s\nwant %s", text, want)
	}
	s.Forget("SELECT 1")
	if rows, _, err := say(t.Context(), s, "forgotten"); err != nil || fmt.Sprint(rows) != "[SELECT 1]" {
		t.Errorf("forgotten: %q, %v", rows, err)
	}
	if _, ending, err := say(t.Context(), s, "set"); err != nil || !ending.Lasting || ending.State.Variables["a"] != int64(5) || ending.State.Database != "d" {
		t.Errorf("set: %+v, %v", ending, err)
	}
	if _, ending, err := say(t.Context(), s, "nonsense"); err != nil || ending.Failure.Number != 1064 || ending.Failure.Message != "no word: nonsense" {
		t.Errorf("nonsense: %+v, %v", ending, err)
	}
}

// TestRefusedOpening: if a session could not begin, its commands say why. Its socket stays open: a closed one would look like the end of the worker.
func TestRefusedOpening(t *testing.T) {
	front, socket := net.Pipe() // has no buffer: who writes waits until the other reads
	defer front.Close()
	go Serve(socket, func(Opening) (Client, error) { return nil, mysql.NewSQLError(1045, "28000", "no such account") })
	write := gob.NewEncoder(front)
	for _, message := range []any{Opening{User: "nobody"}, Command{Kind: Forget, Text: "SELECT 1"}, Command{Text: "echo a"}} {
		if err := write.Encode(message); err != nil {
			t.Fatal(err)
		}
	}
	var a answer
	if err := gob.NewDecoder(front).Decode(&a); err != nil || a.Final == nil || a.Final.Failure == nil || a.Final.Failure.Number != 1045 {
		t.Errorf("%+v, %v", a, err)
	}
	s := open(t, begin(t), "nobody")
	for range 3 {
		if _, ending, err := say(t.Context(), s, "echo a"); err != nil || ending.Failure == nil {
			t.Errorf("%+v, %v", ending, err)
		}
	}
}

// TestBrokenBounds: a worker whose request breaks a bound ends, so that its account gets another one.
func TestBrokenBounds(t *testing.T) {
	p := begin(t)
	if _, _, err := say(t.Context(), open(t, p, "ann"), "request"); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	<-p.Ended()
}

// TestAsked: a statement that obeys a request to end ends, and its worker continues.
func TestAsked(t *testing.T) {
	p := begin(t)
	s := open(t, p, "ann")
	ctx, end := context.WithCancel(t.Context())
	end()
	if _, ending, err := say(ctx, s, "wait"); err != nil || ending.Failure.Message != "interrupted" {
		t.Fatalf("%+v, %v", ending, err)
	}
	full := errors.New("the client takes no more")
	_, err := s.Do(t.Context(), Command{Text: "many x"}, func(Answer) error { return full })
	if !errors.Is(err, full) {
		t.Fatal(err)
	}
	if rows, _, err := say(t.Context(), s, "echo still here"); err != nil || fmt.Sprint(rows) != "[still here]" {
		t.Errorf("%q, %v", rows, err)
	}
}

// TestKilled: whatever a worker does, or nothing at all, a command ends with its context. Its sessions are told that it is gone.
func TestKilled(t *testing.T) {
	for _, c := range []struct {
		name string
		harm func(p *Process, s *Session) error
	}{
		{"a loop", func(_ *Process, s *Session) error {
			ctx, end := context.WithCancel(context.Background())
			defer end()
			_, err := s.Do(ctx, Command{Text: "loop"}, func(Answer) error { end(); return nil })
			return err
		}},
		{"stopped", func(p *Process, s *Session) error {
			ctx, end := context.WithCancel(context.Background())
			stop(p)
			end()
			_, _, err := say(ctx, s, "echo a")
			return err
		}},
		{"a panic", func(_ *Process, s *Session) error {
			_, _, err := say(context.Background(), s, "panic")
			return err
		}},
		{"killed while idle", func(p *Process, s *Session) error {
			p.Kill()
			<-p.Ended()
			_, _, err := say(context.Background(), s, "echo a")
			return err
		}},
		{"killed in an answer", func(p *Process, s *Session) error {
			_, err := s.Do(context.Background(), Command{Text: "many x"}, func(Answer) error { p.Kill(); return nil })
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := begin(t)
			s, other := open(t, p, "ann"), open(t, p, "bob")
			if _, _, err := say(t.Context(), other, "echo a"); err != nil {
				t.Fatal(err)
			}
			if err := c.harm(p, s); !errors.Is(err, ErrGone) {
				t.Fatalf("the session was told %v", err)
			}
			<-p.Ended()
			if _, _, err := say(t.Context(), other, "echo a"); !errors.Is(err, ErrGone) {
				t.Errorf("the other session was told %v", err)
			}
			if _, err := p.Open(t.Context(), Opening{}); !errors.Is(err, ErrGone) {
				t.Errorf("another session was told %v", err)
			}
		})
	}
}

// stop has every thread of a worker stand still.
func stop(p *Process) {
	_ = syscall.Kill(p.ID(), syscall.SIGSTOP) // it exists: nobody waits for it
	for running := true; running; runtime.Gosched() {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.ID()))
		running = slices.ContainsFunc(threads, func(thread string) bool {
			line, err := os.ReadFile(thread)
			return err == nil && !strings.HasPrefix(string(line[bytes.LastIndexByte(line, ')')+1:]), " T")
		})
	}
}

// TestStoppedWorker: a worker that reads nothing ends no later than the context of its caller, also while a command or a session is on its
// way there.
func TestStoppedWorker(t *testing.T) {
	long := strings.Repeat("x", 8<<20) // more than a socket's buffer
	for what, do := range map[string]func(context.Context, *Process, *Session) error{
		"command": func(ctx context.Context, _ *Process, s *Session) error {
			_, err := s.Do(ctx, Command{Text: long}, nil)
			return err
		},
		"session": func(ctx context.Context, p *Process, _ *Session) error {
			_, err := p.Open(ctx, Opening{State: State{Variables: map[string]any{"a": long}}})
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			process := begin(t)
			s := open(t, process, "ann")
			stop(process)
			ctx, end := context.WithCancel(t.Context())
			end()
			if err := do(ctx, process, s); !errors.Is(err, ErrGone) {
				t.Errorf("it ended with %v", err)
			}
			<-process.Ended()
		})
	}
}

// TestSessionsBeside: sessions do not block each other, and a client that does not read blocks none.
func TestSessionsBeside(t *testing.T) {
	p := begin(t)
	slow := open(t, p, "slow")
	reading, read := make(chan struct{}), make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() {
		ctx, end := context.WithCancel(context.Background())
		defer end()
		var once sync.Once
		_, _ = slow.Do(ctx, Command{Text: "many " + strings.Repeat("x", 1000)}, func(Answer) error {
			once.Do(func() { close(reading) })
			<-read
			end()
			return nil
		})
	})
	<-reading
	s := open(t, p, "ann")
	if rows, _, err := say(t.Context(), s, "echo a"); err != nil || fmt.Sprint(rows) != "[a]" {
		t.Errorf("%q, %v", rows, err)
	}
	close(read)
	others.Wait()
}

// TestFiles: files arrive under their numbers, whether or not somebody waits, and a closed one is reported.
func TestFiles(t *testing.T) {
	p := begin(t)
	s := open(t, p, "ann")
	hand := func(number uint64) error {
		f, err := os.Create(filepath.Join(t.TempDir(), "f"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := fmt.Fprintf(f, "file %d", number); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		return p.Hand(number, f)
	}
	for _, number := range []uint64{7, 1 << 40} {
		if err := hand(number); err != nil {
			t.Fatal(err)
		}
	}
	for _, number := range []uint64{1 << 40, 7} {
		if rows, _, err := say(t.Context(), s, fmt.Sprint("file ", number)); err != nil || fmt.Sprint(rows) != fmt.Sprintf("[file %d]", number) {
			t.Errorf("%q, %v", rows, err)
		}
	}
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := p.Hand(8, f); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed file: %v", err)
	}
	if rows, _, err := say(t.Context(), s, "holds"); err != nil || slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, t.Name()) }) {
		t.Errorf("afterwards it holds %q, %v", rows, err)
	}
}

// TestHolds: a worker has its sockets, the standard streams and the runtime's files, the binary and its libraries, and no network.
func TestHolds(t *testing.T) {
	t.Setenv("ANONSQL_SECRET", "x")
	secret, err := syscall.Open(filepath.Join(t.TempDir(), "secret"), syscall.O_CREAT|syscall.O_RDWR, 0o600) // which a process inherits
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(secret)
	p := begin(t)
	rows, _, err := say(t.Context(), open(t, p, "ann"), "holds")
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"environment []", "folder /", "descriptor /dev/null", "descriptor pipe", "descriptor socket", "descriptor anon_inode", "descriptor /proc/",
		"descriptor /sys/fs/cgroup/"} // by which the runtime learns how many processors it may use
	for _, row := range rows {
		kind, what, _ := strings.Cut(row, " ")
		switch kind {
		case "mapping":
			if what != filepath.Base(os.Args[0]) && !strings.HasPrefix(what, "lib") && !strings.HasPrefix(what, "ld-") && !strings.HasPrefix(what, "worker.test") {
				t.Errorf("a mapping of %s", what)
			}
		case "network":
			if p.Network == nil && row != "network lo up=false" {
				t.Error(row)
			}
		default:
			if !slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(row, a) }) {
				t.Error(row)
			}
		}
	}
	if p.Network != nil {
		t.Log("workers have no namespaces of their own, but a network:", p.Network)
	}
}

// FuzzUnpacked: a worker's bytes are not trusted to be rows.
func FuzzUnpacked(f *testing.F) {
	f.Add(packed(nil, [][]sqltypes.Value{{sqltypes.NewInt64(1), sqltypes.NULL}, {sqltypes.NewVarChar("x")}}), 2)
	f.Add([]byte{255, 255, 255}, 1)
	f.Fuzz(func(t *testing.T, data []byte, count int) {
		rows, err := unpacked(data, count)
		if err == nil && len(rows) != count {
			t.Errorf("%d rows of %d", len(rows), count)
		}
		if err != nil {
			return
		}
		again, err := unpacked(packed(nil, rows), count)
		if err != nil || !bytes.Equal(packed(nil, again), packed(nil, rows)) {
			t.Errorf("%v is read back as %v, %v", rows, again, err)
		}
	})
}

// TestOneCommandAtATime: a command during another one is refused, and reads nothing of the other's answer.
func TestOneCommandAtATime(t *testing.T) {
	s := open(t, begin(t), "ann")
	rows, ctx := 0, t.Context()
	_, err := s.Do(ctx, Command{Text: "values"}, func(a Answer) error {
		rows += len(a.Rows)
		if beside, _, err := say(ctx, s, "echo beside"); !errors.Is(err, errBusy) || len(beside) > 0 {
			t.Errorf("beside another command: %q, %v", beside, err)
		}
		return nil
	})
	if err != nil || rows != 4 {
		t.Errorf("%d rows, %v", rows, err)
	}
	if after, _, err := say(ctx, s, "echo after"); err != nil || len(after) != 1 {
		t.Errorf("behind it: %q, %v", after, err)
	}
}

// TestLateCancel: a cancel after its command has ended does not end the next one.
func TestLateCancel(t *testing.T) {
	s := open(t, begin(t), "ann")
	if rows, _, err := say(t.Context(), s, "echo a"); err != nil || len(rows) != 1 {
		t.Fatalf("%q, %v", rows, err)
	}
	if err := s.send(Command{Kind: cancel, Number: s.commands}); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	rows := 0
	ending, err := s.Do(ctx, Command{Text: "many x"}, func(Answer) error {
		if rows++; rows == 1000 {
			end()
		}
		return nil
	})
	if err != nil || ending.Failure == nil || rows < 1000 {
		t.Errorf("%d rows, %+v, %v", rows, ending, err)
	}
}
