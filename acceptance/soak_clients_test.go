package acceptance

import (
	"context"
	dbsql "database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server/servertest"
)

// A soakClient is one client of a soak. It acts until ctx ends, and finishes its last action.
type soakClient struct {
	*soak
	act    func(*soakClient)
	ctx    context.Context
	pool   *dbsql.DB
	conn   *dbsql.Conn // nil when it is not connected
	stays  bool        // it must not reconnect
	random *rand.Rand
	number int
	rows   map[int]bool // ids of its own rows in the followed table
	made   int          // tables or rows so far
}

// A soakRole is a repeated action of some clients.
type soakRole struct {
	clients int
	pool    string // whose connections it uses
	act     func(*soakClient)
}

// soakRoles are 64 clients.
var soakRoles = []soakRole{
	{16, "bi", (*soakClient).estimate},
	{8, "prepared", (*soakClient).estimatePrepared},
	{6, "bi", (*soakClient).preview},
	{10, "bi", (*soakClient).tool},
	{6, "root", (*soakClient).metadata},
	{3, "root", (*soakClient).define},
	{1, "root", (*soakClient).replace},
	{2, "root", (*soakClient).replaceTogether},
	{1, "root", (*soakClient).comeAndGo},
	{1, "root", (*soakClient).refresh},
	{2, "root", (*soakClient).refreshTogether},
	{3, "root", (*soakClient).change},
	{2, "root", (*soakClient).long},
	{1, "root", (*soakClient).kill},
	{1, "root", (*soakClient).vanish},
	{1, "bi", (*soakClient).mistake},
}

// connected returns the client's connection, and opens one if there is none. Now and then it reconnects.
func (c *soakClient) connected() *dbsql.Conn {
	if c.conn != nil && !c.stays && c.random.IntN(60) == 0 {
		c.leave()
	}
	if c.conn == nil {
		conn, err := c.pool.Conn(context.Background())
		if err != nil {
			c.t.Errorf("connecting: %v", err)
			return nil
		}
		c.conn = conn
	}
	return c.conn
}

// leave disconnects: the pool keeps no idle connections.
func (c *soakClient) leave() {
	if c.conn != nil {
		_ = c.conn.Close() // a killed connection is already closed
		c.conn = nil
	}
}

// pause waits, but not beyond the end.
func (c *soakClient) pause(d time.Duration) {
	select {
	case <-c.ctx.Done():
	case <-time.After(d):
	}
}

// An expected error, with the reason.
type soakExpected struct {
	number int
	reason string
}

// ask runs a statement and returns its rows as text; false when it failed.
func (c *soakClient) ask(kind, text string, args []any, expected ...soakExpected) (string, bool) {
	conn := c.connected()
	if conn == nil {
		return "", false
	}
	answer, err := answerText(context.Background(), conn, text, args...)
	return answer, c.accept(kind, text, err, expected)
}

// accept reports whether a statement succeeded. An unexpected error fails the test.
func (c *soakClient) accept(kind, text string, err error, expected []soakExpected) bool {
	if err == nil {
		return true
	}
	number := servertest.Number(err)
	if gone(err) {
		number = soakGone
		c.leave()
	}
	for _, e := range expected {
		if e.number == number {
			return false
		}
	}
	c.unexpected("%s: %.200s\n%v", kind, text, err)
	return false
}

// soakGone stands for a connection that the server has closed.
const soakGone = -1

func gone(err error) bool {
	var network net.Error
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &network)
}

// must runs a query with one right answer.
func (c *soakClient) must(kind, want, text string, args ...any) {
	if got, ok := c.ask(kind, text, args); ok && got != want {
		c.unexpected("%s: %.200s\n%.300s\nwant\n%.300s", kind, text, got, want)
	}
}

// answerText formats rows. It formats a number in the same way for both protocols.
func answerText(ctx context.Context, conn servertest.Queryer, text string, args ...any) (string, error) {
	rows, err := conn.QueryContext(ctx, text, args...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	return rowsText(rows)
}

func rowsText(rows *dbsql.Rows) (string, error) {
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	fields, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range fields {
		into[i] = &fields[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		for _, field := range fields {
			if b, ok := field.([]byte); ok {
				field = string(b)
			}
			value := "NULL"
			if field != nil {
				value = fmt.Sprint(field)
			}
			if number, err := strconv.ParseFloat(value, 64); err == nil {
				value = strconv.FormatFloat(number, 'g', -1, 64)
			}
			out.WriteString(value)
			out.WriteByte('|')
		}
		out.WriteByte('\n')
	}
	return out.String(), rows.Err()
}
