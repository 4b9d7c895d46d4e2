// Package question represents a question to a release, and reduces values to classes.
//
// A [Question] has leaves over one fragment each, expressions over leaves, and
// aggregates. Two values of a column that look alike to it (same truth of its
// conditions, same key, same argument) are one class, so that counters look up numbers
// and evaluate nothing: [Classify] makes a [Side] of a fragment. Columns whose cells are
// points give every tuple one class. With generalized cells a tuple has shares of
// several classes: a [CellSide]. [Terms] are the contributions to the figures of a
// record with a combination of classes, one per side.
//
// Promises: an expression is evaluated once per value, or per combination of values where it
// reads several columns, never per record. One that fails for a value fails the question
// only if a record with that value is counted. A question that distinguishes more
// combinations than fit into some hundred megabytes fails with a [TooManyCombinationsError].
//
// Cost: linear in the values of the columns read and their cells. Tuples are read only
// if several columns have too many combinations of values.
//
// # Where things are
//
//	question         a question: leaves over one fragment, expressions over leaves
//	kind             the kinds of aggregates, and the order of their values
//	answer           answers and refusals
//	classify         which columns of a fragment are classified together
//	evaluate         fragment tuples -> classes, one look-up per touched column
//	side             the class of a tuple
//	cells            columns with cells: values -> classes, cells -> shares of classes
//	between          numbers that are between the values of a column
//	cells_axes       the values of one column, reduced by an expression over several
//	cells_side       fragments with cells: combinations of columns' classes
//	cells_occurring  those that occur, where there are many
//	cells_shares     tuples -> shares of classes
//	terms            the contribution of a record with a combination of classes to the figures
//	intern           tuples of values numbered densely
//	checkpoint       a check of the context every few milliseconds of work
package question
