// Package running is what the server knows of a statement while it runs: who ends
// it, what it has sent and what it has done. The contexts of a statement carry it (Of);
// work that no client asked for has none, and the methods take nil for that.
//
// It promises that a statement ends with one cause, the first of these: KILL, the time limit, a client
// that disconnects, a process without memory, a server that stops. Once it has settled to commit a
// release, only a disconnect still ends it. Optional work behind that commit learns of the others by Late. The
// next statement of a routine can be ended again.
//
// It refuses what is beyond the bounds that it is given; it does not know accounts,
// configurations or connections, which give them.
package running
