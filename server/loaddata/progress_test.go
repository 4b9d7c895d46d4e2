package loaddata

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
)

// states is a process list that records its states.
type states struct {
	sql.EmptyProcessList
	now, seen []string
}

func (s *states) AddTableProgress(_ uint64, name string, _ int64) {
	s.now, s.seen = append(s.now, name), append(s.seen, name)
}

func (s *states) RemoveTableProgress(_ uint64, name string) {
	s.now = slices.DeleteFunc(s.now, func(shown string) bool { return shown == name })
}

// nowhere accepts all rows.
type nowhere struct{ sink }

func (nowhere) write(*sql.Context, sql.Row) (int, error) { return 0, nil }

// Whoever looks while rows are loaded sees how many came, one state at a time.
func TestStateSaysHowManyRowsCame(t *testing.T) {
	list := &states{}
	ctx := sql.NewContext(context.Background(), sql.WithProcessList(list))
	from := &parsing{out: make(chan *batch, batches)}
	const all = 3*shownEvery + 100
	go func() {
		for sent := 0; sent < all; sent += batchRows {
			n := min(batchRows, all-sent)
			from.out <- &batch{rows: make([]sql.Row, n), lines: make([]int64, n)}
		}
		from.out <- &batch{err: io.EOF}
	}()
	l := &loader{layout: &layout{}, to: nowhere{}}
	if err := l.load(ctx, from); err != nil || l.counts.inserted != all {
		t.Fatalf("%d of %d rows, %v", l.counts.inserted, all, err)
	}
	var want []string
	for rows := 0; rows <= all; rows += shownEvery {
		want = append(want, fmt.Sprintf("load: %d rows", rows))
	}
	if !slices.Equal(list.seen, want) || len(list.now) != 1 {
		t.Errorf("the states were %q, want %q; now %q", list.seen, want, list.now)
	}
}
