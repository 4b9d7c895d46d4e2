// Package fault says what is wrong with a data directory, to people.
//
//  1. An error of the file, or of the disk under it, has MySQL's number and three
//     parts: what failed, what it means, what to do. SQLite's own words stay behind
//     Unwrap ([Cannot], [Explained], [FailureOf]).
//  2. Bytes that cannot be what was stored are [ErrDamaged], wherever they are read.
//     An error that says so already is handed on as it is.
//  3. What a check finds is a [Finding] with its remedy, in a [Report]; every remedy is
//     written here.
//
// It knows no table, no release and no path: rooms that read or write the file say
// what they were doing. It may import the engine's errors and SQLite's, and nothing of
// this module.
package fault
