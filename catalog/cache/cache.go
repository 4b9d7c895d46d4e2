package cache

import (
	"container/list"
	"io"
	"sync"
)

// A Cache keeps values up to a number of bytes and evicts the least recently used. Every entry has a version; Get of another version misses.
type Cache struct {
	mu      sync.Mutex
	limit   int64
	used    int64
	entries map[Key]*list.Element
	order   *list.List // most recently used first
}

// A Key names a column of a chunk of a storage. Storages of raw tables are positive; other
// users of the cache take negative ones.
type Key struct{ Storage, Column, Chunk int64 }

// WholeColumn is the chunk number for a whole column.
const WholeColumn = -1

type entry struct {
	key     Key
	version int64
	bytes   int64
	value   any
}

// New returns an empty cache that holds up to limit bytes.
func New(limit int64) *Cache {
	return &Cache{limit: limit, entries: make(map[Key]*list.Element), order: list.New()}
}

// Get returns the value of a key at a version, nil for none.
func (c *Cache) Get(key Key, version int64) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	element := c.entries[key]
	if element == nil {
		return nil
	}
	kept := element.Value.(*entry)
	if kept.version != version {
		return nil
	}
	c.order.MoveToFront(element)
	return kept.value
}

// Put keeps a value unless a newer version is there: a transaction with an old snapshot must
// not displace what all others need.
func (c *Cache) Put(key Key, version int64, value any, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element := c.entries[key]; element != nil {
		if element.Value.(*entry).version >= version {
			return
		}
		c.remove(element)
	}
	if bytes > c.limit {
		return
	}
	c.entries[key] = c.order.PushFront(&entry{key, version, bytes, value})
	c.used += bytes
	c.shrink()
}

// Drop removes an entry, if any.
func (c *Cache) Drop(key Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element := c.entries[key]; element != nil {
		c.remove(element)
	}
}

// SetLimit sets the limit in bytes and evicts what exceeds it.
func (c *Cache) SetLimit(limit int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit = limit
	c.shrink()
}

func (c *Cache) shrink() {
	for c.used > c.limit {
		c.remove(c.order.Back())
	}
}

func (c *Cache) remove(element *list.Element) {
	kept := element.Value.(*entry)
	c.order.Remove(element)
	delete(c.entries, kept.key)
	c.used -= kept.bytes
	if open, ok := kept.value.(io.Closer); ok {
		_ = open.Close() // nothing is written through it
	}
}

// Bytes returns the cache's size and limit.
func (c *Cache) Bytes() (used, limit int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used, c.limit
}

// Clear removes all entries and returns their bytes.
func (c *Cache) Clear() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	used, limit := c.used, c.limit
	c.limit = 0
	c.shrink()
	c.limit = limit
	return used
}

// DropStorages drops the copies of storages that are gone with a dropped or rewritten table. A
// statement that still reads one in an older snapshot may put a copy back; normal eviction
// removes it.
func (c *Cache) DropStorages(gone map[int64]bool) {
	if len(gone) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, element := range c.entries {
		if gone[key.Storage] {
			c.remove(element)
		}
	}
}
