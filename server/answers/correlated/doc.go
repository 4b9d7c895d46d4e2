// Package correlated answers subqueries that look at a row outside without reading
// their tables anew for every such row.
//
// It promises the rows that the engine's own plan gives, in their order:
//
//  1. A relation that does not depend on the row outside is read once (partition.go), and its rows
//     are kept by the values of a key. For a row outside the engine looks at the rows
//     of one key, which are all that an equation of the condition can hold for, and at
//     the whole condition still. That is done in subqueries that stay expressions
//     (subqueries.go), and in those of which the engine makes joins (joins.go).
//  2. A key is as coarse as the engine's equality, never finer (keys.go): it is made of whole
//     numbers and DECIMALs, of texts of one collation, and of times of one type. What else
//     is compared is left alone.
//  3. The value of a subquery is remembered by the values of the columns outside that it
//     reads (remembered.go).
//
// It refuses nothing. What it leaves alone: statements that change something (the list of
// package answers says so), whatever has another value every time that it is evaluated,
// variables, estimates, and lateral tables. What is not promised is how often an expression
// is evaluated: a division by 0 in a subquery may be warned of once, where it was for each
// row, and a comparison that fails ('a' with a DATE) for a row that an equation excludes
// fails no more. An index or another order of joins has the same effect, here and in MySQL.
package correlated
