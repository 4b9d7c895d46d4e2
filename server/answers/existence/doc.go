// Package existence makes EXISTS and NOT EXISTS either true or false: an unknown condition finds no row, an aggregate always has one, and LIMIT and
// UNION belong to the subquery. The engine turns both into joins, and moves conditions that read no table of the subquery out of it, where unknown
// stays unknown and no table is empty. A comparison with a subquery of several rows is an error, not a join; an outer join ON TRUE keeps its rows.
// A condition beside an outer join also applies to the join's NULL rows, and a condition on outer columns of a subquery is not taken for one on
// inner columns, in ON and in WHERE ([Conditions]). A join within a subquery sees the outer row once ([StrippedOnce]).
// A random number or an assignment in a condition is computed for every row ([Varying]).
//
// It refuses nothing.
package existence
