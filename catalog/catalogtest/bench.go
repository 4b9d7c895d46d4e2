package catalogtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/raw"
)

// A Bench is a catalog with an engine on it, in one directory that can be opened again.
type Bench struct {
	T       testing.TB
	Dir     string
	Catalog *catalog.Catalog
	engine  *sqle.Engine
}

// NewBench opens a new catalog, until the test ends.
func NewBench(t testing.TB) *Bench {
	b := &Bench{T: t, Dir: t.TempDir()}
	b.Open()
	t.Cleanup(func() { b.Catalog.Close() })
	return b
}

// Open opens the catalog in Dir.
func (b *Bench) Open() {
	b.T.Helper()
	c, err := catalog.Open(b.Dir)
	if err != nil {
		b.T.Fatal(err)
	}
	c.SetLockWait(200 * time.Millisecond)
	b.Catalog = c
	b.Attach()
}

// Attach puts an engine on the catalog.
func (b *Bench) Attach() {
	b.engine = sqle.New(analyzer.NewBuilder(b.Catalog.Provider()).Build(), nil)
}

// Reopen closes the catalog and opens it again.
func (b *Bench) Reopen() {
	b.T.Helper()
	if err := b.Catalog.Close(); err != nil {
		b.T.Fatal(err)
	}
	b.Open()
}

// A Client is one session. It runs statements as the server does.
type Client struct {
	*Bench
	Session *raw.Session
}

var connections atomic.Uint32

// Client returns a client of the account root.
func (b *Bench) Client() *Client { return b.ClientOf("root") }

// ClientOf returns a client with an account's name.
func (b *Bench) ClientOf(user string) *Client {
	base := sql.NewBaseSessionWithClientServer("test", sql.Client{User: user, Address: "localhost"}, connections.Add(1))
	return &Client{b, b.Catalog.NewSession(base)}
}

// Context returns a context for one statement of the session.
func (c *Client) Context() *sql.Context {
	return sql.NewContext(context.Background(), sql.WithSession(c.Session))
}

// Try runs a statement and returns its rows as text.
func (c *Client) Try(statement string) (rows []string, err error) {
	ctx := c.Context()
	if err := c.Session.CommandBegin(); err != nil {
		return nil, err
	}
	defer c.Session.CommandEnd()
	_, iter, _, err := c.engine.Query(ctx, statement)
	if err != nil {
		return nil, err
	}
	found, err := sql.RowIterToRows(ctx, iter)
	for _, row := range found {
		rows = append(rows, rowText(row))
	}
	return rows, err
}

func rowText(row sql.Row) string {
	texts := make([]string, len(row))
	for i, v := range row {
		switch v := v.(type) {
		case nil:
			texts[i] = "NULL"
		case types.OkResult:
			texts[i] = fmt.Sprintf("ok %d", v.RowsAffected)
		case []byte:
			texts[i] = fmt.Sprintf("x%X", v)
		case time.Time:
			texts[i] = v.UTC().Format("2006-01-02 15:04:05.000000")
		case sql.JSONWrapper:
			plain, _ := v.ToInterface()
			text, _ := json.Marshal(plain)
			texts[i] = string(text)
		default:
			texts[i] = fmt.Sprint(v)
		}
	}
	return strings.Join(texts, "|")
}

// Run runs statements that must succeed.
func (c *Client) Run(statements ...string) {
	c.T.Helper()
	for _, s := range statements {
		if _, err := c.Try(s); err != nil {
			c.T.Fatalf("%s: %v", s, err)
		}
	}
}

// Want runs a query and compares its rows, joined by spaces.
func (c *Client) Want(statement, expected string) {
	c.T.Helper()
	rows, err := c.Try(statement)
	if err != nil {
		c.T.Fatalf("%s: %v", statement, err)
	}
	if got := strings.Join(rows, " "); got != expected {
		c.T.Fatalf("%s:\n got %s\nwant %s", statement, got, expected)
	}
}

// Fails expects an error whose text contains part.
func (c *Client) Fails(statement, part string) {
	c.T.Helper()
	_, err := c.Try(statement)
	if err == nil || !strings.Contains(err.Error(), part) {
		c.T.Fatalf("%s: got error %v, want one with %q", statement, err, part)
	}
}

// Owner returns a client in a new database d.
func (b *Bench) Owner() *Client {
	c := b.Client()
	c.Run("CREATE DATABASE d")
	c.Session.SetCurrentDatabase("d")
	return c
}
