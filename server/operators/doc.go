// Package operators has the functions that package dialect writes for operators that the grammar lacks: assignments
// to variables within expressions (:=), and comparisons with any or all rows of a query. It also passes ENUMs and
// SETs to functions as texts (enums.go); the engine passes numbers.
//
// Answers, including NULL, are MySQL's. A comparison reads the query's rows once if the
// query does not depend on the outer row. As in MySQL, the order in which the rows of a
// statement assign is undefined.
package operators
