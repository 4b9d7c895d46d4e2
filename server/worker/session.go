package worker

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// Patience is how long a cancelled statement may go on before its worker is killed.
const Patience = 500 * time.Millisecond

// ErrGone: the worker of the session has ended.
var ErrGone = errors.New("the process that ran the statement has ended")

// errBusy is a bug of the caller: two concurrent commands would read each other's answers.
var errBusy = errors.New("another command of the session runs in its worker")

// A Session is the front's end of a session in a worker. One command runs at a time.
type Session struct {
	process *Process
	closing sync.Once
	// commands counts the commands so far.
	commands uint64
	socket   net.Conn
	messages *io.LimitedReader // what read may still take of the socket
	read     *gob.Decoder
	running  sync.Mutex // a command
	writing  sync.Mutex
	write    *gob.Encoder
}

// largestMessage bounds a message of a worker, in bytes: a batch of rows, or an ending.
const largestMessage = 1 << 30

// Open opens a session in the worker. If the worker has not taken it within [Patience] after the end of ctx, it is killed.
func (p *Process) Open(ctx context.Context, opening Opening) (*Session, error) {
	defer p.killAfter(ctx)()
	socket, err := p.handSocket()
	if err != nil {
		return nil, err
	}
	messages := &io.LimitedReader{R: socket}
	s := &Session{process: p, socket: socket, messages: messages, read: gob.NewDecoder(messages), write: gob.NewEncoder(socket)}
	p.sessions.Add(1)
	if err := s.write.Encode(opening); err != nil {
		s.Close()
		return nil, p.gone(err)
	}
	return s, nil
}

// Process is the worker of the session.
func (s *Session) Process() *Process { return s.process }

// Close ends the session.
func (s *Session) Close() {
	s.closing.Do(func() {
		s.process.sessions.Add(-1)
		s.socket.Close()
	})
}

// An Answer is a part of an answer: a result of the protocol layer, and the flags and warnings that the client gets with it.
type Answer struct {
	*sqltypes.Result
	More             bool
	Status, Warnings uint16
}

// Do runs a command, passes every part of its answer to take, and returns its ending; a failed statement has a Failure. The error is ErrGone if the
// worker has ended, or was killed because it did not end the command with ctx. After an error of take, Do cancels the command and returns that error.
// It fails while another command runs.
func (s *Session) Do(ctx context.Context, c Command, take func(Answer) error) (*Ending, error) {
	if !s.running.TryLock() {
		return nil, errBusy
	}
	defer s.running.Unlock()
	s.commands++
	c.Number = s.commands
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer s.process.killAfter(ctx)()
	asked := make(chan struct{})
	s.writing.Lock() // a cancel comes behind its command
	stop := context.AfterFunc(ctx, func() {
		defer close(asked)
		_ = s.send(Command{Kind: cancel, Number: c.Number}) // fails only when the worker is gone
	})
	err := s.write.Encode(c)
	s.writing.Unlock()
	var ending *Ending
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrGone, err)
	} else {
		ending, err = s.answers(take, end)
	}
	if !stop() {
		<-asked
	}
	return ending, err
}

// Forget closes what was prepared. A worker that does not read it for ten seconds is killed.
func (s *Session) Forget(text string) {
	defer s.process.killUnless()()
	_ = s.send(Command{Kind: Forget, Text: text}) // fails only when the worker is gone
}

func (s *Session) send(c Command) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.write.Encode(c)
}

// answers reads the answers to one command.
func (s *Session) answers(take func(Answer) error, end func()) (*Ending, error) {
	var failed error
	for {
		var a answer
		s.messages.N = largestMessage
		if err := s.read.Decode(&a); err != nil {
			if s.messages.N <= 0 {
				s.process.Kill()
			}
			return nil, fmt.Errorf("%w: %w", ErrGone, err)
		}
		if a.Final != nil {
			return a.Final, failed
		}
		if failed != nil {
			continue // sent before the cancel
		}
		rows, err := unpacked(a.Rows, a.Count)
		if err == nil {
			r := &sqltypes.Result{Rows: rows, RowsAffected: a.RowsAffected, InsertID: a.InsertID, Info: a.Info}
			if len(a.Fields) > 0 {
				r.Fields = protocolFields(a.Fields)
			}
			err = take(Answer{r, a.More, a.Status, a.Warnings})
		}
		if err != nil {
			failed = err
			end()
		}
	}
}

// Prepared returns the columns of a prepared statement, nil if it has none.
func (e *Ending) Prepared() []*querypb.Field {
	if !e.HasColumns {
		return nil
	}
	return protocolFields(e.Columns)
}
