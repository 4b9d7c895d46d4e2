package running

import (
	"sync"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/server/ledger"
)

// A spool is the sizes of the rows on their way from the executor to the client, in
// bytes, oldest first.
type spool struct {
	mu    sync.Mutex
	sizes []int64
}

// Send counts a row, in the executor and as text.
func (s *spool) Send(st *Statement, row sql.Row) error {
	size := 2 * SmallRowMemory(row)
	for _, value := range row { // of a large value, the text and the packet
		if text, ok := value.(string); ok && len(text) >= ledger.Large {
			size += 2 * int64(len(text))
		} else if b, ok := value.([]byte); ok && len(b) >= ledger.Large {
			size += 2 * int64(len(b))
		}
	}
	if err := st.Tally.Take(size); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes = append(s.sizes, size)
	return nil
}

// Delivered forgets the oldest rows.
func (s *spool) Delivered(st *Statement, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows = min(rows, len(s.sizes))
	for _, size := range s.sizes[:rows] {
		st.Tally.Give(size)
	}
	s.sizes = s.sizes[rows:]
}
