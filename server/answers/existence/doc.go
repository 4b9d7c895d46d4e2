// Package existence promises that EXISTS and NOT EXISTS are true and false, and nothing else:
// a condition that is unknown finds no row, an aggregate always has one, and LIMIT and UNION
// are within the subquery. The engine makes joins of both, and takes conditions that read no
// table of the subquery out of it, where unknown is unknown and no table is empty. A comparison
// with a subquery of several rows is an error, and no join; an outer join ON TRUE keeps its rows.
// A condition beside an outer join holds for the rows that this makes up, and one of columns
// outside a subquery is of no column inside, in ON as in WHERE ([Conditions]). A join within a subquery sees the row outside once ([StrippedOnce]).
//
// It refuses nothing.
package existence
