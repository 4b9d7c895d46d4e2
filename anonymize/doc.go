// Package anonymize is the library under anonsql: it turns microdata (a table
// about people) into a release that others may analyse. It knows nothing of
// SQL, servers or storage and imports the standard library only.
//
// Principles:
//
//  1. One release model for all methods. A [Release] is a set of groups
//     (equivalence classes, buckets) published as one or more [Fragment]s,
//     relations (gid, columns..., count). Inside a group the fragments are not
//     linked to each other.
//  2. A [Cell] of a fragment is a distribution over its column's values: a
//     point for the bucketization methods, an interval, a set or a weighted
//     set for the others.
//  3. A method sees raw rows and returns a release; the estimator sees only a release.
//     No package under estimate imports a method.
//  4. A method promises ([Promise]); package privacy recomputes every promise
//     from the release alone and does not trust the method.
//  5. Everything is dictionary-encoded: a [Column] is a sorted dictionary of distinct
//     values and one code per row. Methods count codes instead of comparing values.
//  6. A parameter is declared once ([Param]), with its name, values, default and text. It
//     reads its value from the [Settings] of a run, which [Method.Run] has checked.
//  7. Randomness is an argument. No code of the package logs, sleeps, opens a file or
//     reads a clock.
//
// What it refuses: thresholds as binary floats (they are [Ratio]s), panics on
// user input, and a release whose promise was not recomputed.
package anonymize
