package server

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/source"
)

// A distantEngine does not answer before its client's timeout; trouble is the engine's state at its last request.
type distantEngine struct {
	source.Distributed
	patience time.Duration
	trouble  error
}

func (a *distantEngine) Reached() (string, error) { return "engine:8080", a.trouble }

func (a *distantEngine) Databases(ctx *sql.Context) ([]string, error) {
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-time.After(a.patience):
	}
	if a.patience < time.Second {
		a.trouble = nil
		return []string{"trino.sales"}, nil
	}
	a.trouble = errors.New("Can't connect to the engine")
	return nil, a.trouble
}

// SHOW DATABASES waits for an unreachable engine once as long as every statement, and then only briefly. An engine that is back is listed.
func TestListWaitsBrieflyForAnEngineThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		home, provider := &distantEngine{patience: 5 * time.Second}, &Provider{}
		for i, want := range []time.Duration{5 * time.Second, time.Second, time.Second} {
			ctx := sql.NewContext(t.Context(), sql.WithSession(withEngine{sql.NewBaseSession(), home}))
			begun := time.Now()
			names := provider.besideDatabases(ctx)
			if took := time.Since(begun); took != want || len(names) > 0 {
				t.Errorf("list %d took %s, must take %s; it has %q", i, took, want, names)
			}
			if warned := ctx.Session.Warnings(); len(warned) != 1 || warned[0].Message != "Can't connect to the engine" {
				t.Errorf("list %d warns of %v", i, warned)
			}
		}
		home.patience = time.Second / 2
		for range 2 {
			ctx := sql.NewContext(t.Context(), sql.WithSession(withEngine{sql.NewBaseSession(), home}))
			if names := provider.besideDatabases(ctx); !slices.Equal(names, []string{"trino.sales"}) || len(ctx.Session.Warnings()) > 0 {
				t.Errorf("an engine that is back has %q, with warnings %v", names, ctx.Session.Warnings())
			}
		}
	})
}

// A withEngine is a session with a home besides the server's own store.
type withEngine struct {
	sql.Session
	home source.Beside
}

func (b withEngine) Engine() source.Beside { return b.home }
