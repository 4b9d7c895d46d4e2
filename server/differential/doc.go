// Package differential is a test: it runs the same random queries over the same tables on anonsql and on a MariaDB, over
// the wire, and compares the values, and the types of the columns: signed and unsigned integers, decimals, times, texts
// and bytes.
//
// Answers of both must be equal, except for the at most 20 differences that differences_test.go and types_test.go list with
// reasons: most are differences between MariaDB and MySQL 8, which anonsql follows. An error where the other answers is a
// refusal; at most one query in twenty may be one. Character sets and decimals of times in column metadata equal MariaDB's, and
// no value exceeds the length of its column. Over published views it runs queries with exact answers, and compares them with the
// raw table in MariaDB.
//
//	go test ./server/differential                                   the suite's queries
//	go test -run 'TestQueries|TestJoins|TestDefinitions' -timeout 0 -v ./server/differential -queries 100000 -seed 7
//	go test -run 'TestSuite$' -timeout 0 -v ./server/differential -suite /folder      another project's files of statements
//
// The test prints its seed, and reduces a query that differs before it shows it.
//
// # Where things are
//
//	mariadb      a private server, on a socket of its own
//	grammar      random expressions, by their types
//	queries      random SELECTs of them
//	twins        figures that differ in one small part, side by side
//	differential, published  tables against tables, and published views against tables
//	view_and_table  a published view against the table of the same rows, both here
//	joins        joins and correlated subqueries of small tables
//	changes      sequences of INSERT, UPDATE, DELETE and ALTER TABLE
//	estimates, above_estimates  estimates against the means over completed tables, and queries of estimates against tables that have them
//	windows      windows over groups of a view against derived tables
//	matrix       every operation over every kind of value beside every other: a table, a published view, MariaDB
//	matrix_documents  the same of JSON, by MySQL's order of documents
//	coerced      comparisons and choices found by matrix, of a table and of a published view
//	values       values where another type is asked for
//	totals       aggregates over dates, times, members, bytes and texts
//	readings     columns that round, dates as numbers, numbers and texts as dates
//	known        what outside tests found, with MySQL's answers
//	tools        what Superset, Metabase, Grafana, Tableau, Power BI, Cube and dbt write (testdata/tools.sql)
//	suite        files of statements (testdata/suite), and those of other projects
//	compare      values that are equal
//	types        types of columns, and accepted differences
//	definitions  character sets of columns, decimals of times, and lengths, which no value exceeds
//	differences  accepted differences
package differential
