// Package mondrian publishes equivalence classes of at least k records whose
// quasi-identifiers are generalized to what the class has: by local recoding, or by
// multidimensional generalization,
//
//	K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Mondrian Multidimensional
//	k-Anonymity. ICDE 2006,
//
// with l-diversity and t-closeness in the condition, as Li et al. 2018
// (cross-bucket generalization) compare themselves with it.
//
// What it promises for every class: at least k records; no sensitive value in
// more than floor(m/l) of m records, hence at least l values; a distance of its
// sensitive values to the table's of at most t (the ordered distance for a
// numeric sensitive attribute, else the equal one).
//
// Several sensitive attributes are one value, their tuple, or with sa_mode=each l
// and t hold for every one by itself: a cut must be allowed by all.
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
//	local_even.go      halves that meet l where no cut has any
//	local_block.go     the records that are compared with each other
//	local_grow.go      classes as small as k and l allow
//	local_compare.go   which record a class loses least by
//	local_classes.go   what a record more or less changes
//	local_same.go      classes with equal cells are one
//
// Medians: an attribute is cut where the halves are as equal as its values allow, the one
// of greatest normalized penalty first, the next if a half breaks the condition. An
// attribute with a taxonomy is cut between children of the node that covers the class.
// Classes are final when no attribute can be cut.
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
