// Package sequence finds what the versions of a release that follows its table reveal
// together, and about whom. [Verify] recomputes the guarantees of a sequence at every
// refresh.
//
//  1. It imports and trusts no method, nor package dynamic, which makes the versions.
//  2. Unlike package privacy, it needs the private sides: only they tell which records
//     of two versions are the same person.
//  3. The observer learns whatever Verify reports that he learns, and may learn more: the comment of
//     observation names what he overlooks. So the shares are lower bounds, unless they are exact.
//  4. The size of a sequence's history does not grow with the number of versions. A
//     damaged history is an error.
//
// The guarantees are those of m-invariance, X. Xiao and Y. Tao (SIGMOD 2007), for
// releases with counterfeits.
//
// For a release by units they concern units (units.go). If several relations have quasi-identifiers, all are compared: a group that
// continues has the same tuples in each of them, and each has all records of the group (records.go). So the relations of several
// versions together reveal no more than those of one version.
package sequence
