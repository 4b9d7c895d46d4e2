// Package running has the state of a running statement: what ended it, what it has sent
// and done. The contexts of a statement carry it (StatementOf). Work without a client
// has none; most methods accept nil.
//
// A statement ends with one cause, whichever comes first: KILL, the time limit, a disconnect of its client,
// memory pressure, a stopping server. Once it has settled to commit a release, only a disconnect still ends
// it. Optional work after that commit learns of other causes by Late. The next statement of a routine can be
// ended again.
//
// It enforces bounds that its callers pass in; it does not know accounts,
// configurations or connections.
package running
