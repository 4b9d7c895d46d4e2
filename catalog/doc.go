// Package catalog keeps everything that anonsql must not forget: on raw tables
// (package raw), beside what their owners say of them (package attributes), it keeps
// settings, and releases with all that belongs to them.
//
// What it promises:
//
//  1. A release is stored whole or not at all, and is never changed. A statement sees
//     the releases of one moment.
//  2. A release that follows its table ([Releases.Follow]) misses no committed
//     change of a released value, and sees no other; one whose table another server
//     keeps sees what its refresh reads. A refresh ([Releases.Refresh]) is
//     there whole or not at all.
//  3. A table has one public grouping, also after its release was dropped and
//     under another name, unless the owner accepts the risk ([Admission]). A copy
//     of a table is recognised (package recognition).
//  4. Releases of one table, also of one that was dropped and loaded again, spend no more
//     of a sensitive attribute's privacy than its owner allows (epsilon.go). What is
//     spent and the release that spends it are stored in one transaction.
//  5. What is stored of a release and was computed with its raw table is for
//     accounts that may read that table ([ReleaseRecord.Public],
//     [Releases.RecordFor]), but for [Exceptions].
//  6. What cannot be what was stored is not served: reading it is an error that
//     says what is damaged and what to do (package fault, [InspectReleases]).
//  7. What an account may know that reads releases only is a value ([Releases.Hand]), and a process that was given it and the parts that it
//     names answers such an account as this one does ([ReceivedReleases]).
//  8. The file is for its owner alone (package directory), and what was deleted or
//     dropped is overwritten in it. The log beside it may hold old pages until
//     SQLite reuses them, and a backup holds what it holds.
//
// What it refuses: a release under a name that relations of another one have, a second
// public grouping, publishing inside a transaction that changes something when the
// release is to follow its table. It gives out no private side of a release but to
// [Releases.Changes].
//
// It may import anonymize, estimate (the rows that SELECT * shows are drawn), privacy and
// interval (what readers of a release may know), recognition, and the rooms below it:
// raw, attributes, jobs, source, cache, coding, columnar, fault, segment, sqlite. It knows no method, and neither report
// nor server.
//
// # Where things are
//
//	catalog                          opening; settings
//	releases                         the list of releases, and what a statement sees of it
//	published, relation              views and relations in the database published; package shown makes their columns
//	listing                          what lists of tables show: names, comments, the columns of units
//	public_record                    who may know what of a release
//	publication, admission           publishing, and who may
//	handed                           releases as values, and those that were received; their columns in memory that processes share
//	exchange                         putting releases in the place of others
//	releases_import                  releases that were made elsewhere
//	past_publications                what was published
//	epsilon                          what releases have spent of a table's privacy
//	origins                          of which table; raw tables wherever they live
//	copies                           copies of published tables
//	release_store                    releases in the file
//	distributed                      releases whose relations an engine keeps
//	release_cache                    releases in memory
//	completion                       completed tables: in the file, and as a relation
//	evaluations                      measured errors
//	live_record, live_codec          the private side of a release that follows its table
//	live_follow                      beginning to follow; noticing changes
//	live_changes, live_refresh       reading changes; the next version
//	live_elsewhere                   changes of a table that another server keeps
//	system, live_system              the database anonsql
//	inspect_releases                 whether a file holds what this room writes
//	names                            the names of everything
package catalog
