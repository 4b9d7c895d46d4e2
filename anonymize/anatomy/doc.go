// Package anatomy publishes a table as two: the quasi-identifiers of every
// record with its group, and the sensitive values of every group, none of them
// twice. It is
//
//	X. Xiao, Y. Tao: Anatomy: Simple and Effective Privacy Preservation. VLDB
//	2006,
//
// "AT" in the evaluation of
//
//	H. Zhu, S. Tian, G. Du, M. Xie: Anonymization on Refining Partition: Same
//	Privacy, More Utility,
//
// whose Algorithm 2, lines 4-9, is the same step on one block, and whose
// Definition 1 of l-diversity is what is promised.
//
// What it promises for every group of m records:
//
//	l  at least l different sensitive values, none in more than floor(m/l)
//	   records. In fact none is there twice, and there are floor(n/l) groups.
//
// Of several sensitive attributes their tuple is the value, or with sa_mode=each l
// holds for every one by itself (each.go); there may be fewer groups then.
//
// What it refuses: an l that no release of the table meets: H l > n with H the
// count of the most frequent value.
//
// What it does not promise: that 1/l bounds what an adversary comes to believe
// who learns from the whole release how values go with quasi-identifiers, nor
// that presence is hidden: the quasi-identifiers are published as they are.
//
// The steps, a file each:
//
//	anatomy.go     the method; sensitive values by a threshold
//	largest.go     group creation: l largest buckets, one record of each
//	residue.go     residue assignment: what is left, to groups that lack it
//	package locality  the alternative, homogeneous=true
//
//	T, n         Input.Rows
//	hash bucket  bucketization.Buckets
//	l, QI-group  parameters.l, Partition
//
// Departures are tested, by number, in deviations_test.go.
//
// Cost: O(n m) to number the tuples of m quasi-identifiers, O(n) for the groups;
// homogeneous ones take O(n m log n).
package anatomy
