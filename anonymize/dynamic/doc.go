// Package dynamic lets a release follow its table: from the private side of the
// release ([anonymize.Live]), the release and the records that changed, it makes the
// next private side and the next release.
//
//	Y. Yan, E. A. Herman, A. Mahmood, J. Li, Z. Dong, F. Xu: Privacy Preserving
//	Dynamic Data Release Against Synonymous Linkage Based on Micro Aggregation.
//	Research Square preprint rs-828185, 2021
//	X. Xiao, Y. Tao: m-Invariance: Towards Privacy Preserving Re-publication of
//	Dynamic Datasets. SIGMOD 2007
//
// [Sealed] is the way to update that may be published. Its principles:
//
//  1. Insertions wait until the release's method finds groups of all that wait, with
//     its own parameters and promises. These are appended.
//  2. Who leaves is replaced by a counterfeit with the same quasi-identifiers and
//     the same sensitive value. A group in which nobody is left is dropped whole,
//     unless records of other groups hide behind it (spansGroups).
//  3. Nobody moves. A record whose quasi-identifiers or sensitive value changed
//     leaves its group and waits, as a new one. One that was deleted and inserted again
//     with the same values, between two versions, stays (rewritten.go).
//  4. Old groups are copied, in all relations ([bucketization.Unite]): neither a cell
//     nor a count nor the values that a cell stands for change. Methods that divide
//     the quasi-identifiers by the records keep to the first division
//     ([anonymize.Input].Layout).
//
// So what is published of a group tells nothing that its first version did not tell
// (m-invariance). It refuses ([CanFollow], [Obstacle]) releases that publish no
// sensitive attribute by itself, as values: sequences are verified by these.
//
// Whoever has the last version knows which groups are new: [Outcome].New is a release of
// these alone, of which the caller recomputes the promises, too.
//
// What it does not promise: that a person whose quasi-identifiers change stays
// hidden from an observer who knows that the sensitive value did not. She is in
// two groups then, and her value is in both.
//
// Of a release by units (docs/units.md, Propositions 3 and 4) a unit is what a record
// is here, with all its records: units.go. It follows its table by [Sealed] alone.
//
// [Printed] is what the paper has, for comparison. Its observer learns the
// sensitive values of nearly all who are inserted, since a group changes by one
// record at a time and a counterfeit's value is drawn anew. The paper's algorithms
// have a file each.
//
// With method dpp they are those of DPP: the metric has no linkage, and a
// counterfeit's value may be a synonym of the newcomer's. Departures from the paper
// are tested, by number, in deviations_test.go.
//
// Distances are on the scale of the records that are grouped: for Sealed, of
// those that wait, not of the first release. Taxonomies do not depend on it.
//
// Cost: Sealed is a few passes over the records and the method's run over those that
// wait. Printed looks at all groups for every record that is to be placed.
//
// # The life of a refresh
//
// SQLite triggers on the rows write the number of every changed row into a table of the release, in the transaction of the change, so no statement can
// forget it and what is rolled back leaves no trace; the recording begins before the table is read. anonymize.Live is the private side: every record
// with its row, group and kind, stored beside the release and nowhere else. Releases.Changes reads it, the release and the changed rows in one snapshot;
// dynamic makes the next Live and the next release; privacy.Verify recomputes the promises of the version and sequence.Verify those of the sequence;
// Releases.Refresh stores the version, retires the one before and forgets the changes that were read, in one transaction, unless another refresh was
// first. Counterfeits are records of the Live: an old group is copied, and compared with the same records again. The estimator knows their number only
// (Release.Forged); package interval makes what is claimed hold for every choice of them.
//
// An upstream table has no triggers of ours: catalog/live_elsewhere.go reads it again and compares records by a hash of their primary key.
//
// # Where things are
//
//	options, start           what an update is given and makes; the private side of a fresh release
//	sealed, units            the update that may be published: of records, of units
//	state, pool, rewritten   records and changes, their columns, and rows that were written anew with the same values
//	batch, finish            new groups of those who wait; the next release and private side
//	printed, groups          the paper's update, and its groups
//	insertion, forgery       Algorithms 2 and 3
//	deletion, modification   Algorithms 4 and 5
package dynamic
