// Package correlated answers correlated subqueries without reading their tables again
// for every outer row.
//
// It returns the rows of the engine's own plan, in their order:
//
//  1. A relation that does not depend on the outer row is read once, and its rows are partitioned
//     by a key (partition.go). For an outer row the engine evaluates the whole condition, but only
//     on the rows of one key: an equation of the condition excludes all others. This applies to
//     subqueries that stay expressions (subqueries.go), and to those that the engine turns into
//     joins (joins.go).
//  2. A key is never finer than the engine's equality (keys.go): it consists of integers and
//     DECIMALs, of texts of one collation, and of times of one type. Comparisons of other
//     types are left alone.
//  3. The value of a subquery is memoized by the values of the outer columns that it
//     reads (remembered.go).
//
// It refuses nothing. It leaves alone: statements that change data (see the list of package
// answers), nondeterministic expressions, variables, estimates, and lateral tables. It does
// not promise how often an expression is evaluated: a division by 0 in a subquery may cause
// one warning instead of one per row, and a comparison that would fail ('a' with a DATE)
// for a row that an equation excludes does not fail. An index or another join order has the
// same effect, here and in MySQL.
package correlated
