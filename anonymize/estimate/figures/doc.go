// Package figures turns sums over groups into COUNT, SUM, AVG, variances, numbers of values, standard errors,
// hard bounds and quotients.
//
// Its inputs are small: the expected number of records of every combination of classes ([Weights]);
// integers by size of group ([BoxSums]), where the records that count for a key are a product of
// sets of classes, a [Box]; the range that one group allows ([Span]); the number of records of every
// combination in every completed table ([TableCounts]). A [Counter] forms such sums for a question;
// an [Elsewhere] delivers them for relations that are too large to be read.
//
// It knows no tuple and no group, and the order of its additions depends only on its input: the same sums give
// the same figures. Only this package discounts counterfeits, by a [Thinning].
//
// # Where things are
//
//	counter        the counter of a question; requests to an engine that keeps the relations, and its answers
//	weights        the expected number of records of every combination of classes
//	aggregate      weights -> COUNT, SUM, AVG per key
//	running        a figure while it is added up
//	boxes          the records that count for an aggregate and a key, as a product of sets of classes
//	box_sums       sums over groups, by box -> standard errors, bounds, numbers of values
//	families       boxes requested together from an Elsewhere
//	linear         COUNT, SUM and AVG of single columns: sums of arguments instead of classes
//	moments        sums over groups -> standard errors and bounds of a figure
//	spans          ranges that groups allow -> least and greatest sums
//	takes          ranges that all groups allow, by value -> least and greatest means
//	chances        distributions of numbers of records
//	forged         counterfeits: figures of all records -> of the real ones
//	table_figures  completed tables' figures -> means and spreads
//	table_scatter  residuals of their figures, and quotients of sums
package figures
