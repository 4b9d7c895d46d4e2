// Package catalogtest is for tests of the catalog's rooms: a catalog with the engine on
// it ([Bench]), sessions that run statements ([Client]), a minimal method whose releases
// follow their table ([Grouping]), and processes that are killed ([Process]). The
// product does not import it.
package catalogtest
