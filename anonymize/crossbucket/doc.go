// Package crossbucket divides a table twice: into equivalence groups of at least
// k records, whose quasi-identifiers are generalized alike, and across them into
// buckets, inside which quasi-identifiers and sensitive values are not linked:
//
//	B. Li, Y. Liu, X. Han, J. Zhang: Cross-Bucket Generalization for Information
//	and Privacy Preservation. IEEE Transactions on Knowledge and Data
//	Engineering 30(3), 2018.
//
// So k protects identity and l the sensitive value, independently: groups stay at k
// records however large l is.
//
// What it promises (Definition 10): at least k records with the same cells; and an
// attacker gives the sensitive value of any record a probability of at most 1/l, even
// if he knows everybody's quasi-identifiers and matches them with the cells of the
// whole release (the guarantee breach, where the proof is).
//
// What it refuses: several sensitive attributes, and H max(k, l) > n for n
// records of which H have the most frequent sensitive value. The error names the
// largest feasible parameter.
//
// What it does not promise: l values in a bucket. A bucket has about max(k, l)/k
// records. With l <= k that is one record, whose sensitive value stands beside its
// cells; only the group hides whose record it is. Nor does it protect against an
// attacker who knows sensitive values of others, or against one who gains from a group
// whose numeric values are close together.
//
// The published gid is the bucket. The equivalence group has no id: to an observer, all
// records with the same cells are one class.
//
// The steps, a file each, with the paper's names:
//
//	crossbucket.go  Algorithm 1; search says how its lots are found
//	assignment.go   Algorithm 2: sensitive sets, so that the rest stays divisible
//	eligibility.go  the same as a condition on any lot
//	order.go        the records in the order of a kd-tree
//	bottom_up.go    search=bottomup: lots of near records, leftovers to the parent
//	selection.go    search=kd: Algorithm 3 on one tree that is kept up to date
//	restarting.go   search=paper: Algorithm 3 as printed
//	pool.go         records to make a lot of
//	lot.go          select_tuples, and the order that Algorithm 4 cuts
//	space.go        what a record adds to the penalty of a group's cells
//	division.go     Algorithm 4: group sizes; Algorithm 5: buckets
//
//	T_gen       a lot: records of different sensitive values
//	S_set       values of the next lots     alpha, loop_num  how many lots
//	beta        records of a lot            diversity_num    parameters.g
//	EG          equivalence group, class    MB, B            bucket, gid
//	p(t,s)      breach                      T_ori            what is left
//
// Departures from the paper are tested, by number, in deviations_test.go.
//
// Cost: O(n d log n) to order n records of d quasi-identifiers. Then each record is
// compared with those of its leaf, some 800, or in a large pool with 256 of them. The
// release depends on the source of randomness and not on the number of cores.
package crossbucket
