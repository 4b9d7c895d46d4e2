package engine

import (
	"context"
	"database/sql"
	"sync/atomic"
	"time"

	"github.com/trinodb/trino-go-client/trino"
)

// A Conn sends statements to the engine. It is safe for concurrent use.
type Conn interface {
	// Query calls row for each row of a statement as it arrives. Values are nil, bool, int64, float64, string (texts, uuid, and decimals
	// with all digits), []byte, or time.Time in UTC (dates, and timestamps without a zone); values and slice are valid during the call. An
	// error of row ends the statement and is returned unchanged. The engine's errors are an *Error; the context's error is its cause.
	Query(ctx context.Context, text string, row func(values []any) error) error
	// Exec runs a statement without rows and returns the number of rows that it wrote, 0 if the engine does not say. When it
	// returns, even with an error, the statement has ended in the engine, unless the engine could not be reached.
	Exec(ctx context.Context, text string) (rows int64, err error)
}

// dropPatience bounds how long a statement that has failed waits for an engine to drop tables.
const dropPatience = time.Minute

// CleanUp is a context in which a statement drops what it has written, also one that was ended. An engine that does not answer is not waited for.
func CleanUp(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), dropPatience)
}

// A Client is a Conn to a Trino coordinator. Every statement is a connection of its own: nothing of a session stays.
type Client struct {
	target *Target
	db     *sql.DB
	// trouble is the error of the last attempt to reach the engine, nil for success.
	trouble atomic.Pointer[Error]
}

var _ Conn = (*Client)(nil)

// Open returns a client. It does not connect.
func Open(t *Target) (*Client, error) {
	config, err := t.config()
	if err != nil {
		return nil, err
	}
	connector, err := trino.NewConnector(config)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxIdleConns(0) // a connection is a few headers: a new one inherits no settings
	return &Client{target: t, db: db}, nil
}

// Address returns the engine's host:port, as in error messages.
func (c *Client) Address() string { return c.target.Address() }

// Trouble returns the error of the last attempt to reach the engine: nil for success or no attempt.
func (c *Client) Trouble() error {
	if e := c.trouble.Load(); e != nil {
		return e
	}
	return nil
}

// Close ends running statements.
func (c *Client) Close() error { return c.db.Close() }

// Query implements Conn.
func (c *Client) Query(ctx context.Context, text string, row func(values []any) error) error {
	watch, taken := watched(ctx)
	rows, err := c.db.QueryContext(watch, text)
	if err != nil {
		return c.asClientError(ctx, err, taken.Load())
	}
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	if err != nil {
		return c.asClientError(ctx, err, taken.Load())
	}
	values := make([]any, len(columns))
	to := make([]any, len(columns))
	for i := range values {
		to[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return c.asClientError(ctx, err, true)
		}
		if err := row(values); err != nil {
			return err
		}
	}
	if err := rows.Err(); isConversion(err) {
		c.trouble.Store(nil)
		return c.unreadable(columns)
	}
	return c.asClientError(ctx, rows.Err(), taken.Load())
}

// Exec implements Conn.
func (c *Client) Exec(ctx context.Context, text string) (int64, error) {
	watch, taken := watched(ctx)
	result, err := c.db.ExecContext(watch, text)
	if err != nil {
		return 0, c.asClientError(ctx, err, taken.Load())
	}
	c.trouble.Store(nil)
	return result.RowsAffected()
}
