package releases

// Running returns the number of attempts that no sweep touches.
func (s *Store) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.running)
}
