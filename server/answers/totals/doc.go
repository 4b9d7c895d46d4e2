// Package totals has SUM and AVG in place of the engine's, which add DOUBLEs.
//
// It promises: sums of whole numbers and DECIMALs are exact, of any size, and have MySQL's
// type (planner/arithmetic); the sum of anything else is a DOUBLE. DISTINCT compares
// numbers. An average of exact numbers has the digits that MySQL calculates with, which
// are more than its type has places: what shows it rounds. NULL is the total of no numbers,
// over a window too. Whole numbers are added without an allocation as long as the sum is
// a BIGINT.
//
// It takes numbers: who makes a Total makes numbers of what its argument is (scalar.Number).
//
// # Where things are
//
//	total   the aggregate and its type
//	exact   a sum of exact numbers
//	buffer  the total of one group
//	window  totals of frames
package totals
