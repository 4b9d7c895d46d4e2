// Package listing answers SHOW, EXPLAIN FORMAT=JSON and queries of information_schema,
// as MySQL's clients expect.
//
// A list shows only what the session may see. A view of a release looks like a view,
// although it is a table to the engine (its rows are stored nowhere, and package
// planner answers its aggregates). Types, defaults and collations are written as MySQL
// writes them. The package reads no row of an owner's table.
//
// # Where things are
//
//	views                    views of releases in TABLES, VIEWS, SHOW FULL TABLES, SHOW TABLE STATUS
//	information_schema       the database, made for every look
//	statistics               those that the engine plans with: none
//	columns, databases       SHOW COLUMNS, SHOW DATABASES
//	definitions              SHOW CREATE TABLE
//	processes                SHOW PROCESSLIST
//	limits                   the table of limits in the database anonsql
//	explain_json             a plan as one document
package listing
