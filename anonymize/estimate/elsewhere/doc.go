// Package elsewhere answers from relations that a distributed engine keeps because they are too large to be read.
//
// This package finds classes of tuples from the values of columns. The engine, a [figures.Elsewhere], counts records by class,
// group by group, and returns sums over groups of one size. These sums are integers, so that the same question has the same answer,
// in whatever order the engine works. Counts that no group of the release can have are an error. A question that the engine cannot
// answer fails with a [question.UnansweredError].
//
// # Where things are
//
//	elsewhere  a release whose relations another engine keeps, and the values of its columns
//	counter    the counter of a question
//	weights    sums of counts -> weights of combinations
//	linear     sums of arguments with many values, for a linear join
//	boxes      numbers of groups by their counts -> sums of boxes
//	sums       the same for SUM and AVG, with the values of records as integers
//	tables     completed tables, which the engine counts, too
//	counted    relations of cells read here, beside records of the others counted by group in the engine
package elsewhere
