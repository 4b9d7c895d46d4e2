// Package initialpartition divides a table into blocks of records whose
// quasi-identifiers are alike, each of which is l-diverse: the first step of ARP
// and of its rivals AIP and non-homogeneous generalization in
//
//	H. Zhu, S. Tian, G. Du, M. Xie: Anonymization on Refining Partition: Same
//	Privacy, More Utility. ComSIS 12(4), 2015, Section 4.1.
//
// What it promises: every record is in one block, no sensitive value has more
// than floor(m/l) of the m records of its block (so there are at least l values),
// and blocks that follow each other are neighbours in the order of the
// quasi-identifiers.
//
// What it refuses: tables without an l-diverse division, that is those in which one value
// has more than n/l of the n records. The error names the value and the greatest l.
//
// What it does not promise: that the division says nothing about the sensitive values.
// Merges depend on them, so an attacker who knows the algorithm learns that some part
// of a merged block was not l-diverse (minimality).
//
//	correlation.go  Algorithm 1: a level an attribute, in the order of phi^2
//	merges.go       Algorithm 1, lines 2-5: parts that are not l-diverse
//	mondrian.go     the other division, package mondrian's: halves, as long as both
//	                are l-diverse
//	parameters.go   the common parameters of the three methods
//
//	B, B_j      a range of Blocks.Member     l        Request.L
//	A_1, A_2..  Blocks.Order                 |NSAs|   len(Input.QuasiIdentifiers)
//
// Values of a numeric sensitive attribute that a threshold puts into one class
// (Section 3.1) count as one everywhere.
//
// Cost: Algorithm 1 is O(n) a level and attribute, and O(n log n) for merging;
// mondrian O(n d log n).
package initialpartition
