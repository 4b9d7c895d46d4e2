package catalog

import "context"

// A statement sees the releases of one moment: that at which it first asked for
// one. Otherwise its relations could be of different versions, when a release is
// refreshed between the binding of two names.

// snapshotOf returns the releases as the running statement sees them; without a
// session, as they are.
func (r *Releases) snapshotOf(ctx context.Context) *releaseSnapshot {
	s := r.catalog.SessionOf(ctx)
	if s == nil {
		return r.current.Load()
	}
	return s.OfStatement(func() any { return r.current.Load() }).(*releaseSnapshot)
}

// lock takes the turn of those who change releases. Their statement sees the
// releases as they are from then on, and after unlock as it has made them.
func (r *Releases) lock(ctx context.Context) (unlock func()) {
	r.publishing.Lock()
	forget := func() {
		if s := r.catalog.SessionOf(ctx); s != nil {
			s.ForgetOfStatement()
		}
	}
	forget()
	return func() {
		forget()
		r.publishing.Unlock()
	}
}
