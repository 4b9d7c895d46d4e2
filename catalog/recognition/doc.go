// Package recognition remembers tables by sketches, and decides whether another table
// has the same records. The catalog asks it before a publication: a second grouping of
// people whose first one is public exposes them.
//
//  1. Names, order and types of columns do not matter. Columns are matched by their
//     values ([Table.Compare]); a number and its text are one value.
//  2. A sketch has some 10^5 bytes, whatever the table's size: for up to 128 sets of
//     columns, the combinations of values with the smallest keyed hashes and their
//     numbers of records; for every column, the smallest hashes of its values with
//     counts; for every value of a column of up to 256 values, the sum of the hashes of
//     its records' sensitive values. Row numbers are excluded.
//  3. Tables of different people are taken for copies with a probability below one in a
//     million for each set of columns (evidence.go), and one in 2^40 where counts
//     decide (counts.go, shapes.go). The rule for records holds for any two populations
//     whose records are drawn independently. Records filled by quota (so many of each
//     age) are not independent: their balanced columns are no evidence. The rule does
//     not cover tables that were matched to each other on purpose.
//  4. No column is a key: values that many records share get little weight.
//
// What a sketch reveals: without the key, how many records and values there are and how
// often the most and the least frequent of the sampled ones occur. With the key, which
// is in the same catalog, an attacker can test whether a guessed value or combination
// is among the sampled ones, which in a table of some hundred records are all. A sketch
// is private, like the raw table.
//
// docs/measured.md says what is not recognised; a test compares it with measurements.
//
// # Where things are
//
//	hash                 values as keyed numbers
//	table, sets          columns, and sets of them
//	sample, tabulate     combinations of values, counted
//	sketch               the stored sketch
//	codec                sketches as bytes
//	align, compare       matching columns; all comparisons
//	evidence             common records, or chance
//	classes, shapes      recoded columns
//	counters             row numbers
//	counts               equal frequencies
package recognition
