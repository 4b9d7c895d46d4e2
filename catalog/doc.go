// Package catalog keeps the persistent state of anonsql. On top of raw tables (package
// raw) and their owners' declarations (package attributes), it keeps settings, and
// releases with all that belongs to them.
//
// What it promises:
//
//  1. A release is stored atomically and never changes. A statement sees a snapshot of
//     the releases.
//  2. A release that follows its table ([Releases.Follow]) sees exactly the committed
//     changes of released values; if another server keeps the table, it sees what its
//     refresh reads. A refresh ([Releases.Refresh]) is atomic.
//  3. A table has one public grouping, even after its release was dropped and under
//     another name, unless the owner accepts the risk ([Admission]). Package
//     recognition recognises copies of tables.
//  4. Releases of one table, even of one that was dropped and loaded again, stay within
//     the privacy budget that the owner sets for a sensitive attribute (epsilon.go). A
//     release and its spending are stored in one transaction.
//  5. Stored properties of a release that were computed with its raw table are visible
//     only to accounts that may read that table ([ReleaseRecord.Public],
//     [Releases.RecordFor]), except for [Exceptions].
//  6. Damaged data are not served: reading them is an error that says what is damaged
//     and what to do (package fault, [InspectReleases]).
//  7. All that an account may know that reads only releases is one value ([Releases.Hand]). A process that has this value and the parts
//     that it names answers such an account as this process does ([ReceivedReleases]).
//  8. Only its owner may access the file (package directory), and deleted or dropped
//     data are overwritten in it. The log beside it may hold old pages until SQLite
//     reuses them; backups keep their content.
//
// What it refuses: a release under a name of another release's relations; a second
// public grouping; publishing a release that follows its table inside a transaction
// with changes. Only [Releases.Changes] returns the private side of a release.
//
// It may import anonymize, estimate (to draw the rows of SELECT *), privacy and interval (for what readers of a release
// may know), recognition, and the packages below it: raw, attributes, jobs, source, cache, coding, columnar, fault,
// segment, sqlite, quoting. It knows no method, and neither report nor server.
//
// # Where things are
//
//	catalog                          opening; settings
//	releases                         the list of releases, and a statement's view of it
//	published, relation              views and relations in the database published; package shown makes their columns
//	listing                          what lists of tables show: names, comments, the columns of units
//	public_record                    which accounts may see what of a release
//	publication, admission           publishing, and whether a release may be published
//	handed                           releases as values, and those that were received; their columns in memory that processes share
//	exchange                         replacing releases by others
//	releases_import                  releases that were made elsewhere
//	past_publications                former publications
//	epsilon                          how much of a table's privacy budget releases have spent
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
//	inspect_releases                 checks of the part of a file that this package writes
//	names                            the names of everything
package catalog
