package catalog

import (
	"container/list"
	"sync"
)

// A cache keeps columnar copies up to a number of bytes, least recently used
// out first. Every entry is of a version; asking for another version misses.
type cache struct {
	mu      sync.Mutex
	limit   int64
	used    int64
	entries map[chunkKey]*list.Element
	order   *list.List // most recently used first
}

type cacheEntry struct {
	key     chunkKey
	version int64
	bytes   int64
	value   any
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, entries: make(map[chunkKey]*list.Element), order: list.New()}
}

func (c *cache) get(key chunkKey, version int64) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	element := c.entries[key]
	if element == nil {
		return nil
	}
	entry := element.Value.(*cacheEntry)
	if entry.version != version {
		return nil
	}
	c.order.MoveToFront(element)
	return entry.value
}

// put keeps a value unless a newer version is there: a transaction with an old
// snapshot must not take away what everybody else needs.
func (c *cache) put(key chunkKey, version int64, value any, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element := c.entries[key]; element != nil {
		if element.Value.(*cacheEntry).version >= version {
			return
		}
		c.remove(element)
	}
	if bytes > c.limit {
		return
	}
	c.entries[key] = c.order.PushFront(&cacheEntry{key, version, bytes, value})
	c.used += bytes
	c.shrink()
}

// drop takes an entry out, if it is there.
func (c *cache) drop(key chunkKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element := c.entries[key]; element != nil {
		c.remove(element)
	}
}

func (c *cache) setLimit(limit int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit = limit
	c.shrink()
}

func (c *cache) shrink() {
	for c.used > c.limit {
		c.remove(c.order.Back())
	}
}

func (c *cache) remove(element *list.Element) {
	entry := element.Value.(*cacheEntry)
	c.order.Remove(element)
	delete(c.entries, entry.key)
	c.used -= entry.bytes
}

// CacheBytes returns what the cache of columns and releases holds, and what it
// may hold.
func (c *Catalog) CacheBytes() (used, limit int64) {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	return c.cache.used, c.cache.limit
}
