// Package recognition remembers tables by sketches, and says of another table
// whether it has the same records. The catalog asks it before a publication: a
// second grouping of people whose first one is known exposes them.
//
//  1. Names, order and types of columns do not count. Columns are matched by their
//     values ([Table.Compare]); a number and its text are one value.
//  2. What is kept of a table is some 10^5 bytes, whatever its size: for up to 128
//     sets of columns the combinations of values whose keyed hashes are the least,
//     with the number of records of each; of every column the least hashes of its
//     values with counts; of every value of a column of up to 256 values the sum of
//     the hashes of its records' sensitive values. Row numbers are left out.
//  3. Tables of different people are not taken for copies, but with a probability
//     below one in a million for each set of columns (evidence.go) and one in 2^40
//     where counts decide (counts.go, shapes.go). The rule for records holds for any
//     two populations whose records are drawn independently. A table that was filled
//     by quota (so many of each age) was not: its balanced columns are no evidence.
//     Tables that were matched to each other on purpose are not covered.
//  4. No column is a key: values that many records have say little, and are weighed
//     so.
//
// What a sketch reveals: without the key, how many records and values there are and
// how often the most and the least frequent of the sampled ones occur. With the key,
// which is in the same catalog, whoever guesses a value or a combination can look
// whether it is among the sampled ones: all of a table of some hundred records. A
// sketch is private, like the raw table.
//
// What is not recognised: see docs/measured.md, which a test compares with what is
// measured.
//
// # Where things are
//
//	hash                 values as keyed numbers
//	table, sets          columns, and which of them go together
//	sample, tabulate     combinations of values, counted
//	sketch               what is kept
//	codec                as bytes
//	align, compare       which column is which; all comparisons
//	evidence             common records, or chance
//	classes, shapes      recoded columns
//	counters             row numbers
//	counts               equal frequencies
package recognition
