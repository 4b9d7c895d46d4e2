// Package fault explains to people what is wrong with a data directory.
//
//  1. An error of the file, or of the disk under it, has MySQL's number and three
//     parts: what failed, what it means, what to do. SQLite's own words stay behind
//     Unwrap ([Cannot], [Explained], [FailureOf]).
//  2. Damaged bytes are [ErrDamaged], wherever they are read. An error that is
//     ErrDamaged already is passed on unchanged.
//  3. A check reports a [Finding] with its remedy, in a [Report]; all remedies are
//     written here.
//
// It knows no table, no release and no path: packages that read or write the file say
// what they were doing. It may import the errors of the engine and of SQLite, and
// nothing of this module.
package fault
