// Package catalog keeps everything that anonsql must not forget: owners'
// databases with their raw tables, attribute roles, settings and releases. It
// serves raw tables to the SQL engine (go-mysql-server) and columns to
// anonymization.
//
// What it promises:
//
//  1. One directory, one file (SQLite, WAL), one server: a second one is
//     refused ([ErrLocked]). A file of a newer program is refused.
//  2. A transaction is there after COMMIT, whatever happens to the process or
//     the power, or it never was. That holds for statements of many rows and
//     for definitions too.
//  3. Readers do not wait. A transaction that only reads has one snapshot, of
//     rows and definitions alike. There is one writer at a time; the turn is
//     taken at the first write, and waiting for it is bounded (error 1205).
//  4. Every value of every supported type comes back as it went in, through
//     SQL ([ParseType], [TypeText]) and through microdata ([ValueOf],
//     [SQLValue]). Equality in keys is the engine's, collation included.
//  5. A table's id is never used again; its version grows with every committed
//     change.
//  6. A release that follows its table ([Releases.Follow]) misses no committed
//     change of a released value, however it was made, and sees no other; the
//     number by which it knows a row is never given to another one. A refresh
//     ([Releases.Refresh]) is there whole or not at all.
//  7. What cannot be what was stored is not served: reading it is an error that
//     says what is damaged and what to do ([ErrDamaged], [CheckDirectory],
//     [Backup], [Restore]). A write that the disk does not take leaves nothing,
//     and what was committed before stays. Rows have no checksums: a value that
//     was overwritten by another one of its type is not noticed.
//  8. A table has one public grouping, also after its release was dropped and
//     under another name, unless the owner accepts the risk.
//  9. The file is for its owner alone (mode 0600), and what was deleted or
//     dropped is overwritten in it. The log beside it may hold old pages until
//     SQLite reuses them, and a backup holds what it holds.
//  10. What is stored of a release and was computed with its raw table is for
//     accounts that may read that table ([ReleaseRecord.Public],
//     [Releases.RecordFor]), but for [Exceptions].
//
// What it refuses, by name: spatial and vector types, virtual generated
// columns, foreign keys, triggers, events, temporary tables, full-text and
// spatial indexes, SET PERSIST. A range is not looked up in an index; scans
// are fast.
//
// # Rows and columns
//
// Rows are stored as rows, one SQLite table a raw table, because owners insert
// and correct single rows, keys must be enforced, and a transaction must be
// one. Scans read a columnar copy in memory: chunks of 65,536 rowids, each
// column dictionary-encoded, read from SQLite when first asked for, given up
// when a commit touches the chunk, and bounded ([Catalog.SetCacheLimit]).
//
// A million rows of ten columns, rows/s, single run on a machine of two cores
// shared with other work (BenchmarkBulkLoad, BenchmarkRead; take the ratios):
//
//	load, primary key           340,000 to 490,000
//	load, and three more keys    95,000 (one of a case-insensitive collation)
//	SQLite rows, no copy        770,000
//	scan, cold: makes the copy  580,000
//	scan, from the copy         11 million
//	microdata, cold             540,000
//	microdata, from the copy    1.1 million (two columns of 50,000 and more values)
//	microdata, again            65 us in all: the same columns
//	chunks stored as blobs      8 million to read, 4.4 million to write
//
// Storing the chunks themselves would make the first scan after a start some
// ten times faster and change nothing for the next ones, while correcting one
// row would rewrite 65,536 and keys would need a structure of their own. The
// first scan is paid once a start.
//
// # Where things are
//
//	open, lock, migrate, sqlite   the directory and the file
//	definition, metadata, load    what tables look like
//	types, codec, value           what values look like
//	session, work, statement      transactions
//	provider, database, views     the engine's databases
//	table, scan, chunk, cache     reading
//	index, locate                 finding rows
//	editor, bulk, counters        writing
//	alter, alter_index, rewrite   changing tables
//	microdata, attributes         for anonymization
//	taxonomies, scales            what the owner says of values
//	releases, release, admission  what is published
//	public_record                 who may know what of it
//	past_publications, copies     what was published, and copies of it (see package recognition)
//	sketch, sketch_compare        what older programs remembered of it
//	check, backup, restore        the file from outside
//	admit_file, damage            files that are lost or damaged, and what to say
//	live                          releases that follow their table
package catalog
