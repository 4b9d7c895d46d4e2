// Package running is what the server knows of a statement while it runs: who ends
// it, what it has sent and what it has done. The contexts of a statement carry it (Of);
// work that no client asked for has none, and the methods take nil for that.
//
// It promises that a statement ends with one cause: KILL, the time limit, a client
// that leaves, a process without memory or a server that stops, whoever is first; and once
// it has settled to commit a release, with none of them but a client that leaves, who hears
// of nothing. What it does behind that commit, and can leave out, hears of them (Late). The next statement of a routine can be ended again.
//
// It refuses what is beyond the bounds that it is given; it does not know accounts,
// configurations or connections, which give them. It imports the engine, the catalog
// for its settler, and the room sqlerror.
package running
