// Package planes counts records of groups by bit planes, 64 groups at a time.
//
// A [Store] has the planes of a release. The [Counter] of a question whose conditions, keys and arguments read columns of points, with at
// most 256 combinations of classes, counts by a kernel where the groups are even enough; package groups counts the rest.
//
// # How
//
// The kernel does not look at single records. It may read an expression over several
// columns of a fragment if their dictionaries have at most some ten thousand
// combinations. It leaves a question to another counter that would need fewer
// operations. In all kernels a word holds one bit of 64 groups:
//
//   - Groups are ordered by size and taken 64 at a time. Record j of the 64 is
//     word j of the block, so that a fragment's records need no group starts.
//     Tuples are repeated by their count, which puts the records of all
//     fragments at the same places. (layout.go)
//   - A column of d values is held as ceil(log2 d) bit planes. A class of codes,
//     of one column or of several, is a decision diagram over these bits, run
//     over about 256 words at a time: "age > 30" costs at most 14 operations
//     for 64 records. This is the vertical layout of BitWeaving (Li and Patel,
//     SIGMOD 2013). (program.go)
//   - The words of a block are added up lane by lane with full adders. That
//     gives a_i of 64 groups as bit planes, and the sum over groups of prod(a_i)
//     is a sum of populations of their conjunctions, as in the bit-sliced
//     aggregates of O'Neil and Quass (SIGMOD 1997). (kernel_worker.go)
//   - The fragment with the fewest matches is counted first, and runs of blocks without
//     a match in it are skipped.
//   - If the records that a COUNT counts for a key are a box (a product of sets of classes,
//     one per fragment), standard errors and bounds are functions of the counts (m, a_1,
//     ..., a_f) of each group. The counts are unpacked in the same pass from the planes of
//     the estimate. All conjunctions of conditions inside fragments are boxes, whatever
//     their keys. A condition across fragments usually is none, and package groups counts
//     it.
//   - The sums are integers per group size. They are divided by m^(f-1) at the end, so
//     that an answer depends neither on the order nor on the number of cores.
//
// # Where things are
//
//	layout           which bit of which word is a record: 64 groups side by side
//	planes           a column of points, cut into the bits of its codes
//	store            the planes of a release, made when they are first touched
//	program          classes of codes -> operations on planes
//	counter          the counter of a question: a kernel, or package groups
//	kernel           when a kernel fits, and its parts
//	kernel_total     the sums over all groups, split over the cores
//	kernel_worker    the weights of all combinations, 64 groups at a time
//	kernel_boxes     the sets of classes of boxes
//	kernel_lanes     groups one by one: moments and bounds of their numbers
//	kernel_ranges    the bounds of the numbers of all combinations of two sides, 64 groups at a time
//	places           completed tables: the bits of places, and the rows of every combination of classes
package planes
