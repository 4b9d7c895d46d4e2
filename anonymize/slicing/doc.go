// Package slicing publishes a table cut both ways: associated attributes form column
// groups, records form buckets, and inside a bucket the column groups are not linked.
// It follows
//
//	T. Li, N. Li, J. Zhang, I. Molloy: Slicing: A New Approach for Privacy
//	Preserving Data Publishing. IEEE Transactions on Knowledge and Data
//	Engineering 24(3), 2012,
//
// which is the rival in the evaluation of SLPPA: L. Yao et al., Sensitive Label Privacy
// Preservation with Anatomization for Data Publishing, IEEE TDSC 18(2), 2021, Section
// 6.
//
// What it promises: l-diversity of every bucket. Among indistinguishable records of a
// bucket, no sensitive value has more than a share of 1/l, so there are at least l
// different values. All records of a bucket are indistinguishable, or with
// sa_column=grouped those that agree in the quasi-identifiers published beside the
// sensitive attribute.
//
// What it refuses: more than one sensitive attribute, and an l that no release of the
// table meets; then the error names the value that prevents it and the largest possible
// l.
//
// What it does not promise: that presence is hidden, since sub-tuples are published
// unchanged; and that the buckets reveal nothing. Splits depend on the sensitive
// values, so an attacker who knows the algorithm and sees that a split was not made
// learns that one of the halves was not l-diverse.
//
// The steps, a file each, with the letters of Li et al.:
//
//	column_groups.go  Section 4.1, attribute partitioning
//	medoids.go        its clustering: k-medoids by PAM on the distances 1 - phi^2
//	sensitive.go      which records of a bucket are distinguishable; when l is feasible
//	rows.go           the table row by row, as the splits move it
//	mondrian.go       Section 4.3, tuple partitioning: Mondrian with the local check
//	cut.go            where a bucket is split
//	global.go         Sections 3.2 and 4.3, diversity-check: every record's p(t, s)
//	facts.go          facts for the owner
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
