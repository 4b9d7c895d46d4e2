// Package question says what is asked of a release, and reduces values to classes.
//
// A [Question] has leaves over one fragment each, expressions over leaves, and
// aggregates. Two values of a column that look alike to it (same truth of its
// conditions, same key, same argument) are one class, so that whoever counts looks up
// numbers and evaluates nothing: [Classify] makes a [Side] of a fragment. Columns whose
// cells are points give every tuple one class; generalized cells are a maker of classes,
// too, of which a tuple has shares: a [CellSide]. [Terms] are what a record with a
// combination of classes, one a side, adds to the figures.
//
// Promises: an expression is evaluated once per value, or per combination of values where
// it reads several columns, never per record. One that fails for a value fails the question
// only where somebody counts a record with that value. A question that tells apart more
// combinations than some hundred megabytes hold is refused by a [TooManyCombinationsError].
//
// Cost: the values of the columns read, and their cells; tuples are looked at only where
// several columns have too many combinations of values.
//
// # Where things are
//
//	question         what is asked: leaves over one fragment, expressions over leaves
//	kind             the kinds of aggregates, and the order of their values
//	answer           what is answered, and what is refused
//	classify         which columns of a fragment are looked at together
//	evaluate         fragment tuples -> classes, one look-up per touched column
//	side             the class of a tuple
//	cells            columns with cells: values -> classes, cells -> shares of classes
//	between          numbers that are between the values of a column
//	cells_axes       what an expression over several columns makes of one's values
//	cells_side       fragments with cells: combinations of columns' classes
//	cells_occurring  those that occur, where there are many
//	cells_shares     tuples -> shares of classes
//	terms            what a record with a combination of classes adds to the figures
//	intern           tuples of values numbered densely
//	checkpoint       the context, looked at every few milliseconds of work
package question
