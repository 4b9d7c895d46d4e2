// Package answer has the plan node that answers the aggregates of one SELECT from a
// release, and its execution.
//
// Principles:
//
//  1. An [Estimate] has no children, so the engine cannot execute anything below it row
//     by row. Its expressions read the view's columns ([ViewColumn]) and columns of an
//     outer query.
//  2. It treats the releases of all methods alike: it splits an expression into leaves
//     over one fragment each, which the engine evaluates once per dictionary value;
//     package estimate does the rest.
//  3. A figure that one fragment decides is exact: it equals the actual value, and has
//     MySQL's type of the aggregate. Every other figure is a DOUBLE.
//  4. Only ActualOutput and RelativeErrorOutput read the raw table. The maker of the
//     node checks that the account may ask for them.
//  5. A question that the estimator cannot answer is error 1235 with a way out ([Refuse]).
//
// It does not know how plans are recognised: package planner sets its fields, and
// package plainsql reads them.
//
// The life of an estimated COUNT when its statement runs is Estimate.answer (answer.go).
//
// Definitions of the figures, N, S and Q being the expected number of records, sum and
// sum of squares of the argument where it is not NULL:
//
//	COUNT, SUM, AVG          N, S, S/N
//	VAR_POP, STDDEV_POP ...  Q/N - (S/N)^2 and its root; of a sample times N/(N-1)
//	MIN, MAX                 the least and the greatest value that a record has
//	                         in some table that agrees with the release, in the
//	                         order and the type of the argument
//	COUNT(DISTINCT x)        the expected number of different values
//
// All figures are the actual values where one fragment decides them.
//
// # Where things are
//
//	estimate, aggregate, output, view_column  the node, its figures, its columns, and those of the view
//	freeze, collated, in_rows                 values of subqueries and outer references, their collations, and whether a value is among them
//	question                                  the expressions as an estimate.Question
//	answer, estimator                         answering it, also from the raw table for comparisons; the choice of the estimator
//	plain                                     questions that the home of the raw table can answer itself
//	combined, coarse                          intervals that are hard bounds; errors of rounded weights
//	figure_type, figure, variables            planned types of figures, their form; session variables for them
//	weighted, person_count                    aggregates over joins with the view; COUNT as a sum of weights
//	units, quotient                           numbers of units; intervals around quotients
//	note, explain, path                       SHOW WARNINGS, EXPLAIN, and the path of estimation that it shows
//	refuse                                    refusals
package answer
