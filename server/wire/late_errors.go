package wire

import (
	"errors"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
)

// The protocol layer closes a connection over an error after rows. MySQL sends the error instead of the packet that ends the rows, and the
// connection goes on.

// A Sending sends the rows of one statement, and remembers whether it has sent any.
type Sending struct {
	To    mysql.ResultSpoolFn
	begun bool
}

// Send sends rows.
func (s *Sending) Send(r *sqltypes.Result, more bool) error {
	s.begun = s.begun || len(r.Fields) > 0
	return s.To(r, more)
}

// Finished returns the error that the protocol layer must send. It sends an error after rows itself, instead of their end, and then returns
// nil.
func (s *Sending) Finished(c *mysql.Conn, err error) error {
	var known *mysql.SQLError
	p := PacketsOf(c.Conn)
	if !s.begun || p == nil || !errors.As(err, &known) {
		return err
	}
	if err := c.FlushBuffer(); err != nil {
		return err
	}
	body := []byte{mysql.ErrPacket, byte(known.Num), byte(known.Num >> 8), '#'}
	p.answer.instead = append(append(body, known.State...), known.Message...)
	return nil
}
