// Package answers makes the engine answer as MySQL does.
//
// It has one ordered list of rewrites (list.go). Each rewrite has a reason, a probe that
// the bare engine answers wrongly, and one stage of a statement at which it applies:
// text, tree, bound plan or finished plan. Nothing is rewritten during execution: an
// executor (walk.go) between the engine's analysis and execution sees every finished plan
// once, including those of a routine's statements. Estimates are left alone; they
// evaluate their expressions themselves.
//
// It refuses, by name, statements on which the engine would panic or never end. It does not know accounts, connections or releases.
//
// # Where things are
//
//	list, walk                            the list of rewrites, and the executor that applies them
//	tree                                  arguments of table functions
//	like_escapes, regexp_operator, scalars, casts, panics  operators and functions
//	unions, set_operations, duplicates    set operations and DISTINCT
//	subqueries, in_rows, join_keys        IN, EXISTS, HAVING and joins
//	concat, count_distinct                the marker expressions that functions look for; COUNT(DISTINCT x)
//	group_keys, groups                    groups and their aggregates
//	windows, window_order, window_frames  windows
//	long_numbers, bounded_values          the sizes of values
//	sized_texts, joined_texts, deviations, missing_functions, geometry_depth  functions in place of the engine's
//	strict_updates, wrong_value           values that do not fit their column
package answers
