// Package arp publishes a table in groups of exactly l records with l different
// sensitive values, alike in their quasi-identifiers:
//
//	H. Zhu, S. Tian, G. Du, M. Xie: Anonymization on Refining Partition: Same
//	Privacy, More Utility. ComSIS 12(4), 2015.
//
// The package has two methods: arp, and aip, which publishes the initial partition
// unrefined. The paper's third method, non-homogeneous generalization, is package
// nonhomogeneous.
//
// What they promise (Definition 1): a group of m records has at least l sensitive
// values, none of them more than floor(m/l) times. So an adversary who knows a person's
// quasi-identifiers assigns no value a probability above 1/l.
//
// Of several sensitive attributes arp takes the tuple as one value. With sa_mode=each
// it makes the promise for each of them separately (each.go). over=randomization and
// aip accept only one sensitive attribute.
//
// What they refuse: an l above n/H, H being the count of the most frequent value; a
// retention probability that breaks 1/l, or that needs groups with more values than the
// table has.
//
// What they do not promise: a bound on what an attacker learns from the release as a
// whole. Groups follow the quasi-identifiers and were formed by looking at the
// sensitive values. So a learning attack (deFinetti) and an attack that knows the
// algorithm (minimality) exceed 1/l.
//
// The steps, a file each, with the paper's letters:
//
//	package initialpartition  Section 4.1: Algorithm 1, and mondrian
//	refine.go                 Algorithm 2, lines 2-22
//	dealer.go                 lines 3-9: records of the largest buckets
//	residuals.go              lines 10-15: the records that are left
//	over.go                   line 23: the ways to anonymize a sub-block; ranges and
//	                          sets are package generalization's
//	randomization.go          over=randomization: retention probability p
//	package locality          homogeneous=true, not the paper's: groups along an
//	                          order of the records in the place of both
//
//	T, n     Input            B_i        blocks.Of(i)      l  refinement.size
//	R_B      residuals        Sub_B[j]   refined.Of(j)     r  refined.inserted
//
// Departures from the paper are tested, by number, in deviations_test.go, and
// its eight properties in properties_test.go.
//
// Cost: O(n d) for the blocks and O(n log n) for their merging, O(n log M) for the
// refinement with M sensitive values, O(n d) for what is published.
package arp
