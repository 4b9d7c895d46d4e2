// Package pertable has the plan node that answers a query from every completed table of
// the releases that it reads, and its execution.
//
// Principles:
//
//  1. A [Query] holds a bound plan that reads published views. For every completed table
//     the views become ordinary tables with its rows ([catalog.CompletedTable]), and the
//     engine analyzes and runs the plan as any other: it answers whatever the engine can
//     answer on a table. Only completed tables, which are public, replace views.
//  2. All views of one release read the same completed table. A query over several releases runs
//     as often as the release with most tables requires; the others start again with their first.
//  3. Rows of the tables are matched by their keys, and figures combined as package
//     estimate does (Rubin, Multiple Imputation for Nonresponse in Surveys, 1987, equation
//     3.1.2): numbers are means over the tables. Package planner asks [Kinds] for the
//     [Kind] of every column.
//  4. If rows cannot be matched, completed table 1 alone answers, and the note says so.
//
// A Query has no children, so no rule of the engine outside moves anything into it or
// out of it. It reads no outer query.
//
// The life of such an answer is rows.collect (run.go): substitute.go puts the tables in,
// merge.go matches and combines, note.go reports it in SHOW WARNINGS.
package pertable
