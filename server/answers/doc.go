// Package answers makes the engine answer as MySQL does.
//
// It promises one ordered list of rewrites (list.go): each has its reason, a probe that
// the bare engine answers wrongly, and one place in the life of a statement, which is its
// text, its tree, its bound plan or its finished plan. Nothing is rewritten while a plan
// is executed: an executor (walk.go) stands between the engine's analysis and its
// execution, and sees every finished plan once, those of a routine's statements too.
// Estimates are left alone; they read their expressions themselves.
//
// It refuses, by name, what the engine would panic on or never end, where it cannot be rewritten. It does not know accounts, connections or releases.
//
// # Where things are
//
//	list, walk                            the rewrites, and who does them
//	tree                                  arguments of table functions
//	like_escapes, regexp_operator, scalars, casts, panics  operators and functions
//	unions, set_operations, duplicates    set operations and DISTINCT
//	subqueries, in_rows, join_keys        IN, EXISTS, HAVING and joins
//	concat, count_distinct                the marks that functions look for; COUNT(DISTINCT x)
//	group_keys, groups                    groups and their aggregates
//	windows, window_order, window_frames  windows
//	long_numbers, bounded_values          the sizes of values
//	sized_texts, joined_texts, deviations, missing_functions, geometry_depth  functions in place of the engine's
//	strict_updates, wrong_value           values that a column does not take
package answers
