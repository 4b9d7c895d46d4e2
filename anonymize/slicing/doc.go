// Package slicing publishes a table cut both ways: attributes that go together
// into column groups, records into buckets, and inside a bucket the column
// groups are not linked. It follows
//
//	T. Li, N. Li, J. Zhang, I. Molloy: Slicing: A New Approach for Privacy
//	Preserving Data Publishing. IEEE Transactions on Knowledge and Data
//	Engineering 24(3), 2012,
//
// which is what SLPPA is measured against: L. Yao et al., Sensitive Label
// Privacy Preservation with Anatomization for Data Publishing, IEEE TDSC 18(2),
// 2021, Section 6.
//
// What it promises: l-diversity of every bucket. Among the records that a bucket
// does not tell apart but by the sensitive attribute, no value has more than one
// in l, so that there are l different values at least. The records not told
// apart are the whole bucket, or with sa_column=grouped those of the bucket that
// agree in the quasi-identifiers published beside the sensitive attribute.
//
// What it refuses: more than one sensitive attribute, and an l that no release
// of the table meets; then the error names the value in the way and the largest
// l that is possible.
//
// What it does not promise: that presence is hidden, for sub-tuples are
// published as they are; and that the buckets say nothing. Which splits were
// kept depends on the sensitive values, so who knows the algorithm and a split
// that was not made learns that a half was not l-diverse.
//
// The steps, a file each, with the letters of Li et al.:
//
//	column_groups.go  Section 4.1, attribute partitioning
//	medoids.go        its clustering: k-medoids by PAM on the distances 1 - phi^2
//	sensitive.go      which records a bucket tells apart; when l can be met
//	rows.go           the table row by row, as the splits move it
//	mondrian.go       Section 4.3, tuple partitioning: Mondrian with the local check
//	cut.go            where a bucket is split
//	global.go         Sections 3.2 and 4.3, diversity-check: every record's p(t, s)
//	facts.go          what the owner is told
//
//	T, t      the table, a record               c   column groups, the SA's included
//	B         a bucket, a range of rows         C_i a column group: a Projection
//	f(t, B)   globalCheck.match                 p(t, s), D(t, B)  globalCheck.admits
//
// Departures from the papers are tested, by number, in deviations_test.go.
//
// Cost, n records and m quasi-identifiers: O(n m^2) increments for phi^2,
// O(n m log n) for the buckets and their check, by counting codes. The global
// check is O(n) for each bucket and each attempted split, for the same buckets.
package slicing
