// Package cdt publishes equivalence classes of dissimilar records. Several sensitive
// attributes, whose tuples stay together, stand beside generalized quasi-identifiers:
//
//	S. Subramanian, M. Fayaz A, S. Johnson, S. Thirumaaran: Clustering Dissimilar
//	Tuples: A Stronger Notion of Privacy (CDT).
//
// What it promises for every class: at least k records, and of every sensitive
// attribute no value in more than floor(m/l) of m records, nor in more than max_share
// of them. Package privacy recomputes both bounds for each attribute.
//
// What it does not promise: protection against an attacker who knows a sensitive value.
// The sensitive values of a record are published together, so one of them may reveal
// the others; the fact "linked sensitive values" says how often one value singles out
// its record. Nor are tuples of one class necessarily far from each other: the paper's
// distance decides which records come together, not how different they end up
// (deviation 115).
//
// What it refuses: k above the number of records, and an l or max_share that the whole table
// does not meet. Bounds that the whole table meets are always feasible, by a single class.
//
// Two variants:
//
//   - bounded, the default, cuts the quasi-identifiers as Mondrian does, as long as
//     both halves keep the promise.
//   - paper clusters the sensitive tuples around medoids by similarity, so that unlike
//     tuples come together, then the quasi-identifiers of each class by dissimilarity,
//     and merges classes until the promise holds.
//
// The steps, a file each, and the paper's symbols:
//
//	gower.go       e, w (Eq. 3, algorithm of 3.1.2), H (Eq. 5 to 7), 1 - H^2
//	points.go      distinct tuples with weights
//	medoids.go     3.1.6, as FastPAM1
//	sampling.go    the same for many tuples, as CLARA
//	silhouette.go  SW (Eq. 8)
//	stages.go      3.2.1 and 3.2.2: S, then Q inside each class of S
//	repair.go      merges; not in the paper
//	bounded.go     the recursion of the default variant; not in the paper
//	cuts.go        where a class is cut there
//	measures.go    UL, P(Q), P(S), P(D') (Eq. 9 to 16), privacy gain
//
// Departures from the paper are tested, by number, in deviations_test.go.
//
// Cost, for n records of q quasi-identifiers and s sensitive attributes: bounded O(q (q
// + s) n log n). paper, for every class: an exchange of a medoid O(P^2) for P <= 2,000
// distinct tuples, with some exchanges for every number of clusters up to kmax;
// O(kmax^2 P) for more. The work runs on all cores, and a release does not depend on
// their number.
package cdt
