package functions

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// RefreshWhenDue refreshes releases with auto_refresh=N once N records of their tables have changed, one release after the other, until ctx
// ends. It counts again before each: a version with fewer changes would reveal single persons. Outcomes are in anonsql.jobs, and the reason of
// a refused refresh in anonsql.releases; it is tried again after the next change. ended is called for each refresh, with its start.
func (e *Environment) RefreshWhenDue(ctx context.Context, ended func(release string, started time.Time, err error)) {
	due := newDueReleases()
	e.Releases.OnPending(due.add)
	for {
		select {
		case <-ctx.Done():
			return
		case <-due.some:
		}
		for _, name := range due.take() {
			started := time.Now()
			if due, err := e.refreshIfDue(ctx, name); due && err == nil || err != nil && ctx.Err() == nil {
				ended(name, started, err)
			}
		}
	}
}

// refreshIfDue does nothing if a refresh after the call has published the changes. A panic of counting is an error, too.
func (e *Environment) refreshIfDue(ctx context.Context, name string) (due bool, err error) {
	err = e.doOwn(sql.NewContext(ctx), func(*sql.Context) (sql.Row, error) {
		if due = e.Releases.IsDue(name); !due {
			return nil, nil
		}
		return nil, e.refreshDue(ctx, name)
	})
	return due, err
}

// refreshDue refreshes a release as the server's own work, without an account: the owner ordered it at publication.
func (e *Environment) refreshDue(ctx context.Context, name string) error {
	own := sql.NewContext(ctx)
	r := &refresh{environment: e, name: name, user: "auto_refresh"}
	err := e.doOwn(own, r.perform)
	problem := r.problem
	if err != nil {
		problem, _, _ = strings.Cut(err.Error(), "\n")
	}
	if problem != "" && ctx.Err() == nil {
		if noting := e.Releases.NoteProblem(own, name, problem); noting != nil {
			return noting
		}
	}
	return err
}

// dueReleases are the distinct names of releases to refresh.
type dueReleases struct {
	mu    sync.Mutex
	names []string
	some  chan struct{}
}

func newDueReleases() *dueReleases { return &dueReleases{some: make(chan struct{}, 1)} }

func (d *dueReleases) add(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Contains(d.names, name) {
		d.names = append(d.names, name)
	}
	select {
	case d.some <- struct{}{}:
	default:
	}
}

func (d *dueReleases) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := d.names
	d.names = nil
	return names
}
