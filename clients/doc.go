// Package clients is a test: stock clients in many languages run the same statements on one server, over an
// ordinary table and over a published release, and the test compares what they read with the right answers.
//
// It checks, for every client of the matrix:
//
//  1. It prints the lines of testdata/expected.txt. Its entry in list_test.go names the calls that it
//     lacks and the lines that it prints differently, with reasons; an entry that names too much fails.
//  2. The figures in expected.txt are recomputed from the published relations and the people, by the
//     formulas of docs/estimates.md, without the server's estimators (expected_test.go).
//  3. Models of completed tables, fitted in Python and in R as in docs/estimates.md, give the figures that SQL computes from these tables (models_test.go).
//  4. A requested client that is missing is a failure, never a skip.
//
// Go's driver always runs. ANONSQL_CLIENTS_DIR, an absolute path, is where clients/install has put others; all of them run except those in
// Rust, which must be compiled. The flag -clients chooses otherwise: always, all, or names separated by commas.
//
//	clients/install DIR always
//	ANONSQL_CLIENTS_DIR=DIR go test -count=1 ./clients
//	clients/install DIR all
//	ANONSQL_CLIENTS_DIR=DIR go test -count=1 -v ./clients -clients pymysql,connectorj9
//
// testdata/ordinary.sql makes the tables of every client's own database. The folders beside it have the clients'
// programs and pinned versions, one folder per language.
//
// # Where things are
//
//	matrix     the server, the programs, the comparison
//	list       the clients and their particularities
//	expected   the figures, computed again
//	driver     the client in Go
//	models     the page's Python and R
package clients
