package ledger

import "context"

// Heavy is the size of a value, in bytes, from which on the work on it is done for one
// session of the server at a time: to copy, to read or to collect so much keeps a
// processor for long, and no dashboard asks for it.
const Heavy = 1 << 20

// Work waits for the turn to work on so many bytes; done ends it. It returns the
// context's cause when the statement ends before. Sessions without a budget, and small
// works, do not wait; nor does a session that has the turn.
func (s *Session) Work(ctx context.Context, bytes int64) (done func(), err error) {
	if !s.Limited() || bytes < Heavy || s.working.Load() {
		return func() {}, nil
	}
	turn := s.book.heavy()
	select {
	case turn <- struct{}{}:
		s.working.Store(true)
		return func() {
			s.working.Store(false)
			<-turn
		}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (b *Book) heavy() chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.turn == nil {
		b.turn = make(chan struct{}, 1)
	}
	return b.turn
}
