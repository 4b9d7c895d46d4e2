// Package client is what commands share that talk to a running server: the
// connection, and the progress of a long statement.
package client

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-sql-driver/mysql"
)

// An Account says which server, and who asks.
type Account struct {
	// Server is host:port.
	Server string
	// User and Password are those of the account on the server.
	User, Password string
	// TLS is "true", "skip-verify" or "preferred"; "" is none.
	TLS string
}

// Open connects, and proves it.
func (a Account) Open(ctx context.Context) (*dbsql.DB, error) {
	if a.Server == "" {
		return nil, errors.New("no server is given: write it as host:port")
	}
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd, config.TLSConfig = "tcp", a.Server, a.User, a.Password, a.TLS
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	db := dbsql.OpenDB(connector)
	if err := db.PingContext(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("connect to %s: %w", a.Server, err)
	}
	return db, nil
}

// Watch shows what anonsql.jobs says of the latest running job of a kind, until stop is
// called. Progress is for people: an error ends it in silence.
func Watch(ctx context.Context, db *dbsql.DB, kind string, show func(phase string, done, total int64)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			var phase string
			var done, total int64
			err := db.QueryRowContext(ctx, "SELECT phase, done, total FROM anonsql.jobs WHERE kind = ? AND status = 'running' ORDER BY id DESC LIMIT 1", kind).Scan(&phase, &done, &total)
			switch {
			case errors.Is(err, dbsql.ErrNoRows):
			case err != nil:
				return
			default:
				show(phase, done, total)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
