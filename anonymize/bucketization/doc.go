// Package bucketization is the vocabulary of the methods that publish a table
// in groups whose sub-tuples are not linked (anatomization, slicing, and what is
// built on them): sub-tuples as numbers, records by sensitive value, partitions
// into groups, the balanced deal, and the fragments that come of a partition.
//
// Principles:
//
//  1. Counting, not comparing. A [Projection] numbers sub-tuples in the order of
//     their codes, so that sorting and grouping are counting in arrays.
//  2. A plan is made on the histogram: [LargestDeal] decides how many groups
//     there are from the counts of the sensitive values alone, [Deal] then
//     assigns records by rank.
//  3. What is published says nothing of the order of the table: [Publish]
//     numbers groups at random and stores sub-tuples by their codes.
//  4. Several sensitive attributes are one value, their tuple ([Combined]), or
//     protected each by itself ([Each]); a method says which it takes.
//  5. Tasks that run side by side (package parallel) draw no random numbers, so that a
//     release depends on its source and not on the number of cores.
//  6. Groups of several releases become one release as they are ([Unite]).
//
// What it refuses: tables of more than [MaxRows] records, several sensitive
// attributes for a method that takes one, and tables with a single sensitive
// value.
//
// Cost: O(rows) for each of these, times the columns for a Projection.
package bucketization
