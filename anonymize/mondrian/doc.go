// Package mondrian publishes equivalence classes of at least k records whose
// quasi-identifiers are generalized to what the class spans: multidimensional
// generalization,
//
//	K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Mondrian Multidimensional
//	k-Anonymity. ICDE 2006,
//
// with l-diversity and t-closeness in the condition for a cut, as Li et al. 2018
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
//	partition.go   the recursion: which attribute, where, whether
//	cut.go         medians: strict (values stay together), relaxed (they need not)
//	condition.go   k, l and t of the halves, in whole numbers
//	mondrian.go    the method
//
// An attribute is cut where the halves are as equal as its values allow, the one
// of greatest normalized penalty first, the next if a half breaks the condition.
// An attribute with a taxonomy is cut between children of the node that covers
// the class. Classes are final when no attribute can be cut.
//
// Cost: O(n m log n) for n records and m attributes: each level of the recursion
// passes over contiguous columns, which are partitioned with the records; both
// cores, and the partition does not depend on their number.
package mondrian
