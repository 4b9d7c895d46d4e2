// Package columns gives the columns of plans the types and values that MySQL's have.
//
// It promises that a column of a UNION has the type that all its branches fit, that what
// is above follows, that a number is calculated and compared with numbers, and that whole
// numbers beyond BIGINT are errors. Columns that have been numbers of estimates are left
// alone. It imports the engine, the planner (for CREATE TABLE ... AS SELECT), and the rooms
// server/answers/scalar and tree.
package columns
