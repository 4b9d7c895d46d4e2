package catalog

// TakeTurn takes the turn of who publishes.
func (r *Releases) TakeTurn() (free func()) {
	r.publishing <- struct{}{}
	return func() { <-r.publishing }
}

// Publishing says whether somebody has it.
func (r *Releases) Publishing() bool { return len(r.publishing) > 0 }
