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
// The life of an estimated COUNT while its statement is planned is recognise (rule.go). Joins below an aggregate take another way:
// one estimate with the needed columns as keys, under the weighted aggregates of package answer.
//
// # Where things are
//
//	rule, visit, exports                      the rule, its walk over a plan, and names of the rooms below
//	constants                                 values in the place of what is constant for a statement
//	scope                                     one SELECT: the nodes above the aggregation, and those below it down to the view
//	compose                                   expressions below in terms of the view's columns
//	above, companion, quotient                what is above, functions around a figure there, and quotients of figures
//	refuse, units                             what is not answered; columns that name units
//	retype, set_operation, create_table       types of figures in what is above, in branches of a UNION, in a table made of it
//	rollup, rollup_above, rollup_functions    GROUP BY ... WITH ROLLUP, over any table, as the UNION ALL of its levels
//	person_count                              anon_weight = 'on': a COUNT of records is the sum of weights
//	pertable, pertable_group                  which part of a SELECT runs on completed tables, and its keys and figures
//	join, join_rebuild                        joins below an aggregate, with weighted rows in the place of the view
//	having                                    names in HAVING that the SELECT list gives
//	padding, padded_queries                   spaces at the end of texts of releases
//	explain, rows_note                        CALL explain_sql; notes on what rows of a view are
package planner
