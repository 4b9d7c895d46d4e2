// Package pertable is the plan node that answers a query from every completed table of
// the releases that it reads, and all that happens when it runs.
//
// Principles:
//
//  1. A [Query] holds a bound plan that reads published views. For every completed table
//     the views become ordinary tables with its rows ([catalog.CompletedTable]), and the
//     engine analyzes and runs the plan as any other: it answers whatever the engine can
//     answer on a table. Nothing else than completed tables, which are public, is read in
//     the place of a view.
//  2. Views of one release have the rows of the same table. A query over several releases
//     runs as often as the one with most tables has; the others begin again.
//  3. Rows of the tables are matched by their keys, and figures combined as package
//     estimate does (Rubin, Multiple Imputation for Nonresponse in Surveys, 1987, equation
//     3.1.2): numbers are means over the tables. Which column is what is decided by
//     package planner ([Kind]).
//  4. What cannot be matched is answered from completed table 1 alone, and the note says so.
//
// A Query has no children: no rule of the engine outside moves anything into it or out.
// It reads no outer query.
//
// The life of such an answer is rows.collect (run.go): substitute.go puts the tables in,
// merge.go matches and combines, note.go says in SHOW WARNINGS what was done.
package pertable
