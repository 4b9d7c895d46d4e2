package catalog

// TakeTurn takes the turn to publish.
func (r *Releases) TakeTurn() (free func()) {
	r.publishing <- struct{}{}
	return func() { <-r.publishing }
}

// Publishing reports whether somebody has the turn.
func (r *Releases) Publishing() bool { return len(r.publishing) > 0 }
