// Package plainsql writes a plan with estimates as plain SQL over the published
// relations, for CALL explain_sql.
//
// Principles:
//
//  1. [Write] returns one SELECT that means the same to this server, to MySQL and to
//     SQLite. Over the relations published.<release>_qi1, ..., _sa and _gid it returns
//     the plan's rows, except for an unspecified order and for rounding errors.
//  2. An expression without a form that both dialects read alike is refused by name (error
//     1235). The output is right in both dialects, with one exception: texts of ordinary
//     tables are not examined, and a comment above the statement states the assumptions about
//     them.
//  3. The package runs nothing and never reads the raw table. An expression without a portable
//     form becomes the table of its values, computed on the dictionaries of the release,
//     as long as these have at most 100 values.
//
// It may import the node that it writes (package answer), releases (anonymize, catalog)
// and the engine. It does not know how plans are recognised.
//
// Steps, a file each:
//
//	select.go      the nodes of a plan as nested SELECTs
//	selection.go   a SELECT under construction
//	from.go        derived tables, ordinary tables, joins
//	setop.go       UNION, INTERSECT, EXCEPT
//	estimate.go    an Estimate as an aggregate over the weighted join
//	aggregate.go   aggregates over weighted rows
//	group.go       GROUP BY over derived and ordinary tables
//	expression.go  logic and CASE
//	number.go      arithmetic and casts
//	subquery.go    subqueries in conditions
//	function.go    functions
//	compare.go     comparisons, by collation and type
//	literal.go     values
//	values.go      an expression without a portable form, as a table of its results per
//	               dictionary value
package plainsql
