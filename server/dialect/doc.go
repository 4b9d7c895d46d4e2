// Package dialect writes statements that clients send, and that the grammar lacks, as
// what the grammar has. The grammar is a library's, so its gaps are closed before it:
//
//  1. By tokens (server/gate), so that nothing in a string, a comment or a quoted name
//     is touched, in one pass over a statement, without recursion.
//  2. A text without any of these shapes is returned as it is. What is returned stays
//     the same when it is rewritten again.
//  3. The names of a result's columns are the client's text, not ours.
//
// It knows no plans and no accounts, and judges nothing: what it does not recognise is
// left to the parser.
//
// # Where things are
//
//	dialect, names         the pass, what is changed of a text, and where an expression ends
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
