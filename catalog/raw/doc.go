// Package raw keeps owners' databases with their raw tables: a storage engine for
// go-mysql-server over one SQLite file, and columns for anonymization.
//
// What it promises:
//
//  1. A transaction is there after COMMIT, whatever happens to the process or
//     the power, or it never was. That holds for statements of many rows and
//     for definitions too.
//  2. Readers do not wait. A transaction that only reads has one snapshot, of
//     rows and definitions alike. There is one writer at a time; the turn is
//     taken at the first write, and waiting for it is bounded (error 1205).
//  3. Every value comes back as it went in (package coding), and equality in keys is
//     the engine's, collation included.
//  4. A table's id is never used again; its version grows with every committed
//     change.
//  5. Who follows a table ([Store.Follow]) misses no committed change of a followed
//     column, however it was made, and sees no other; the number by which it knows a
//     row is never given to another one while it follows.
//  6. What cannot be what was stored is not served (fault.ErrDamaged). A write that the
//     disk does not take leaves nothing, and what was committed before stays.
//
// What it refuses, by name: virtual generated columns, foreign keys, triggers, events,
// temporary tables, full-text and spatial indexes, SET PERSIST. A range is not looked up
// in an index; scans are fast.
//
// It knows nothing of releases: what stands on it gives it functions ([Above]), one
// value a statement ([Session.OfStatement]), and stores its own tables of SQLite in the
// same transactions ([Store.View], [Store.Update]). It may import anonymize, for columns,
// and the rooms cache, coding, directory, fault and sqlite.
//
// # Rows and columns
//
// Rows are stored as rows, one SQLite table a raw table, because owners insert
// and correct single rows, keys must be enforced, and a transaction must be
// one. Scans read a columnar copy in memory: chunks of 65,536 rowids, each
// column dictionary-encoded, read from SQLite when first asked for, given up
// when a commit touches the chunk, and bounded ([Store.SetCacheLimit]). A scan from the
// copy is more than ten times as fast as one of SQLite's rows.
//
// Storing the chunks themselves would make the first scan after a start faster and
// change nothing for the next ones, while correcting one row would rewrite 65,536 and
// keys would need a structure of their own. The first scan is paid once a start.
//
// # Where things are
//
//	store                         opening and closing
//	work, update                  transactions: a snapshot, or the one writer
//	session, statement            the engine's sessions, their statements, the writer's turn
//	definition, metadata, load    what tables look like
//	statements                    what SQLite is told of a table
//	provider, database            the engine's databases
//	names                         the names of everything
//	mirror                        tables whose rows another server keeps
//	stored_objects                views; that there are no triggers and events
//	table, scan, chunk            reading
//	index, locate                 finding rows
//	editor, bulk, counters        writing
//	alter, alter_index, rewrite   changing tables
//	modified                      values of a column that changes its type
//	microdata                     columns for anonymization
//	follow, touched               recording which rows change, and reading them
//	inspect                       whether a file holds what this room writes
package raw
