// Package raw keeps owners' databases with their raw tables: a storage engine for
// go-mysql-server over one SQLite file, and columns for anonymization.
//
// What it promises:
//
//  1. Transactions are atomic and durable, whatever happens to the process or the
//     power, for statements of many rows and for definitions too.
//  2. Readers do not wait. A read-only transaction has one snapshot of rows and
//     definitions. There is one writer at a time: a transaction takes the turn at its
//     first write, and waits for it up to a limit (error 1205).
//  3. Every value survives a round trip (package coding), and keys compare as the
//     engine does, collations included.
//  4. A table's id is never reused; its version grows with every committed change.
//  5. A follower of a table ([Store.Follow]) sees exactly the committed changes of the
//     followed columns, however they were made. A row number is not reused while
//     somebody follows the table.
//  6. Damaged data are not served (fault.ErrDamaged). A write that the disk rejects has
//     no effect, and earlier commits stay.
//
// What it refuses, by name: virtual generated columns, foreign keys, triggers, events,
// temporary tables, full-text and spatial indexes, SET PERSIST. Ranges are not looked up
// in indexes, since scans are fast.
//
// It knows nothing of releases. Packages above it register functions ([Above]), attach
// one value to a statement ([Session.OfStatement]), and store their own SQLite tables in
// the same transactions ([Store.View], [Store.Update]). It may import anonymize
// (columns), cache, coding, directory, fault and sqlite.
//
// # Rows and columns
//
// Rows are stored as rows, in one SQLite table per raw table, because owners insert and
// correct single rows, and keys and transactions must hold. Scans read a columnar copy
// in memory: chunks of 65,536 rowids, each column dictionary-encoded, read from SQLite
// at first use, dropped when a commit touches the chunk, and bounded
// ([Store.SetCacheLimit]). A scan of the copy is more than ten times as fast as one of
// SQLite's rows.
//
// Storing the chunks themselves would make the first scan after a start faster and
// change nothing for the next ones, while correcting one row would rewrite 65,536 and
// keys would need a structure of their own. The first scan is paid once per start.
//
// # Where things are
//
//	store                         opening and closing
//	work, update                  transactions: a snapshot, or the one writer
//	session, statement            the engine's sessions, their statements, the writer's turn
//	definition, metadata, load    definitions of tables
//	statements                    SQLite's statements for a table
//	provider, database            the engine's databases
//	names                         the names of everything
//	mirror                        lasting numbers of tables whose rows another server keeps
//	stored_objects                views; refusal of triggers and events
//	table, scan, chunk            reading
//	index, locate                 finding rows
//	editor, bulk, counters        writing
//	alter, alter_index, rewrite   changing tables
//	modified                      values of a column that changes its type
//	microdata                     columns for anonymization
//	follow, touched               recording which rows change, and reading them
//	inspect                       checks of the part of a file that this package writes
package raw
