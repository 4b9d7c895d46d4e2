// Package directory keeps the files of a data directory.
//
//  1. One server per directory: [Lock] refuses a second one ([ErrLocked]), and the
//     kernel releases the lock when the process ends.
//  2. Only their owner may access the directory and its files (modes 0700 and 0600).
//     [Make] closes what was open to others, and reports it.
//  3. A database is complete or absent. Remains of an old database that SQLite would
//     take for a new one are refused: an empty file, a truncated file, a log without
//     its database ([Admit], [Inspect]).
//  4. [Migrate] brings a file to the newest schema, one transaction per migration, and
//     refuses a file of a newer program.
//
// It reads no row of any table. Its migrations are the only list of the SQLite tables.
// It may import fault and sqlite.
package directory
