// Package nonhomogeneous publishes every record beside l candidate values of its
// own:
//
//	W. K. Wong, N. Mamoulis, D. W. Cheung: Non-homogeneous Generalization in
//	Privacy Preserving Data Publishing. SIGMOD 2010,
//
// as H. Zhu, S. Tian, G. Du, M. Xie, "Anonymization on Refining Partition"
// (ComSIS 12(4), 2015), sets it beside ARP under the name NG. The records of a
// block of ARP's initial partition are arranged in a ring in which any l
// consecutive ones have different sensitive values; a record's candidates are
// the values of l consecutive ones, itself among them.
//
// What it promises: a record has l different candidates, and for who knows all
// quasi-identifiers, this algorithm and the rings, each is the true one with
// probability exactly 1/l. For all windows of a ring are turned by the same
// number of places, drawn from 0 to l-1: the release is the same whichever of the
// l turns was drawn from the l tables that differ by it, and these are equally
// likely, for records with the same value have random places.
//
// What it does not promise: that what is learned of one record stays with it.
// Who knows the value of one record of a ring knows the turn, and so the values
// of all its records; the facts say how many these can be. In a group of ARP what
// is known of one record leaves l-1 values for each of the others. Drawing among
// all ways to match records to candidates, in the place of l turns, would break
// the bound: for l = 3 and a long ring the middle candidate would be the true one
// with probability 1/sqrt(5) = 0.447. That the blocks depend on the sensitive
// values is as in package initialpartition.
//
// What is published: the paper's NG publishes for each record the sensitive value
// as it is beside quasi-identifiers generalized over l records. For an attacker
// who knows quasi-identifiers, and for the loss that the paper measures (GLP),
// that is the record beside the l values that may be its own, and so it is
// published: a group a record, its quasi-identifiers exact, its sensitive value a
// set of l. Verifier and estimator then need nothing of rings, and analysts get
// the quasi-identifiers unharmed.
//
//	ring.go     the arrangement
//	windows.go  the turn, and the cells of candidates
//
// Cost: O(n) behind the initial partition.
package nonhomogeneous
