package catalog

// dropStorages forgets the copies of tables whose rows are gone: those dropped,
// and those rewritten into another storage. A statement that still reads one in
// an older snapshot may put a copy back; it goes when room is needed.
func (c *cache) dropStorages(gone map[int64]bool) {
	if len(gone) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, element := range c.entries {
		if gone[key.storage] {
			c.remove(element)
		}
	}
}

// storagesNotIn returns the storages of tables that another state does not have.
func (m *metadata) storagesNotIn(next *metadata) map[int64]bool {
	gone := make(map[int64]bool)
	for id, t := range m.tables {
		if now := next.tables[id]; now == nil || now.storage != t.storage {
			gone[t.storage] = true
		}
	}
	return gone
}

// DropCache forgets the copies of tables and releases that are kept in memory,
// and returns how many bytes that were. Statements that use one keep theirs.
func (c *Catalog) DropCache() int64 {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	used, limit := c.cache.used, c.cache.limit
	c.cache.limit = 0
	c.cache.shrink()
	c.cache.limit = limit
	return used
}
