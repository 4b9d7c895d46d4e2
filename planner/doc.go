// Package planner recognises aggregate queries over a published view in the
// engine's plan and puts an [Estimate] in their place.
//
// Principles:
//
//  1. An aggregate over a published view is estimated from the release or
//     refused by name, with the reason and a way out. So is one over joins of
//     the view with ordinary tables. It is never computed
//     from the rows of the preview: a check over the finished plan
//     (refuse.go) refuses whatever the recogniser left.
//  2. The recogniser works on the plan as it was bound, before any of the
//     engine's own rules, and leaves statements without a published view
//     alone at the cost of one walk.
//  3. Every expression is evaluated by the engine itself, on dictionary
//     values: once per distinct value, never per row. So any function, cast
//     or collation that works on a table works on a published view.
//  4. An Estimate sees the release. Only ANON_ACTUAL and ANON_RELATIVE_ERROR
//     read the raw table, and only for accounts that may.
//
// The life of a query: rule.go finds the aggregates; scope.go takes one SELECT
// apart (the chain of nodes above the aggregation and the chain below it down
// to the view); compose.go rewrites every expression below in terms of the
// view's columns; aggregate.go knows what can be estimated; estimate.go is the
// node; question.go turns its expressions into an estimate.Question (leaves over
// one fragment, expressions over leaves); figure_type.go says of what type a figure is,
// figure.go gives it that form; retype.go carries the types into
// everything above; note.go says in SHOW WARNINGS where the figures come from;
// refuse.go lists what is not answered.
//
// Joins below an aggregate take another way: join.go finds them,
// join_rebuild.go puts weighted rows in the place of the view (one estimate
// with the needed columns as keys), weighted.go has the aggregates over them.
//
// EXPLAIN says on which way an estimate is answered (path.go). CALL explain_sql
// writes the plan with its estimates as plain SQL over the published relations;
// plainsql.go lists these files.
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
package planner
