// Package estimates has a distributed engine count the records of a release whose relations it keeps: an [estimate.Elsewhere].
//
//  1. A question is one statement for its figures, and one for each list of sums beside them; the values of a column are one more, once.
//     Beside relations of ranges, which are not asked here, it is one for each other relation that the question reads: the records of groups, by class.
//  2. A statement reads the relations of the release that the [Store] was made for, tables (gid, columns..., count), and its
//     completed tables, and nothing else: no part of it is text of the analyst's, and names come from the release.
//  3. What comes back is whole: numbers of records and of groups, and sums of their products over groups of one size. Which values have which
//     class is decided here and written as lists and ranges of values.
//  4. When the context ends, the statement ends in the engine.
//
// It refuses, by name, questions of more rows than it reads and of statements longer than engines read, and values that are not those of the
// relations' columns.
//
// # Where things are
//
//	store    values, weights and profiles: what is asked, and how answers are read
//	sums     what records are worth, added up, and in the order of it
//	query    the parts of statements: fragments counted by group, and joined
//	completed  records of completed tables, by class and draw
//	bygroup  records by group and class, beside ranges that are not asked here
//	classes  values -> classes, as expressions
//	reduce   classes that nothing tells apart become one
//	columns  how values of a type are read, compared and written
package estimates
