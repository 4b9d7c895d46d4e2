// Package cells answers questions over cells that stand for several values, from sums of probabilities. It also answers SUM, AVG, variances and
// numbers of distinct values over points, which are cells of one value.
//
// Cells that stand for several values are never expanded. Conditions, keys and
// arguments are evaluated once per value of a column; a cell's share in an outcome
// is a sum over its members, for a stretch of neighbours the difference of two
// sums; inside a tuple the columns are independent, so that shares multiply. An
// expression over several columns is best given as leaves over one each: then it
// is evaluated per combination of outcomes. Where conditions and keys are inside
// fragments and arguments read one column, a pass over the codes of the touched
// columns finds per group and fragment the sums of the tuples' p, p^2, E[X], E[X]^2
// and E[X^2], from which all figures follow.
//
// The costs of several aggregates add up: no combination of the values of several arguments
// is formed, unless one expression reads them all. With n tuples, g groups, v values of a
// column, wide intervals of up to v of them, and K keys: MIN, MAX, SUM, AVG and VARIANCE
// cost v for the column and n; COUNT(DISTINCT x) v log v, n and K v, and with several
// fragments per group the records that may have a value; keys of v different values, or an
// expression over columns of v and w, cost n v and n v w, and are refused beyond some ten
// million combinations.
//
// # Where things are
//
//	kernel    what a question must be
//	moments   moments of an argument over the members of cells
//	profile   the same over stretches of members, as differences
//	tuples    the sums of a group, over its tuples
//	worker    what they say of the group's records, and all groups
//	bounds    least and greatest sums
//	distinct  numbers of values: by stretches of equally likely ones
//	presence  the other fragments' classes in a group
//	places    cells -> stretches of an argument's values
//	counter   who counts for a question: sums -> figures
package cells
