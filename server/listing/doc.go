// Package listing answers SHOW, EXPLAIN FORMAT=JSON and questions to
// information_schema, as MySQL's clients read them.
//
// It promises that a list shows what the session may see, and nothing else; that a view
// of a release looks like a view, though the engine knows it as a table (its rows are
// stored nowhere, and package planner answers its aggregates); and that types, defaults
// and collations are written as MySQL writes them. It reads no row of any table of an
// owner.
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
