// Package dialect rewrites statements that clients send and the grammar lacks into statements
// that it has. The grammar belongs to a library, so its gaps are closed before it:
//
//  1. It works on tokens (server/gate), so that strings, comments and quoted names stay
//     untouched, in one pass over a statement, without recursion.
//  2. A text without any of these constructs is returned unchanged. Rewriting is
//     idempotent.
//  3. The names of a result's columns are the client's text, not the rewritten one.
//
// It knows no plans and no accounts, and refuses nothing: it leaves to the parser what
// it does not recognise.
//
// # Where things are
//
//	dialect, names         the pass, changes of a text, and where an expression ends
//	escapes                {d '...'}, {fn ...} of ODBC and JDBC
//	literals               DATE '...', N'...', IS UNKNOWN, INTERVAL '1:30' HOUR_MINUTE, TRIM(LEADING FROM x)
//	functions              SUBSTRING(x FROM 2 FOR 3), INTERVAL(x, a, b)
//	assignments            @x := ... within an expression
//	quantifiers            = ANY (SELECT ...), > ALL (SELECT ...)
//	parentheses            (SELECT ...) ORDER BY, CREATE VIEW v AS (SELECT ...)
//	words                  names that are words of the grammar alone, or have letters beyond ASCII; SUM(ALL x), USE INDEX FOR JOIN, SELECT HIGH_PRIORITY
//	locks                  FOR SHARE OF t NOWAIT
//	definitions            ALTER VIEW, CONSTRAINT without a name, PARTITION BY and the like
//	statements             DO, HELP, CHECK TABLE, DROP VIEW v CASCADE, DESCRIBE t '%' and the like
package dialect
