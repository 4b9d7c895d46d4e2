// Package anatomy publishes a table as two: the quasi-identifiers of every record with
// its group, and the distinct sensitive values of every group. It implements
//
//	X. Xiao, Y. Tao: Anatomy: Simple and Effective Privacy Preservation. VLDB
//	2006,
//
// which is called "AT" in the evaluation of
//
//	H. Zhu, S. Tian, G. Du, M. Xie: Anonymization on Refining Partition: Same
//	Privacy, More Utility.
//
// Algorithm 2, lines 4-9, of that paper is the same step on one block; its Definition 1
// of l-diversity is the promise of this package.
//
// What it promises for every group of m records:
//
//	l  at least l different sensitive values, none in more than floor(m/l)
//	   records. In fact no value occurs twice, and there are floor(n/l) groups.
//
// Several sensitive attributes count as one, whose value is their tuple. With sa_mode=each,
// l holds for each of them separately (each.go); there may be fewer groups then.
//
// What it refuses: an l that no release of the table meets, that is H l > n, H being
// the count of the most frequent value.
//
// What it does not promise: that 1/l bounds the belief of an adversary who learns from
// the whole release how values depend on quasi-identifiers; nor that presence is
// hidden, since the quasi-identifiers are published unchanged.
//
// The steps, a file each:
//
//	anatomy.go     the method; sensitive values by a threshold
//	largest.go     group creation: l largest buckets, one record of each
//	residue.go     residue assignment: the remaining records go to groups that lack their value
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
