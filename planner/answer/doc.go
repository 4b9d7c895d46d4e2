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
// Its steps: freeze.go gives subqueries and outer references their values; question.go
// turns the expressions into an estimate.Question; answer.go asks it, of the raw table too
// where that is compared; plain.go writes what the home of that table can answer itself;
// combined.go knows which intervals are the
// hard bounds; figure.go gives every figure the form of its type, which figure_type.go has decided when the statement was planned; note.go says in SHOW
// WARNINGS where the figures come from. EXPLAIN says on which way an estimate is
// answered (path.go). weighted.go has the aggregates over joins with the view, person_count.go
// COUNT as a sum of weights.
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
package answer
