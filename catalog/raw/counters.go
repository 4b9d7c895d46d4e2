package raw

import (
	"database/sql/driver"
	"fmt"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// Counters are the AUTO_INCREMENT counters. As in InnoDB they are outside transactions: a
// number that a rolled back transaction took is not reused. The file gets them with the table's
// next commit.
type counters struct {
	mu   sync.Mutex
	next map[int64]uint64 // by table id
}

func (c *counters) peek(t *TableVersion) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.get(t)
}

func (c *counters) get(t *TableVersion) uint64 {
	if next, ok := c.next[t.id]; ok {
		return next
	}
	return max(t.auto, 1)
}

func (c *counters) put(id int64, next uint64) {
	if c.next == nil {
		c.next = make(map[int64]uint64)
	}
	c.next[id] = next
}

// take returns an unused number.
func (c *counters) take(t *TableVersion) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.get(t)
	c.put(t.id, n+1)
	return n
}

// pass moves the counter beyond a number that a row was given explicitly.
func (c *counters) pass(t *TableVersion, used uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if used >= c.get(t) && used+1 > used {
		c.put(t.id, used+1)
	}
}

// set sets the counter and returns what it was.
func (c *counters) set(t *TableVersion, next uint64) (before uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before = c.get(t)
	c.put(t.id, next)
	return before
}

// raise undoes a lowering set.
func (c *counters) raise(id int64, atLeast uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if next, ok := c.next[id]; ok && next < atLeast {
		c.next[id] = atLeast
	}
}

var _ sql.AutoIncrementTable = (*Table)(nil)

// PeekNextAutoIncrementValue implements sql.AutoIncrementTable.
func (t *Table) PeekNextAutoIncrementValue(*sql.Context) (uint64, error) {
	return t.store.counters.peek(t.newestVersion()), nil
}

// GetNextAutoIncrementValue implements sql.AutoIncrementTable. For NULL it returns the next
// number, else the given one, and moves the counter beyond it.
func (t *Table) GetNextAutoIncrementValue(ctx *sql.Context, given any) (uint64, error) {
	if given == nil {
		return t.store.counters.take(t.newestVersion()), nil
	}
	n, _, err := types.Uint64.Convert(ctx, given)
	if err != nil {
		return 0, err
	}
	t.store.counters.pass(t.newestVersion(), n.(uint64))
	return n.(uint64), nil
}

// AutoIncrementSetter implements sql.AutoIncrementTable.
func (t *Table) AutoIncrementSetter(*sql.Context) sql.AutoIncrementSetter {
	return &autoIncrementSetter{table: t}
}

type autoIncrementSetter struct{ table *Table }

// SetAutoIncrementValue sets the next number. As in MySQL, a used number becomes the next free
// one.
func (s *autoIncrementSetter) SetAutoIncrementValue(ctx *sql.Context, next uint64) error {
	w, t, err := s.table.writing(ctx)
	if err != nil {
		return err
	}
	used, err := highestAutoIncrement(w, t)
	if err != nil {
		return err
	}
	ch, err := w.change(t)
	if err != nil {
		return err
	}
	before := s.table.store.counters.set(t, max(next, used+1, 1))
	ch.autoBefore = max(ch.autoBefore, before)
	return nil
}

// AcquireAutoIncrementLock does nothing, because take is atomic.
func (s *autoIncrementSetter) AcquireAutoIncrementLock(*sql.Context) (func(), error) {
	return func() {}, nil
}

// Close implements sql.AutoIncrementSetter.
func (s *autoIncrementSetter) Close(*sql.Context) error { return nil }

// unsigned returns a non-negative integer of any Go type.
func unsigned(v any) (uint64, bool) {
	switch v := v.(type) {
	case int8:
		return uint64(v), v >= 0
	case int16:
		return uint64(v), v >= 0
	case int32:
		return uint64(v), v >= 0
	case int64:
		return uint64(v), v >= 0
	case uint8:
		return uint64(v), true
	case uint16:
		return uint64(v), true
	case uint32:
		return uint64(v), true
	case uint64:
		return v, true
	case float32:
		return uint64(v), v >= 0
	case float64:
		return uint64(v), v >= 0
	}
	return 0, false
}

// highestAutoIncrement returns the highest used number, 0 for none.
func highestAutoIncrement(w *Work, t *TableVersion) (uint64, error) {
	if t.automatic < 0 {
		return 0, nil
	}
	var highest uint64
	err := sqlite.Query(w.conn, func(row []driver.Value) error {
		v, err := t.codecs[t.automatic].Decode(row[0])
		if n, ok := unsigned(v); ok {
			highest = n
		}
		return err
	}, fmt.Sprintf("SELECT max(c%d) FROM t%d", t.definition.Columns[t.automatic].ID, t.storage))
	return highest, fault.Cannot("read table "+t.name, err)
}

// beginAutoIncrement moves the counter of a new AUTO_INCREMENT column beyond the numbers of its rows.
func (w *Work) beginAutoIncrement(next TableVersion) error {
	t, err := newTableMeta(next)
	if err != nil {
		return err
	}
	used, err := highestAutoIncrement(w, t)
	if err != nil {
		return err
	}
	w.store.counters.pass(t, used)
	return nil
}
