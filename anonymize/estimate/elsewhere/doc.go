// Package elsewhere answers from relations that are where they are too large to be read, in a distributed engine.
//
// Classes of tuples are found here, from the values of columns; the engine, a [figures.Elsewhere], counts
// records by class, group by group, and returns sums over groups of one size. These are whole numbers, so
// that the same question has the same answer, whatever the engine does first. Numbers that no group of the release has are refused.
// What is not answered there, a [question.UnansweredError] says.
//
// # Where things are
//
//	elsewhere  a release whose relations another engine keeps, and the values of its columns
//	counter    who counts for a question
//	weights    sums of counts -> weights of combinations
//	linear     sums of arguments with many values, for a linear join
//	boxes      numbers of groups by their counts -> sums of boxes
//	sums       the same of SUM and AVG: what records are worth, as whole numbers
//	tables     completed tables, which are counted there, too
//	counted    relations of cells are here, the others' records are counted there, by group
package elsewhere
