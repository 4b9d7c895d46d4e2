// Package listing makes the views of releases look like views to who lists tables:
// TABLES and VIEWS of information_schema, SHOW FULL TABLES, SHOW TABLE STATUS. The
// engine knows them as tables, since their rows are stored nowhere and their aggregates
// are answered by package planner.
//
// It promises that a row of such a list is changed or added only for a view of a release
// that the session may see, and it reads no row of any table.
//
// It imports catalog, which knows the views.
package listing
