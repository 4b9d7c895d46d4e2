// Package audit keeps a log of what accounts did, in a file of its own in the data
// directory: the log is written all the time, while an open transaction may hold the only
// writer of the catalog's file for any length of time.
//
//  1. Entries are written in the order in which they were added, in batches. A flushed
//     entry survives a crash of the process and of the machine.
//  2. No entry is lost while the process lives: if entries come faster than they can be
//     written, [Log.Ready] waits; if they cannot be written at all, it fails once the
//     queue is full.
//  3. Entries are kept unchanged: the caller has removed values, and names that a
//     client made up.
//  4. A damaged file does not stop a server: it is renamed, and a new one begins
//     ([Log.Replaced]).
//
// It decides neither who may read the log nor what to log. It knows neither raw tables
// nor releases, and may import directory, fault and sqlite.
package audit
