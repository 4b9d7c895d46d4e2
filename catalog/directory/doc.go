// Package directory keeps the files of a data directory.
//
//  1. One directory, one server: [Lock] refuses a second one ([ErrLocked]), and the
//     kernel gives the lock back when the process ends.
//  2. The directory and its files are for their owner alone (mode 0700 and 0600). What
//     was open to others is closed, and told ([Make]).
//  3. A database is there whole or not at all. What SQLite would take for a new one is
//     refused when it is the rest of an old one: an empty file, a file that was cut, a
//     log that lost its database ([Admit], [Inspect]).
//  4. A file is brought to the newest schema, one migration a transaction. A file of a
//     newer program is refused ([Migrate]).
//
// It never opens a table and reads no row: the migrations are the one place that says
// which tables of SQLite there are. It may import fault and sqlite.
package directory
