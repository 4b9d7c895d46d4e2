// Package planes counts records of groups by bit planes, 64 groups at a time.
//
// A [Store] has the planes of a release. The [Counter] of a question whose conditions, keys and
// arguments read columns of points, with at most 256 combinations of classes, counts by a kernel where the groups are
// even enough; package groups counts the rest. The sums are whole numbers by size of group, so that neither order nor number of cores shows.
//
// # How
//
// It answers questions whose conditions, keys and
// arguments read columns of points, with few combinations
// of classes, without looking at single records, but where another way would need
// fewer operations. An expression over
// several columns of a fragment is no exception where their dictionaries have at
// most some ten thousand combinations. What the kernels share is that a word
// holds one bit of 64 groups:
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
//   - The fragment with the fewest records is counted first, and blocks without
//     a match in it are left where enough of them are together.
//   - Where the records that a COUNT counts for a key are a box, a product of sets of
//     classes, one a fragment, standard errors and bounds
//     are functions of the counts (m, a_1, ..., a_f) of each group. The counts
//     are unpacked from the planes that the estimate is made of, in the same
//     pass. Boxes are all conjunctions of conditions inside fragments, whatever
//     their keys; a condition across fragments mostly is none and is left to package groups.
//   - The sums are integers per group size. They are divided by m^(f-1) at the
//     end, so that neither order nor number of cores shows in an answer.
//
// # Where things are
//
//	layout           which bit of which word is a record: 64 groups side by side
//	planes           a column of points, cut into the bits of its codes
//	store            the planes of a release, made when they are first touched
//	program          classes of codes -> operations on planes
//	counter          who counts for a question: a kernel, or package groups
//	kernel           when a kernel fits, and what it is made of
//	kernel_total     the sums over all groups, split over the cores
//	kernel_worker    the weights of all combinations, 64 groups at a time
//	kernel_boxes     the sets of classes that boxes ask
//	kernel_lanes     groups one by one: moments and bounds of their numbers
//	kernel_ranges    the bounds of the numbers of all combinations of two sides, 64 groups at a time
//	places           completed tables: the bits of places, and the rows of every combination of classes
package planes
