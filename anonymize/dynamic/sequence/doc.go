// Package sequence asks what the versions of a release that follows its table tell
// together, and about whom. [Verify] recomputes the guarantees of a sequence at
// every refresh.
//
//  1. It imports no method and trusts none, the makers of the versions (package
//     dynamic) included.
//  2. It needs the private sides, unlike package privacy: only they say who is the
//     same person in two versions.
//  3. What an observer is said to learn, he learns. What the observer overlooks is
//     said at observation, so the shares are lower bounds unless they are exact.
//  4. The history of a sequence has a size that does not grow with the number of
//     versions. A damaged history is an error.
//
// The guarantees are those of m-invariance, X. Xiao and Y. Tao (SIGMOD 2007), for
// releases with counterfeits.
//
// Of a release by units they are about units (units.go). Where quasi-identifiers are in several relations, all are compared: a group
// that continues has the same tuples in each, and each has the group's records (records.go), so that relations of several versions,
// put together, tell no more than those of one.
package sequence
