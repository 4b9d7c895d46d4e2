// Package windowing rewrites SELECTs with windows into a form that the engine answers
// as MySQL does.
//
//  1. A window over groups, such as RANK() OVER (ORDER BY COUNT(*)) or a share of a total, COUNT(*)
//     / SUM(COUNT(*)) OVER (), becomes a window over a derived table: SELECT ... OVER (...) FROM
//     (SELECT keys, aggregates FROM ... GROUP BY ... HAVING ...) AS __anon_grouped. The engine
//     supports no windows over groups. Published views need no special case: the derived table is
//     estimated, and the windows read its figures.
//  2. The definition of a named window replaces its name. The engine gives OVER w the frame
//     of OVER (), which is all rows, whatever the order of w.
//  3. CUME_DIST is two counts, and NTH_VALUE a function of this package. LAG, LEAD, FIRST_VALUE and
//     LAST_VALUE OVER () have a partition, without which the engine panics.
//  4. ORDER BY a window of the SELECT list becomes ORDER BY its position.
//  5. A window in an aggregate or a window, and groups and windows in the recursive part of a recursive query, are refused.
//
// It refuses by name a window over groups beside *, and, like MySQL, wrong names of
// windows and windows in HAVING.
package windowing
