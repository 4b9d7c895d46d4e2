// Package answers makes the engine answer as MySQL does.
//
// It promises one ordered list of rewrites (list.go): each has its reason, a probe that
// the bare engine answers wrongly, and one place in the life of a statement, which is its
// text, its tree, its bound plan or its finished plan. Nothing is rewritten while a plan
// is executed: an executor (walk.go) stands between the engine's analysis and its
// execution, and sees every finished plan once, those of a routine's statements too.
// Estimates are left alone; they read their expressions themselves.
//
// It refuses, by name, what the engine would panic on or never end, where it cannot be
// rewritten. It does not know accounts, connections or releases. It imports the engine,
// the planner for its Estimate, the names of marked arguments (functions/argument), and
// the rooms running, sqlerror and values.
//
//   - list.go, walk.go: the rewrites, and who does them
//   - tree.go: walks over the parser's trees; arguments of table functions
//   - like_escapes.go, regexp_operator.go, ifnull.go, casts.go, panics.go: operators and functions
//   - unions.go, set_operations.go, duplicates.go: set operations and DISTINCT
//   - subqueries.go, in_rows.go, join_keys.go: IN, EXISTS and joins
//   - group_keys.go, groups.go, concat.go: groups and their aggregates
//   - windows.go, window_order.go, window_frames.go: windows
//   - weight.go: what two texts share that their collation holds equal
//   - long_numbers.go, bounded_values.go: the sizes of values
//   - sized_texts.go, joined_texts.go, deviations.go, missing_functions.go, geometry_depth.go: functions in place of the engine's
//   - strict_updates.go, wrong_value.go: values that a column does not take
package answers
