// Package totals replaces the engine's SUM and AVG, which add DOUBLEs.
//
// Sums of integers and DECIMALs are exact, of any size, and have MySQL's type
// (planner/arithmetic); all other sums are DOUBLEs. DISTINCT compares numbers. An average
// of exact numbers has the digits with which MySQL calculates, more than the decimals of
// its type; the node that shows it rounds. The total of no numbers is NULL, over a window
// too. Adding integers allocates nothing while the sum fits a BIGINT.
//
// Its arguments are numbers: the maker of a Total converts them (scalar.Number).
//
// # Where things are
//
//	total   the aggregate and its type
//	exact   a sum of exact numbers
//	buffer  the total of one group
//	window  totals of frames
package totals
