// Package differential is a test: it asks anonsql and a MariaDB the same random queries
// over the same tables, by the wire, and compares the values, and the types of the columns: whole numbers with and without
// a sign, decimals, times, texts and bytes.
//
// It promises that what both answer is equal, but for the differences that
// differences_test.go and types_test.go name, at most 20, each with its reason: most are those of MariaDB and
// MySQL 8, which anonsql follows. An error where the other answers is a refusal; refusals are counted, and at most
// one query in twenty may be one. Of what is said of columns, character sets and decimals of times are MariaDB's, and lengths are
// such that every value is within them. Over published views it asks questions that are exact,
// and compares with the raw table in MariaDB.
//
//	go test ./server/differential                                   the suite's queries
//	go test -run 'TestQueries|TestJoins|TestDefinitions' -timeout 0 -v ./server/differential -queries 100000 -seed 7
//	go test -run 'TestSuite$' -timeout 0 -v ./server/differential -suite /folder      another project's files of statements
//
// A seed is printed, and a query that differs is made smaller before it is shown.
//
// # Where things are
//
//	mariadb      a private server, on a socket of its own
//	grammar      random expressions, by their types
//	queries      random SELECTs of them
//	twins        figures that differ in one small part, side by side
//	differential, published  tables against tables, and published views against tables
//	view_and_table  a published view against the table of the same rows, both here
//	joins        joins and subqueries of small tables, whose conditions read what is outside
//	changes      sequences of INSERT, UPDATE, DELETE and ALTER TABLE
//	estimates, above_estimates  estimates against the means over completed tables, and queries of estimates against tables that have them
//	windows      windows over groups of a view against derived tables
//	matrix       every operation over every kind of value beside every other: a table, a published view, MariaDB
//	matrix_documents  the same of JSON, by MySQL's order of documents
//	coerced      comparisons and choices that they found, of a table and of a published view
//	values       values where another type is asked for
//	totals       aggregates over dates, times, members, bytes and texts
//	readings     columns that round, dates as numbers, numbers and texts as dates
//	known        what outside tests found, with MySQL's answers
//	tools        what Superset, Metabase, Grafana, Tableau, Power BI, Cube and dbt write (testdata/tools.sql)
//	suite        files of statements (testdata/suite), and those of other projects
//	compare      values that are equal
//	types        types of columns, and differences of those that are right
//	definitions  character sets of columns, decimals of times, and lengths, within which every value is
//	differences  those that are right
package differential
