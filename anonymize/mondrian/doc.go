// Package mondrian publishes equivalence classes of at least k records whose
// quasi-identifiers are generalized to the values of the class, by local recoding or by
// multidimensional generalization:
//
//	K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Mondrian Multidimensional
//	k-Anonymity. ICDE 2006,
//
// The condition may include l-diversity and t-closeness, as in the comparison by Li et
// al. 2018 (cross-bucket generalization).
//
// What it promises for every class: at least k records; no sensitive value in
// more than floor(m/l) of m records, hence at least l values; a distance of its
// sensitive values to the table's of at most t (the ordered distance for a
// numeric sensitive attribute, else the equal one).
//
// Several sensitive attributes count as one, whose value is their tuple. With sa_mode=each,
// l and t hold for each of them separately: every attribute must allow a cut.
//
// What it refuses: k above the number of records, and an l that the whole table
// does not have. Any t can be met, by one class.
//
// The steps, a file each:
//
//	mondrian.go        the method
//	condition.go       k, l and t of the halves, in whole numbers
//	partition.go       the recursion: which attribute, where, whether
//	cut.go             medians: strict (values stay together), relaxed (they need not)
//	local.go           local recoding: blocks, classes, exchanges
//	local_strata.go    classes that are close to the table
//	local_axes.go      attributes as lines and sets, and the loss of a partition
//	local_cut.go       cuts where the loss falls most
//	local_even.go      halves that meet l where no cut does
//	local_block.go     the records that are compared with each other
//	local_grow.go      classes as small as k and l allow
//	local_compare.go   the record that adds least loss to a class
//	local_classes.go   the effect of adding or removing a record
//	local_same.go      merging classes with equal cells
//
// Medians: a cut makes the halves as equal as the attribute's values allow. The attribute
// with the greatest normalized penalty is tried first, the next one if a half breaks the
// condition. An attribute with a taxonomy is cut between children of the node that covers
// the class. A class is final when no attribute can be cut.
//
// Local recoding lowers the normalized certainty penalty,
//
//	J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. W.-C. Fu: Utility-Based Anonymization
//	Using Local Recoding. KDD 2006,
//
// by classes that grow greedily,
//
//	J.-W. Byun, A. Kamra, E. Bertino, N. Li: Efficient k-Anonymization Using Clustering
//	Techniques. DASFAA 2007.
//
// Departures from these papers are tested, by number, in deviations_test.go.
//
// Cost: medians O(n m log n) for n records and m attributes, local recoding 512 n m more: each
// level of the recursion passes over contiguous columns, which are partitioned with the
// records; both cores, and the partition does not depend on their number. Memory is linear
// in n m.
package mondrian
