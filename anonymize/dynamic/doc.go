// Package dynamic lets a release follow its table: it makes the next release and its
// private side ([anonymize.Live]) from the last ones and the changed records.
//
//	Y. Yan, E. A. Herman, A. Mahmood, J. Li, Z. Dong, F. Xu: Privacy Preserving
//	Dynamic Data Release Against Synonymous Linkage Based on Micro Aggregation.
//	Research Square preprint rs-828185, 2021
//	X. Xiao, Y. Tao: m-Invariance: Towards Privacy Preserving Re-publication of
//	Dynamic Datasets. SIGMOD 2007
//
// [Sealed] is the update whose results may be published. Its principles:
//
//  1. Inserted records wait until the release's method can group all waiting records,
//     with its own parameters and promises. Sealed appends these groups.
//  2. A counterfeit with the same quasi-identifiers and sensitive value replaces a
//     deleted record. A group without any real record is dropped whole, unless records
//     of other groups hide behind it (spansGroups).
//  3. No record changes its group. A record whose quasi-identifiers or sensitive value
//     changed leaves its group and waits, as a new one. A record that was deleted and
//     inserted again with the same values, between two versions, stays (rewritten.go).
//  4. Old groups are copied in all relations ([bucketization.Unite]): no cell, no count
//     and no set of values behind a cell changes. Methods that derive the division of
//     the quasi-identifiers from the records keep the first division
//     ([anonymize.Input].Layout).
//
// So later versions of a group reveal nothing that its first version did not reveal
// (m-invariance). Sealed refuses ([CanFollow], [Obstacle]) releases that do not publish
// a sensitive attribute by itself, as values, since sequences are verified by these.
//
// An observer with the last version knows which groups are new. So [Outcome].New is a
// release of the new groups alone, and the caller recomputes its promises, too.
//
// What it does not promise: to hide a person whose quasi-identifiers change from an
// observer who knows that the sensitive value did not. The person is in two groups
// then, and the value is in both.
//
// In a release by units (docs/units.md, Propositions 3 and 4) a unit with all its
// records takes the part of a record: units.go. Only [Sealed] updates such a release.
//
// [Printed] is the paper's update, for comparison. An observer of it learns the
// sensitive values of nearly all inserted records, since a group changes by one record
// at a time and a counterfeit gets a newly drawn value. Each of the paper's algorithms
// has a file.
//
// With method dpp the algorithms are those of DPP: the metric has no linkage, and a
// counterfeit's value may be a synonym of the newcomer's. Departures from the paper are
// tested, by number, in deviations_test.go.
//
// Distances are scaled by the records to be grouped: for Sealed by the waiting records,
// not by the first release. Taxonomies do not depend on the scale.
//
// Cost: Sealed takes a few passes over the records, and a run of the method over the
// waiting ones. Printed examines all groups for every record that it places.
//
// # The life of a refresh
//
// SQLite triggers on the rows write the number of every changed row into a table of the release, in the transaction of the change. So no statement can
// bypass the record, and a rollback leaves no trace. Recording begins before the table is read. anonymize.Live is the private side: every record with
// its row, group and kind, stored beside the release and nowhere else. Releases.Changes reads it, the release and the changed rows in one snapshot.
// Package dynamic makes the next Live and the next release. privacy.Verify recomputes the promises of the version, and sequence.Verify those of the
// sequence. Releases.Refresh stores the version, retires the previous one and deletes the changes that were read, in one transaction, unless another
// refresh came first. Counterfeits are records of the Live: an old group is copied, and compared with the same records again. The estimator knows only
// their number (Release.Forged); package interval makes its claims hold for every choice of them.
//
// An upstream table has no triggers of ours: catalog/live_elsewhere.go reads it again and compares records by a hash of their primary key.
//
// # Where things are
//
//	options, start           input and outcome of an update; the private side of a fresh release
//	sealed, units            the publishable update, of records and of units
//	state, pool, rewritten   records and changes, their columns, and rows deleted and inserted again with the same values
//	batch, finish            new groups of waiting records; the next release and private side
//	printed, groups          the paper's update, and its groups
//	insertion, forgery       Algorithms 2 and 3
//	deletion, modification   Algorithms 4 and 5
package dynamic
