package catalog

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
