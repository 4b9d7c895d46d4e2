// Package plainsql writes a plan with estimates as plain SQL over the published
// relations, for CALL explain_sql.
//
// Principles:
//
//  1. [Write] gives one SELECT that means the same to this server, to MySQL and to
//     SQLite: run over the relations published.<release>_qi1, ..., _sa and _gid it has
//     the plan's rows, except for an unspecified order and for rounding errors.
//  2. An expression without a form that both dialects read alike is refused by name (error
//     1235). The output is right in both dialects, with one exception: texts of ordinary
//     tables are not examined, and a comment above the statement states the assumptions about
//     them.
//  3. Nothing is run, and the raw table is never read. An expression without a portable
//     form becomes the table of its values, computed on the dictionaries of the release,
//     as long as these have at most 100 values.
//
// It may import the node that it writes (package answer), releases (anonymize, catalog)
// and the engine. It does not know how plans are recognised.
//
// Steps, a file each:
//
//	select.go      the nodes of a plan as SELECTs inside each other
//	selection.go   a SELECT that is being put together
//	from.go        derived tables, ordinary tables, joins
//	setop.go       UNION and its like
//	estimate.go    an Estimate as an aggregate over the weighted join
//	aggregate.go   aggregates over weighted rows
//	group.go       GROUP BY over derived and ordinary tables
//	expression.go  logic and CASE
//	number.go      arithmetic and casts
//	subquery.go    subqueries in conditions
//	function.go    functions
//	compare.go     comparisons, by collation and type
//	literal.go     values
//	values.go      an expression without a portable form, as the table of its values
//	               per dictionary value
package plainsql
