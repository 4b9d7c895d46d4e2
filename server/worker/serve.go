package worker

import (
	"context"
	"encoding/gob"
	"net"
	"sync/atomic"

	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// A Client runs the commands of a session in a worker.
type Client interface {
	// Run runs a command and passes every part of its answer to send.
	Run(ctx context.Context, c *Command, send func(Answer) error) Ending
	// Forget closes a prepared statement.
	Forget(text string)
	// Close ends the session.
	Close()
}

// Serve runs the commands of a session until its socket is closed. A command's context ends when the front cancels it, or is gone.
func Serve(socket net.Conn, open func(Opening) (Client, error)) {
	defer socket.Close()
	read, write := gob.NewDecoder(socket), gob.NewEncoder(socket)
	var opening Opening
	if read.Decode(&opening) != nil {
		return
	}
	client, err := open(opening)
	if err != nil {
		refuse(read, write, err)
		return
	}
	defer client.Close()
	commands, cancels := make(chan Command), newCancels()
	go receive(read, commands, cancels)
	for c := range commands {
		if c.Kind == Forget {
			client.Forget(c.Text)
			continue
		}
		ending := run(client, &c, write, cancels)
		if write.Encode(answer{Final: &ending}) != nil {
			break
		}
	}
	for range commands {
	}
}

// refuse answers every command with the reason for which its session could not begin, until the front closes the socket.
func refuse(read *gob.Decoder, write *gob.Encoder, reason error) {
	for {
		var c Command
		if read.Decode(&c) != nil {
			return
		}
		if c.Kind != Forget && c.Kind != cancel && write.Encode(answer{Final: &Ending{Failure: FailureOf(reason)}}) != nil {
			return
		}
	}
}

// cancels are the received cancels. A late one, whose command has ended, does not affect the next command.
type cancels struct {
	come   chan struct{}
	latest atomic.Uint64 // the number of its command
}

func newCancels() *cancels { return &cancels{come: make(chan struct{}, 1)} }

// awaitCancel waits for the cancel of a command, or until the front is gone; it returns false if the command is done first.
func (c *cancels) awaitCancel(number uint64, done <-chan struct{}) bool {
	for {
		select {
		case _, there := <-c.come:
			if !there || c.latest.Load() == number {
				return true
			}
		case <-done:
			return false
		}
	}
}

// receive reads commands until the socket is closed.
func receive(read *gob.Decoder, commands chan<- Command, cancels *cancels) {
	defer close(cancels.come)
	defer close(commands)
	for {
		var c Command
		if read.Decode(&c) != nil {
			return
		}
		if c.Kind != cancel {
			commands <- c
			continue
		}
		cancels.latest.Store(c.Number)
		select {
		case cancels.come <- struct{}{}:
		default: // a waiting signal makes its receiver read the latest number
		}
	}
}

// run runs one command.
func run(client Client, c *Command, write *gob.Encoder, cancels *cancels) Ending {
	ctx, end := context.WithCancel(context.Background())
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		if cancels.awaitCancel(c.Number, done) {
			end()
		}
	}()
	defer func() {
		close(done)
		<-watched
		end()
	}()
	var buffer []byte
	return client.Run(ctx, c, func(a Answer) error {
		buffer = packed(buffer[:0], a.Rows)
		return write.Encode(answer{
			Fields: fieldsOf(a.Fields), Rows: buffer, Count: len(a.Rows), RowsAffected: a.RowsAffected, InsertID: a.InsertID,
			Info: a.Info, More: a.More, Status: a.Status, Warnings: a.Warnings,
		})
	})
}

// Ended is the ending of a command with err, an error of the protocol layer's handler or nil.
func Ended(err error) Ending { return Ending{Failure: FailureOf(err)} }

// WithColumns returns the ending with the columns of a prepared statement.
func (e Ending) WithColumns(fields []*querypb.Field) Ending {
	e.Columns, e.HasColumns = fieldsOf(fields), fields != nil
	return e
}

// Part is a result as a part of an answer.
func Part(r *sqltypes.Result, more bool, status, warnings uint16) Answer {
	return Answer{r, more, status, warnings}
}
