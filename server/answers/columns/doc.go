// Package columns gives the columns of plans the types and values that MySQL's have.
//
// It promises that a column of a UNION has the type that all its branches fit, that SUM and AVG are those of totals,
// that what is above follows, that a number is calculated and compared with numbers, and that whole numbers beyond
// BIGINT are errors. Columns that have been numbers of estimates are left alone.
//
// # Where things are
//
//	types          the walk over a bound plan: what is above a column follows its type
//	unions         the types that all branches of a set operation fit
//	recursion      the types of a recursive query's dates
//	numbers        operands and arguments of operators as numbers
//	comparisons    of IN (SELECT ...), of what a node filters by, and of statements whose columns keep their types
//	query_rows     comparisons of rows that queries are, column by column
//	collations     by which computed texts are sorted, grouped and looked up
//	german         collations that are refused
//	full_text      full-text indexes, which are refused
//	averages       digits of averages that something is calculated of
//	erased         the engine erases no projection that rounds an average
//	quotients      digits of quotients that something is calculated of
//	distinct       the columns that a SELECT DISTINCT is ordered by
//	literals       whole numbers as they are written, BIGINTs in what is shown; DECIMALs that products fit
//	bytes          LIKE of bytes
//	variables      names of no column that are system variables, and variables in HAVING
//	whole_numbers  those beyond BIGINT are errors
package columns
