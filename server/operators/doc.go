// Package operators has what package dialect writes as functions, because the grammar
// has no operator for it: assignments to variables within expressions (:=), and
// comparisons with any or all rows of a query. And it makes functions take ENUMs and SETs
// as texts (enums.go), where the engine gives them numbers.
//
// It promises MySQL's answers, NULL among them, and that a comparison reads the query's
// rows once where the query does not depend on the row outside. In which order the rows
// of a statement assign is not promised, as in MySQL.
package operators
