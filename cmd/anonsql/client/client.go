// Package client has what commands share that use a running server: the connection, and the
// progress of a long statement.
package client

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-sql-driver/mysql"
)

// An Account is an account on a server.
type Account struct {
	// Server is host:port.
	Server string
	// User and Password are those of the account on the server.
	User, Password string
	// TLS is "true", "skip-verify" or "preferred"; "" for none.
	TLS string
}

// Open connects and checks the connection.
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
		var denied *mysql.MySQLError
		if a.Password == "" && errors.As(err, &denied) && denied.Number == 1045 { // ER_ACCESS_DENIED_ERROR
			err = fmt.Errorf("%w: no password was given; if the account has one, say --password", err)
		}
		return nil, fmt.Errorf("connect to %s: %w", a.Server, err)
	}
	return db, nil
}

// Watch shows the progress in anonsql.jobs of the latest running job of a kind, until the
// caller calls stop. Progress is only for people: an error ends it silently.
func Watch(ctx context.Context, db *dbsql.DB, kind string, show func(phase string, done, total int64)) (stop func()) {
	return watch(ctx, show, func(ctx context.Context) (phase string, done, total int64, err error) {
		err = db.QueryRowContext(ctx,
			"SELECT phase, done, total FROM anonsql.jobs WHERE kind = ? AND status = 'running' ORDER BY id DESC LIMIT 1", kind).Scan(&phase, &done, &total)
		return phase, done, total, err
	})
}

// WatchStatement shows the State of the account's statement that begins with a text, for
// statements that are no jobs. Its total is unknown.
func WatchStatement(ctx context.Context, db *dbsql.DB, begins string, show func(phase string, done, total int64)) (stop func()) {
	var seen int64
	return watch(ctx, show, func(ctx context.Context) (phase string, done, total int64, err error) {
		seen++
		err = db.QueryRowContext(ctx, "SELECT state FROM information_schema.processlist WHERE LEFT(info, ?) = ? LIMIT 1", len(begins), begins).Scan(&phase)
		return phase, seen, 0, err
	})
}

func watch(
	ctx context.Context, show func(phase string, done, total int64),
	ask func(context.Context) (phase string, done, total int64, err error),
) (stop func()) {
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
			phase, done, total, err := ask(ctx)
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
