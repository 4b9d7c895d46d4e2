// Package planner recognises aggregate queries over a published view in the
// engine's plan and puts an [answer.Estimate] in their place.
//
// Principles:
//
//  1. An aggregate over a published view is estimated from the release or
//     refused by name, with the reason and a way out. So is one over joins of
//     the view with ordinary tables. It is never computed
//     from the rows of the preview: a check over the finished plan
//     (refuse.go) refuses whatever the recogniser left. Where the releases have
//     completed tables that answer in this session, what is refused runs on each of
//     them instead, and the answers are combined.
//  2. The recogniser works on the plan as it was bound, before any of the
//     engine's own rules, and leaves statements without a published view
//     alone at the cost of two walks, but for WITH ROLLUP.
//  3. Every expression is evaluated by the engine itself, on dictionary
//     values: once per distinct value, never per row. So any function, cast
//     or collation that works on a table works on a published view.
//  4. An Estimate sees the release. Only ANON_ACTUAL and ANON_RELATIVE_ERROR
//     read the raw table, and only for accounts that may.
//
// The rooms: this one changes plans and runs nothing. Package answer is the node and all
// that happens when it runs. Package pertable is the node that runs a part of a plan on
// every completed table. Package plainsql writes a changed plan as plain SQL, for
// CALL explain_sql (explain.go). Package arithmetic knows exact numbers. Neither answer
// nor plainsql sees how a plan was recognised.
//
// The life of an estimated COUNT while its statement is planned is recognise (rule.go).
// Its steps: constants.go puts values in the place of what is constant for a statement;
// scope.go takes one SELECT apart (the chain of nodes above the aggregation
// and the chain below it down to the view); compose.go rewrites every expression below
// in terms of the view's columns; above.go rebuilds what is above, and companion.go the
// functions around a figure there; refuse.go lists what is not answered; retype.go
// carries the types of the figures into everything above, set_operation.go into the
// branches of a UNION, create_table.go into the columns of a table made of it.
//
// GROUP BY ... WITH ROLLUP, over any table, is the UNION ALL of its levels before that
// (rollup.go, rollup_above.go); GROUPING and the marker that the parser writes for it are
// in rollup_functions.go.
//
// With anon_weight = 'on' a COUNT of records with weights is the sum of the weights before all this (person_count.go).
//
// What is left to completed tables is decided by runPerTable (pertable.go): which part of
// a SELECT runs on them, and which of its columns are keys and which are figures
// (pertable_group.go).
//
// Joins below an aggregate take another way: join.go finds them,
// join_rebuild.go puts weighted rows in the place of the view (one estimate
// with the needed columns as keys), under the weighted aggregates of package answer.
package planner
