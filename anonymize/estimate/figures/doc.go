// Package figures makes COUNT, SUM, AVG, variances, numbers of values, standard errors, hard bounds and quotients
// of sums over groups, whoever formed these.
//
// What it takes is small: the expected number of records of every combination of classes
// ([Weights]); where the records that count for a key are a product of sets of classes, a [Box],
// whole numbers by size of group ([BoxSums]); what one group allows ([Span]); the number of records
// of every combination in every completed table ([TableCounts]). A [Counter] is who forms such sums
// for a question, an [Elsewhere] who is asked for them where the relations are too large to be read.
//
// It knows no tuple and no group, and adds up in an order that depends on nothing but its input: the same sums
// give the same figures. Counterfeits are told from real records here alone, by a [Thinning].
//
// # Where things are
//
//	counter        who counts for a question; what is asked of an engine that keeps the relations, and what it returns
//	weights        the expected number of records of every combination of classes
//	aggregate      weights -> COUNT, SUM, AVG per key
//	running        a figure while it is added up
//	boxes          the records that count for an aggregate and a key, as a product of sets of classes
//	box_sums       sums over groups, by box -> standard errors, bounds, numbers of values
//	families       boxes that an Elsewhere is asked for together
//	linear         COUNT, SUM and AVG of single columns: sums of arguments instead of classes
//	moments        what groups add up to for a figure -> standard errors and bounds
//	spans          what a group allows -> least and greatest sums
//	takes          what all groups allow, by value -> least and greatest means
//	chances        how many records have something: distributions
//	forged         counterfeits: figures of all records -> of the real ones
//	table_figures  completed tables' figures -> means and spreads
//	table_scatter  residuals of their figures, and quotients of sums
package figures
