// Package cache keeps values in memory up to a number of bytes, least recently used out
// first, so that raw tables and releases share one limit.
//
// A value belongs to a version of its key: who asks for another version gets nothing,
// and an older value never takes the place of a newer one. The cache does not know what
// its values are; who puts one in says how many bytes it takes, and an io.Closer is closed
// when it goes. It may be used from any
// goroutine, and imports nothing of this module.
package cache
