// Package columns gives columns of plans the types and values that they have in MySQL.
//
// A column of a UNION has a type that fits all branches; SUM and AVG are those of package totals; columns above get
// matching types; operands of arithmetic and comparisons with numbers become numbers; integers beyond BIGINT are
// errors. Columns of estimates are left alone.
//
// # Where things are
//
//	types          the walk over a bound plan, which adapts columns to the types of columns below
//	unions         types that fit all branches of a set operation
//	recursion      the types of a recursive query's dates
//	numbers        operands and arguments of operators as numbers
//	comparisons    in IN (SELECT ...), in filters, and in statements whose columns keep their types
//	query_rows     comparisons of row subqueries, column by column
//	collations     collations for sorting, grouping and looking up computed texts
//	german         collations that are refused
//	full_text      full-text indexes, which are refused
//	averages       digits of averages in further calculations
//	erased         keeps the engine from erasing a projection that rounds an average
//	quotients      digits of quotients in further calculations
//	distinct       ORDER BY columns of SELECT DISTINCT
//	literals       types of integer literals, BIGINT in results; DECIMALs that fit products
//	bytes          LIKE of bytes
//	shown          names in SHOW COLUMNS
//	variables      names that are system variables and not columns; variables in HAVING
//	whole_numbers  errors for integers beyond BIGINT
package columns
