package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// A bench is a catalog with an engine on it, in one directory that can be
// opened again.
type bench struct {
	t       testing.TB
	dir     string
	catalog *Catalog
	engine  *sqle.Engine
}

func newBench(t testing.TB) *bench {
	b := &bench{t: t, dir: t.TempDir()}
	b.open()
	t.Cleanup(func() { b.catalog.Close() })
	return b
}

func (b *bench) open() {
	b.t.Helper()
	c, err := Open(b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	c.SetLockWait(200 * time.Millisecond)
	b.catalog = c
	b.attach()
}

// attach puts an engine on the catalog.
func (b *bench) attach() {
	b.engine = sqle.New(analyzer.NewBuilder(b.catalog.Provider()).Build(), nil)
}

func (b *bench) reopen() {
	b.t.Helper()
	if err := b.catalog.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.open()
}

// A client is one session, driven as the server drives it.
type client struct {
	*bench
	session *Session
}

var connections atomic.Uint32

func (b *bench) client() *client { return b.clientOf("root") }

// clientOf returns a client with an account's name.
func (b *bench) clientOf(user string) *client {
	base := sql.NewBaseSessionWithClientServer("test", sql.Client{User: user, Address: "localhost"}, connections.Add(1))
	return &client{b, b.catalog.NewSession(base)}
}

func (c *client) context() *sql.Context {
	return sql.NewContext(context.Background(), sql.WithSession(c.session))
}

// try runs a statement and returns its rows as text.
func (c *client) try(statement string) (rows []string, err error) {
	ctx := c.context()
	if err := c.session.CommandBegin(); err != nil {
		return nil, err
	}
	defer c.session.CommandEnd()
	_, iter, _, err := c.engine.Query(ctx, statement)
	if err != nil {
		return nil, err
	}
	for {
		row, err := iter.Next(ctx)
		if err == io.EOF {
			return rows, iter.Close(ctx)
		}
		if err != nil {
			_ = iter.Close(ctx)
			return nil, err
		}
		rows = append(rows, rowText(row))
	}
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

func (c *client) run(statements ...string) {
	c.t.Helper()
	for _, s := range statements {
		if _, err := c.try(s); err != nil {
			c.t.Fatalf("%s: %v", s, err)
		}
	}
}

// want compares the rows of a query, joined by spaces.
func (c *client) want(statement, expected string) {
	c.t.Helper()
	rows, err := c.try(statement)
	if err != nil {
		c.t.Fatalf("%s: %v", statement, err)
	}
	if got := strings.Join(rows, " "); got != expected {
		c.t.Fatalf("%s:\n got %s\nwant %s", statement, got, expected)
	}
}

// fails wants an error whose text contains part.
func (c *client) fails(statement, part string) {
	c.t.Helper()
	_, err := c.try(statement)
	if err == nil || !strings.Contains(err.Error(), part) {
		c.t.Fatalf("%s: got error %v, want one with %q", statement, err, part)
	}
}

// owner returns a client in a new database d.
func (b *bench) owner() *client {
	c := b.client()
	c.run("CREATE DATABASE d")
	c.session.SetCurrentDatabase("d")
	return c
}
