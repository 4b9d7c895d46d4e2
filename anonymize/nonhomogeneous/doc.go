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
// What it promises: a record has l different candidates. To an attacker who knows all
// quasi-identifiers, this algorithm and the rings, each of them is the true one with
// probability exactly 1/l. Proof: all windows of a ring are turned by the same number
// of places, drawn from 0 to l-1. The l tables that differ by such a turn, each with
// its own turn, give the same release, and they are equally likely, since records with
// the same value have random places.
//
// What it does not promise: independence of records. An attacker who knows the value of
// one record of a ring knows the turn, and so the values of all records of the ring;
// the facts say how many these can be. In a group of ARP, knowledge of one record
// leaves l-1 values for each of the others. Drawing among all matchings of records and
// candidates, instead of l turns, would break the bound: for l = 3 and a long ring the
// middle candidate would be the true one with probability 1/sqrt(5) = 0.447. The blocks
// depend on the sensitive values, as package initialpartition says.
//
// What is published: the paper's NG publishes for each record the sensitive value as it
// is beside quasi-identifiers generalized over l records. To an attacker who knows
// quasi-identifiers, and for the loss that the paper measures (GLP), that equals the
// record beside the l values that may be its own. This package publishes the latter:
// one group per record, its quasi-identifiers exact, its sensitive value a set of l. So
// verifier and estimator need not know rings, and analysts get exact quasi-identifiers.
//
//	ring.go     the arrangement
//	windows.go  the turn, and the cells of candidates
//
// Cost: O(n) after the initial partition.
package nonhomogeneous
