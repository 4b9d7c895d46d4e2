package mariadbtest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"testing"

	"github.com/anonsql/anonsql/testsize"
)

// Options of a server.
type Options struct {
	// WithoutAccounts lets everybody in as root, and has no table of accounts and no InnoDB. Such a server starts in a
	// fraction of a second. The account root has no password otherwise.
	WithoutAccounts bool
	// Arguments follow those that Start gives mariadbd.
	Arguments []string
}

// A Server is a mariadbd that runs.
type Server struct {
	Address string // host and port
	Socket  string // path of a Unix socket

	directory string
	process   *exec.Cmd
}

// Start starts a server that ends with the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s, err := Launch(o)
	Need(t, err)
	t.Cleanup(s.Kill)
	return s
}

// Need ends a test whose server did not start: it is skipped if there is no mariadbd.
func Need(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, exec.ErrNotFound) {
		testsize.Missing(t, "mariadbd (mariadb-server) is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Launch starts a server that several tests share: who calls it calls Kill.
func Launch(o Options) (_ *Server, err error) {
	program, err := exec.LookPath("mariadbd")
	if err != nil {
		return nil, err
	}
	who, err := user.Current()
	if err != nil {
		return nil, err
	}
	// A socket's path has at most 107 bytes: that of a test's own directory may be longer.
	directory, err := os.MkdirTemp("", "anonsql-mariadb-*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(directory)
		}
	}()
	s := &Server{directory: directory, Socket: filepath.Join(directory, "socket")}
	data := filepath.Join(directory, "data")
	// The names of temporary files have the number of the process, which is another's beside another sandbox: so they are in a directory of its own.
	arguments := []string{
		"--no-defaults",
		"--datadir=" + data,
		"--tmpdir=" + directory,
		"--pid-file=" + filepath.Join(directory, "pid"),
		"--user=" + who.Username,
		"--log-error=" + filepath.Join(directory, "log"),
		"--default-time-zone=+00:00",
	}
	if o.WithoutAccounts {
		arguments = append(arguments, "--skip-grant-tables", "--skip-innodb", "--default-storage-engine=MyISAM")
		err = os.Mkdir(data, 0o700)
	} else {
		arguments = append(arguments, "--innodb-flush-log-at-trx-commit=0")
		err = install(data, directory, who.Username)
	}
	if err != nil {
		return nil, err
	}
	return s, s.run(program, append(arguments, o.Arguments...))
}

// install makes the tables of accounts.
func install(data, temporary, account string) error {
	out, err := exec.Command("mariadb-install-db", "--no-defaults", "--datadir="+data, "--tmpdir="+temporary, "--user="+account,
		"--auth-root-authentication-method=normal", "--skip-test-db").CombinedOutput()
	if err != nil {
		return fmt.Errorf("mariadb-install-db: %w\n%s", err, out)
	}
	return nil
}

// run starts the program on two sockets that listen already, as systemd does: a port that is free now and given to a
// program by its number may be another's by then.
func (s *Server) run(program string, arguments []string) error {
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer port.Close()
	s.Address = port.Addr().String()
	socket, err := net.Listen("unix", s.Socket)
	if err != nil {
		return err
	}
	socket.(*net.UnixListener).SetUnlinkOnClose(false)
	defer socket.Close()
	first, err := port.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	defer first.Close()
	second, err := socket.(*net.UnixListener).File()
	if err != nil {
		return err
	}
	defer second.Close()
	// LISTEN_PID is the number of the process that takes them, which the shell becomes.
	s.process = exec.Command("sh", append([]string{"-c", `LISTEN_FDS=2 LISTEN_PID=$$ exec "$0" "$@"`, program}, arguments...)...)
	s.process.ExtraFiles = []*os.File{first, second}
	return s.process.Start()
}

// Log is what the server wrote about itself.
func (s *Server) Log() string {
	text, err := os.ReadFile(filepath.Join(s.directory, "log"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Kill ends the server at once, and its files go with it. It may be called again.
func (s *Server) Kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
	os.RemoveAll(s.directory)
}
