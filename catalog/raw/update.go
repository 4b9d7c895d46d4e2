package raw

import (
	"context"
	dbsql "database/sql"

	"github.com/anonsql/anonsql/catalog/fault"
)

// Update runs f in one write transaction, which it commits if f returns nil and else rolls
// back. It waits for the writer's turn until ctx ends or the lock wait is over. If ctx is a
// session that already writes, f runs in that session's transaction, behind a savepoint; a
// session that reads sees the change at its next read. Do not call it inside a View of the same
// session.
func (c *Store) Update(ctx context.Context, f func(tx *dbsql.Conn) error) error {
	return c.Write(ctx, func(w *Work) error { return fault.Explained("write the catalog", f(w.conn)) })
}

// Write is Update for callers that also need the tables. It returns f's errors unchanged.
func (c *Store) Write(ctx context.Context, f func(w *Work) error) error {
	s := sessionOf(ctx)
	if s == nil || s.store != c {
		return c.writeAlone(ctx, f)
	}
	s.mu.Lock()
	own := s.work
	s.mu.Unlock()
	if own != nil && own.writer {
		return nested(own, f)
	}
	if err := c.writeAlone(ctx, f); err != nil {
		return err
	}
	s.drop() // its snapshot is older than this commit
	return nil
}

func (c *Store) writeAlone(ctx context.Context, f func(w *Work) error) error {
	w, err := c.beginWrite(ctx, c.lockWait)
	if err != nil {
		return err
	}
	if err := guarded(w, f); err != nil {
		w.end()
		return err
	}
	return w.finish()
}

// guarded gives the writer's turn back even if f panics.
func guarded(w *Work, f func(w *Work) error) error {
	done := false
	defer func() {
		if !done {
			w.end()
		}
	}()
	err := f(w)
	done = true
	return err
}

func nested(w *Work, f func(w *Work) error) error {
	const name = "nested"
	if err := w.undone(); err != nil {
		return err
	}
	if err := w.savepoint(name); err != nil {
		return err
	}
	before := w.remember()
	if err := f(w); err != nil {
		if w.rollbackTo(name) == nil {
			_ = w.releaseSavepoint(name)
		}
		w.restore(before)
		return err
	}
	return w.releaseSavepoint(name)
}

// View runs f in one read transaction. A session that writes reads through its own connection
// and sees its own changes.
func (c *Store) View(ctx context.Context, f func(tx *dbsql.Conn) error) error {
	return c.Read(ctx, func(w *Work) error { return fault.Explained("read the catalog", f(w.conn)) })
}

// Read is View for callers that also need the tables. It returns f's errors unchanged.
func (c *Store) Read(ctx context.Context, f func(w *Work) error) error {
	if s := sessionOf(ctx); s != nil && s.store == c {
		w, err := s.reader(ctx)
		if err != nil {
			return err
		}
		return f(w)
	}
	w, err := c.snapshot(ctx)
	if err != nil {
		return err
	}
	defer w.end()
	return f(w)
}

// Snapshot runs f in a separate read transaction: f sees the committed state, whatever the
// session has open.
func (c *Store) Snapshot(ctx context.Context, f func(w *Work) error) error {
	w, err := c.snapshot(ctx)
	if err != nil {
		return err
	}
	defer w.end()
	return f(w)
}

// listedOf returns the metadata for a listing of names. It opens the session's snapshot, so
// that a client that lists tables can read them even if they are dropped meanwhile.
func (c *Store) listedOf(ctx context.Context) *metadata {
	if s := sessionOf(ctx); s != nil && s.store == c {
		if w, err := s.reader(ctx); err == nil {
			return w.meta
		}
	}
	return c.metadataOf(ctx)
}

// metadataOf returns the metadata that a context sees.
func (c *Store) metadataOf(ctx context.Context) *metadata {
	if s := sessionOf(ctx); s != nil && s.store == c {
		return s.metadata()
	}
	return c.meta.Load()
}
