// Package windowing writes SELECTs that look through windows in a form that the engine
// answers as MySQL does.
//
//  1. A window that looks at groups, as RANK() OVER (ORDER BY COUNT(*)) or a share of a total,
//     COUNT(*) / SUM(COUNT(*)) OVER (), looks at a derived table: SELECT ... OVER (...) FROM (SELECT
//     keys, aggregates FROM ... GROUP BY ... HAVING ...) AS __anon_grouped. The engine knows no
//     other. A published view needs nothing of its own for it: the derived table is
//     estimated, and the windows look at its figures.
//  2. The definition of a named window stands where it is used. The engine gives OVER w the
//     frame of OVER (), which is all rows, whatever the order of w.
//  3. CUME_DIST is two counts, and NTH_VALUE a function of this package. LAG, LEAD, FIRST_VALUE and
//     LAST_VALUE OVER () have a partition, without which the engine panics.
//  4. ORDER BY a window of the SELECT list is by its place.
//  5. A window in an aggregate or a window, and groups and windows in the recursive part of a recursive query, are refused.
//
// It refuses by name a window over groups beside *, and what MySQL refuses of names of
// windows and in HAVING.
package windowing
