// Package asn publishes every attribute in a table of its own, the baseline ASN
// as
//
//	L. Yao, Z. Chen, X. Wang, D. Liu, G. Wu: Sensitive Label Privacy
//	Preservation with Anatomization for Data Publishing. IEEE Transactions on
//	Dependable and Secure Computing 18(2), 2021,
//
// Section 6, describe and parametrize it for tables. (The original ASN, their
// reference [6], anonymizes social networks, with degrees and relations.)
//
// What it promises for every group g_j of n_j records:
//
//	gamma  <= alpha: the product, over all tables, of the greatest share that one
//	       value has of the group, is at most alpha (presence; Eq. (7) of the
//	       paper with k = the number of quasi-identifiers)
//	beta   no sensitive value has more than beta n_j records
//
// What it refuses: more than one sensitive attribute, a beta that no release of the
// table meets, and an alpha that it did not reach. The latter does not prove that no
// release reaches it.
//
// What it does not promise: that presence is hidden. Values are published unchanged,
// and a value that occurs once in the whole table reveals its owner's group.
//
// The steps: the balanced deal with beta (package bucketization), then merges until
// alpha holds, which are Algorithm 1, lines 20-41, of SLPPA without swaps (package
// slppa). ASN is SLPPA with one quasi-identifier per table, without SLPPA's bounds on
// sub-tuples (its alpha) and on the distance to the table (delta).
//
// Departures are tested, by number, in deviations_test.go.
//
// Cost: O(n m) for n records and m quasi-identifiers.
package asn
