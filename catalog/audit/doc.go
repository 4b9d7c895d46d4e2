// Package audit keeps what accounts did, in a file of its own in the data directory: it is
// written all the time, and the one writer of the catalog's file may be held by an open
// transaction for as long as its owner likes.
//
//  1. Entries are written in the order in which they were added, in batches;
//     what was flushed survives the end of the process, and of the machine.
//  2. No entry is lost while the process lives: when they come faster than they
//     can be written, [Log.Ready] waits; when they cannot be written at all, it is
//     an error, once the queue is full.
//  3. Entries are kept as they are added: whoever adds one has taken values, and names
//     that a client made up, out of it.
//  4. A damaged file keeps no server from its work: it is kept under another name, and a
//     new one begun ([Log.Replaced]).
//
// It does not say who may read it, nor what is to be noted. It knows neither raw tables
// nor releases, and may import directory, fault and sqlite.
package audit
