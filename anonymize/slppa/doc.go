// Package slppa publishes a table by anatomization into several tables, so that
// every group of records meets the (alpha, beta, gamma, delta) privacy model of
//
//	L. Yao, Z. Chen, X. Wang, D. Liu, G. Wu: Sensitive Label Privacy
//	Preservation with Anatomization for Data Publishing. IEEE Transactions on
//	Dependable and Secure Computing 18(2), 2021.
//
// The quasi-identifiers are divided into k tables, and the sensitive attribute has a
// table of its own. The records are divided into groups; inside a group the rows of the
// tables are not linked.
//
// What it promises for every group g_j of n_j records (Section 4.2):
//
//	alpha  Eq. (3)  no sub-tuple of a QI table has more than alpha n_j records
//	beta   Eq. (5)  no sensitive value has more than beta n_j records
//	gamma  Eq. (7)  the product of these k+1 greatest frequencies is <= gamma
//	delta  Eq. (8)  the share of each sensitive value, in the group and in the
//	                table, differ by at most delta; also for absent values
//
// Several sensitive attributes count as one, whose value is their tuple. With
// sa_mode=each, beta, gamma and delta hold for each of them separately (each.go).
//
// What it refuses: thresholds that no release of the table meets. Then the error names the value that prevents it
// and the smallest possible threshold.
//
// What it does not promise: that presence in the table is hidden. Sub-tuples are
// published unchanged, and one that occurs once in the whole table reveals its owner's
// group; the release's facts say how many such sub-tuples there are.
//
// The steps, a file each, with the paper's letters:
//
//	table_division.go  Section 4.3.1: weights W_Qr, phi^2, k tables
//	feasibility.go     the exact condition for alpha, beta and delta
//	group_division.go  Section 4.3.2, steps 1-3, as a balanced deal into G groups,
//	                   or as groups of records that are alike (package locality)
//	paper_order.go     steps 1-3 as printed: Algorithm 1, lines 1-19
//	repair.go          step 4: which groups break alpha or gamma
//	swaps.go           exchanging records of equal sensitive value
//	merges.go          Algorithm 1, lines 20-41, in time linear in the rows
//
//	T, M (4.4: L)      Input.Rows = n       c_j^i  greatest count of table i in g_j
//	g_j, n_j           Partition            c_j    greatest count of the SA in g_j
//	bucket             records of one SA value; BuckList = Buckets.List
//	N                  paperGroupSize       k      parameters.tables
//
// Package bucketization has the numbered sub-tuples, the buckets, the balanced deal and
// the published tables.
//
// Departures from the paper are tested, by number, in deviations_test.go and
// homogeneous_test.go.
//
// Cost: O(n m) for entropies and sub-tuples, O(n m^2) increments for phi^2 of m
// attributes, O(n k) for everything else. Nothing sorts all rows by comparison.
// Homogeneous groups take O(n m log n).
package slppa
