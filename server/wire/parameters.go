package wire

import "github.com/dolthub/go-mysql-server/sql"

// The engine keeps the parameters of routines by their names, for as long as the
// session lives, and follows from each to the one that was passed to it, without looking
// whether it has been there: a routine of x that passes it as y to another, which passes
// y as x to the first, would never end.

// GetStoredProcParam implements sql.Session.
func (s *Session) GetStoredProcParam(name string) *sql.StoredProcParam {
	p := s.Session.GetStoredProcParam(name)
	cutCircle(p)
	return p
}

// SetStoredProcParam implements sql.Session.
func (s *Session) SetStoredProcParam(name string, value any) error {
	cutCircle(s.Session.GetStoredProcParam(name))
	return s.Session.SetStoredProcParam(name, value)
}

// cutCircle drops the reference that leads back, which is older than that of p. The
// engine knows a parameter that refers to itself.
func cutCircle(p *sql.StoredProcParam) {
	seen := map[*sql.StoredProcParam]bool{}
	for p != nil && p.Reference != nil && p.Reference != p {
		seen[p] = true
		if seen[p.Reference] {
			p.Reference = nil
		}
		p = p.Reference
	}
}
