// Package bucketization has the common parts of methods that publish a table in groups
// whose sub-tuples are not linked (anatomization, slicing and their descendants):
// numbered sub-tuples, records by sensitive value, partitions into groups, the balanced
// deal, and the fragments made of a partition.
//
// Principles:
//
//  1. Methods count instead of comparing. A [Projection] numbers sub-tuples in the
//     order of their codes, so that sorting and grouping reduce to counting in arrays.
//  2. Planning needs only the histogram: [LargestDeal] finds the number of groups from
//     the counts of the sensitive values alone, then [Deal] assigns records by rank.
//  3. A release reveals nothing about the order of the table: [Publish] numbers groups
//     at random and stores sub-tuples by their codes.
//  4. Several sensitive attributes count as one, whose value is their tuple ([Combined]),
//     or each is protected separately ([Each]). A method says which it accepts.
//  5. Tasks that run side by side (package parallel) draw no random numbers, so that a
//     release depends on its source and not on the number of cores.
//  6. [Unite] puts the groups of several releases into one release, unchanged.
//
// What it refuses: tables of more than [MaxRows] records, several sensitive attributes
// for a method that accepts one, and tables with a single sensitive value.
//
// Cost: O(rows) for each of these, times the columns for a Projection.
package bucketization
