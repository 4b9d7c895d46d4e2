package worker

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/rpc"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Argument is the command of the binary that makes it a worker.
const Argument = "worker"

// program is a worker's os.Args[0].
const program = "anonsql"

// declared: this program can run as a worker.
var declared atomic.Bool

// Declare declares that this program becomes a worker when it is started as one. Its main, or the init of its tests, calls it, so that no other program is
// started.
func Declare() { declared.Store(true) }

// Called reports whether this program was started as a worker.
func Called() bool { return len(os.Args) == 2 && os.Args[0] == program && os.Args[1] == Argument }

// The sockets that a worker inherits, by their descriptors.
const (
	callsDescriptor    = 3 // the front calls the worker
	requestsDescriptor = 4 // the worker calls the front
	handingDescriptor  = 5 // sockets of sessions, and files
)

// A Process is the front's handle of a worker.
type Process struct {
	// Network is the error for which the worker has no namespaces of its own, and may have a network. It is nil for a worker without a network.
	Network error

	calls    *rpc.Client
	command  *exec.Cmd
	handing  *net.UnixConn // sockets of sessions, and files
	sessions atomic.Int64  // the open ones
	limit    atomic.Int64  // bytes, 0 for none
	exceeded atomic.Int64  // the limit for which it was ended
	ended    chan struct{}
}

// Start starts a worker. requests answers its calls; its standard error goes to log. It ends with Kill, or by itself when the front is
// gone.
func Start(requests *rpc.Server, log io.Writer) (*Process, error) {
	if !declared.Load() {
		return nil, errors.New("this program does not say that it can be a worker: see worker.Declare")
	}
	if err := keepDescriptors(); err != nil {
		return nil, fmt.Errorf("cannot keep open files from processes for statements of analysts: %w", err)
	}
	p, err := start(requests, log, true)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) {
		refused := err
		if p, err = start(requests, log, false); err == nil {
			p.Network = refused
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot start a process for statements of analysts: %w", err)
	}
	return p, nil
}

func start(requests *rpc.Server, log io.Writer, isolated bool) (_ *Process, err error) {
	var here, there [3]*net.UnixConn
	var files []*os.File
	defer func() {
		for _, f := range files {
			f.Close()
		}
		for i := range there {
			if there[i] != nil {
				there[i].Close()
			}
			if err != nil && here[i] != nil {
				here[i].Close()
			}
		}
	}()
	for i := range here {
		if here[i], there[i], err = Pair(); err != nil {
			return nil, err
		}
		f, err := there[i].File()
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	path, err := executable()
	if err != nil {
		return nil, err
	}
	isolation, err := attributes(isolated)
	if err != nil {
		return nil, err
	}
	command := &exec.Cmd{
		Path: path, Args: []string{program, Argument}, Env: []string{}, Dir: "/", Stderr: log, ExtraFiles: files, SysProcAttr: isolation,
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	p := &Process{calls: rpc.NewClientWithCodec(newCodec(here[0])), command: command, handing: here[2], ended: make(chan struct{})}
	go func() {
		requests.ServeCodec(newCodec(here[1]))
		p.Kill() // it has ended, or its requests broke a bound: it can ask no more
	}()
	go func() {
		_ = command.Wait() // whatever ended it
		p.calls.Close()
		p.handing.Close()
		close(p.ended)
	}()
	return p, nil
}

// Call calls the worker. If the worker has not answered within [Patience] after the end of ctx, it is killed.
func (p *Process) Call(ctx context.Context, method string, argument, answer any) error {
	defer p.killAfter(ctx)()
	call := <-p.calls.Go(method, argument, answer, make(chan *rpc.Call, 1)).Done
	var told rpc.ServerError
	if call.Error != nil && !errors.As(call.Error, &told) {
		return p.gone(call.Error)
	}
	return call.Error
}

// killAfter kills the worker [Patience] after the end of ctx, unless stop is called before.
func (p *Process) killAfter(ctx context.Context) (stop func()) {
	stopped := make(chan struct{})
	forget := context.AfterFunc(ctx, func() {
		select {
		case <-stopped:
		case <-time.After(Patience):
			p.Kill()
		}
	})
	return func() {
		forget()
		close(stopped)
	}
}

// killUnless kills the worker in ten seconds unless stop is called before.
func (p *Process) killUnless() (stop func() bool) { return time.AfterFunc(20*Patience, p.Kill).Stop }

// gone returns ErrGone with its reason, after the pool can see that the process has ended: the pool then gives the caller another one.
func (p *Process) gone(reason error) error {
	select {
	case <-p.ended:
	case <-time.After(Patience): // its connection is broken
		p.Kill()
		<-p.ended
	}
	return errors.Join(ErrGone, reason)
}

// Kill kills the worker.
func (p *Process) Kill() { _ = p.command.Process.Kill() } // it may have ended

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// ID is the process id.
func (p *Process) ID() int { return p.command.Process.Pid }

// handSocket gives the worker one end of a new socket pair, and returns the other.
func (p *Process) handSocket() (net.Conn, error) {
	here, there, err := Pair()
	if err != nil {
		return nil, err
	}
	defer there.Close()
	f, err := there.File()
	if err == nil {
		defer f.Close()
		if err = p.Hand(0, f); err != nil {
			err = p.gone(err)
		}
	}
	if err != nil {
		here.Close()
		return nil, err
	}
	return here, nil
}

// Hand sends the worker a copy of a file's descriptor, with a number by which it waits for it ([Inherited.Await]); 0 is a session's socket. It
// returns os.ErrClosed if the file is closed. A worker that takes no files for ten seconds is killed.
func (p *Process) Hand(number uint64, f *os.File) error {
	defer p.killUnless()()
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if raw.Control(func(fd uintptr) {
		_, _, err = p.handing.WriteMsgUnix(binary.LittleEndian.AppendUint64(nil, number), syscall.UnixRights(int(fd)), nil)
	}) != nil {
		return os.ErrClosed
	}
	return err
}

// Pair returns a pair of connected sockets, so that one end notices when the other closes.
func Pair() (here, there *net.UnixConn, err error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	ends := [2]*net.UnixConn{}
	for i, fd := range fds {
		if ends[i], err = connOf(fd); err != nil {
			for _, end := range ends[:i] {
				end.Close()
			}
			for _, fd := range fds[i+1:] {
				syscall.Close(fd)
			}
			return nil, nil, err
		}
	}
	return ends[0], ends[1], nil
}

// connOf turns a socket's descriptor into a connection, which owns it.
func connOf(fd int) (*net.UnixConn, error) {
	file := os.NewFile(uintptr(fd), "socket")
	defer file.Close() // FileConn has its own
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, err
	}
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		conn.Close()
		return nil, fmt.Errorf("descriptor %d is no Unix socket", fd)
	}
	return socket, nil
}

// Inherited are the sockets of this process as a worker.
type Inherited struct {
	// Requests calls the front.
	Requests *rpc.Client
	calls    *net.UnixConn
	handing  *net.UnixConn

	mu      sync.Mutex
	awaited map[uint64]chan *os.File
}

// Inherit takes over the sockets that [Start] has given this process.
func Inherit() (*Inherited, error) {
	var sockets [3]*net.UnixConn
	for i, fd := range []int{callsDescriptor, requestsDescriptor, handingDescriptor} {
		socket, err := connOf(fd)
		if err != nil {
			return nil, fmt.Errorf("this command is started by the server itself: %w", err)
		}
		sockets[i] = socket
	}
	if err := confine(); err != nil {
		return nil, err
	}
	return &Inherited{Requests: rpc.NewClient(sockets[1]), calls: sockets[0], handing: sockets[2], awaited: map[uint64]chan *os.File{}}, nil
}

// Work answers the front's calls, and serves its sessions, until the front is gone.
func (i *Inherited) Work(calls *rpc.Server, open func(net.Conn)) {
	go func() {
		calls.ServeConn(i.calls)
		i.handing.Close()
	}()
	for {
		number, fd, err := i.nextDescriptor()
		if err != nil {
			return
		}
		if number != 0 {
			i.arrived(number) <- os.NewFile(uintptr(fd), "handed")
			continue
		}
		socket, err := connOf(fd)
		if err != nil {
			return
		}
		go open(socket)
	}
}

// nextDescriptor waits for the next descriptor.
func (i *Inherited) nextDescriptor() (number uint64, fd int, err error) {
	data, rights := make([]byte, 8), make([]byte, syscall.CmsgSpace(4))
	n, length, _, _, err := i.handing.ReadMsgUnix(data, rights)
	if err != nil {
		return 0, 0, err
	}
	if n == 0 {
		return 0, 0, io.EOF
	}
	messages, err := syscall.ParseSocketControlMessage(rights[:length])
	if err != nil || len(messages) != 1 || n != len(data) {
		return 0, 0, fmt.Errorf("%d bytes came without a descriptor: %w", n, err)
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return 0, 0, fmt.Errorf("%d descriptors came at once: %w", len(fds), err)
	}
	return binary.LittleEndian.Uint64(data), fds[0], nil
}

// Await waits for the file that the front sends with a number. It must be called once per number.
func (i *Inherited) Await(number uint64) *os.File {
	f := <-i.arrived(number)
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.awaited, number)
	return f
}

// arrived is the channel for the file of a number.
func (i *Inherited) arrived(number uint64) chan *os.File {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.awaited[number] == nil {
		i.awaited[number] = make(chan *os.File, 1)
	}
	return i.awaited[number]
}
