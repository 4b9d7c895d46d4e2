// Package cache is an LRU cache with a limit in bytes, which raw tables and releases
// share.
//
// A value belongs to a version of its key: a request for another version misses, and an
// older value never replaces a newer one. The caller says how many bytes a value takes; a
// value that is an io.Closer is closed when it is evicted. The cache is safe for
// concurrent use, and imports nothing of this module.
package cache
