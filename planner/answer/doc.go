// Package answer is the plan node that answers one SELECT's aggregates from a release,
// and all that happens when it runs.
//
// Principles:
//
//  1. An [Estimate] has no children: nothing below it can be executed row by row. Its
//     expressions are over the view's columns ([ViewColumn]) and over columns of an
//     outer query.
//  2. It answers for every release of every method in one way: an expression is split
//     into leaves over one fragment each, which the engine evaluates once per dictionary
//     value; package estimate does the rest.
//  3. A figure that one fragment decides is exact: it is the actual one, and has the
//     type that MySQL gives the aggregate. Every other figure is a DOUBLE.
//  4. Only ActualOutput and RelativeErrorOutput read the raw table. Who may ask for them
//     is decided where the node is made.
//  5. What the estimator cannot answer is an error 1235 with a way out ([Refuse]).
//
// It knows nothing of how a plan is recognised: its fields are set by package planner,
// and read by package plainsql.
//
// The life of an estimated COUNT when its statement runs is Estimate.answer (answer.go).
//
// What the figures are, N, S and Q being the expected number of records, sum
// and sum of squares of the argument where it is not NULL:
//
//	COUNT, SUM, AVG          N, S, S/N
//	VAR_POP, STDDEV_POP ...  Q/N - (S/N)^2 and its root; of a sample times N/(N-1)
//	MIN, MAX                 the least and the greatest value that a record has
//	                         in some table that agrees with the release, in the
//	                         order and the type of the argument
//	COUNT(DISTINCT x)        the expected number of different values
//
// All are the actual values where one fragment decides.
//
// # Where things are
//
//	estimate, aggregate, output, view_column  the node, its figures, its columns, and those of the view
//	freeze, collated, in_rows                 values of subqueries and outer references, their collations, and whether a value is among them
//	question                                  the expressions as an estimate.Question
//	answer, estimator                         asks it, of the raw table too where that is compared, and which estimator
//	plain                                     what the home of the raw table can answer itself
//	combined, coarse                          which intervals are the hard bounds; weights that are off
//	figure_type, figure, variables            the type of a figure when it is planned, and its form; what a session says of them
//	weighted, person_count                    aggregates over joins with the view; COUNT as a sum of weights
//	units, quotient                           numbers of units; intervals around quotients
//	note, explain, path                       SHOW WARNINGS, EXPLAIN, and the way that it shows
//	refuse                                    what is not answered
package answer
