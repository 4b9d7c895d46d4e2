// Package planner recognises aggregate queries over a published view in the
// engine's plan and puts an [answer.Estimate] in their place.
//
// Principles:
//
//  1. An aggregate over a published view, or over joins of the view with ordinary
//     tables, is estimated from the release or refused by name, with the reason and a
//     way out. It is never computed from the rows of the preview: a check of the
//     finished plan (refuse.go) refuses whatever the recogniser missed. If the releases
//     have completed tables that answer in this session, a refused query runs on each
//     of them instead, and the answers are combined.
//  2. The recogniser works on the bound plan, before any of the engine's own rules. It
//     leaves statements without a published view alone, except WITH ROLLUP, at the cost
//     of two walks.
//  3. Every expression is evaluated by the engine itself, on dictionary
//     values: once per distinct value, never per row. So any function, cast
//     or collation that works on a table works on a published view.
//  4. An Estimate sees the release. Only ANON_ACTUAL and ANON_RELATIVE_ERROR
//     read the raw table, and only for accounts that may.
//
// The packages: this one changes plans and executes nothing. Package answer has the node
// and its execution. Package pertable has the node that runs a part of a plan on every
// completed table. Package plainsql writes a changed plan as plain SQL, for CALL
// explain_sql (explain.go). Package arithmetic knows exact numbers. Neither answer nor
// plainsql sees how a plan was recognised.
//
// The life of an estimated COUNT while its statement is planned is recognise (rule.go). Joins below an aggregate become one
// estimate with the needed columns as keys, under the weighted aggregates of package answer.
//
// # Where things are
//
//	rule, visit, exports                      the rule, its walk over a plan, and names of the packages below
//	constants                                 replacing expressions that are constant for a statement by values
//	scope                                     one SELECT: the nodes above the aggregation, and those below it down to the view
//	compose                                   expressions below in terms of the view's columns
//	above, companion, quotient                expressions above, functions around a figure there, and quotients of figures
//	refuse, units                             refusals; columns that name units
//	retype, set_operation, create_table       types of figures in nodes above, in branches of a UNION, in CREATE TABLE ... AS
//	rollup, rollup_above, rollup_functions    GROUP BY ... WITH ROLLUP, over any table, as the UNION ALL of its levels
//	person_count                              anon_weight = 'on': a COUNT of records is the sum of weights
//	pertable, pertable_group                  which part of a SELECT runs on completed tables
//	join, join_rebuild                        joins below an aggregate, with weighted rows in the place of the view
//	having                                    aliases of the SELECT list in HAVING
//	padding, padded_queries                   trailing spaces in texts of releases
//	explain, rows_note                        CALL explain_sql; the note that explains the rows of a view
package planner
