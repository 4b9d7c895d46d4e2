// Package estimates makes a distributed engine count the records of a release whose relations it keeps: an [estimate.Elsewhere].
//
//  1. A question needs one statement for its figures, and one for each list of additional sums; reading the values of a column takes one more, once. Beside
//     relations of ranges, which are read instead, it needs one for each other relation that it touches: the records of groups, by class.
//  2. A statement reads only the relations of the [Store]'s release, tables (gid, columns..., count), and its completed
//     tables. No part of it is text of the analyst, and names come from the release.
//  3. Results are integers: numbers of records and of groups, and sums of their products over groups of one size. This package decides the
//     classes of values, and writes them as lists and ranges.
//  4. When the context ends, the statement ends in the engine.
//
// It refuses, by name, questions with more result rows than its limit, statements longer than the engine's limit, and values that do not
// belong to the relations' columns.
//
// # Where things are
//
//	store    values, weights and profiles: statements, and the decoding of answers
//	sums     sums of the values of records, also in the order of the values
//	query    the parts of statements: fragments counted by group, and joined
//	completed  records of completed tables, by class and draw
//	bygroup  records by group and class, for releases with relations of ranges
//	classes  values -> classes, as expressions
//	reduce   merging classes that no figure distinguishes
//	columns  how values of a type are read, compared and written
package estimates
