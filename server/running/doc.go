// Package running is what the server knows of a statement while it runs: who ends
// it, what it keeps, what it has sent and what it has done. The contexts of a
// statement carry it (Of); work that no client asked for has none, and the methods
// take nil for that.
//
// It promises that a statement ends with one cause: KILL, the time limit, a client
// that leaves, a bound of memory or a server that stops, whoever is first; and once it
// has settled to commit a release, with none of them but a client that leaves, who hears
// of nothing. The next statement of a routine can be ended again. What a statement keeps,
// in rows, bytes and large values, is counted in the ledger of its session, and given
// back when it ends.
//
// It refuses what is beyond the bounds that it is given; it does not know accounts,
// configurations or connections, which give them. It imports the engine, the catalog
// for its settler, and the rooms ledger, values and sqlerror.
//
// # Where things are
//
//	statement  a statement, its limits, its end, and the texts that are parsed for it
//	memory     what texts and values take; the bounds of what expressions make
//	held       rows that sorts, groups, joins and windows keep are counted
//	spool      rows on their way to the client are counted
//	pace       an analyst's scan lets other statements run
package running
