// Package clients is a test: stock clients in many languages ask one server the same, over an ordinary
// table and over a published release, and what they understood is compared with what is right.
//
// It promises, of every client of the matrix:
//
//  1. It prints lines of one form, and they are those of testdata/expected.txt. What a client has no call
//     for, and what it shows in another way, is in its entry (list_test.go) with the reason, and an entry
//     that says too much fails.
//  2. The figures in expected.txt are computed a second time from the published relations and the people,
//     by the formulas of docs/estimates.md, without the server's estimators (expected_test.go).
//  3. Models of completed tables, as docs/estimates.md fits them in Python and in R, give the figures that SQL has of these tables (models_test.go).
//  4. A client that is asked for and is missing is a failure, never a skip.
//
// Go's driver is always asked. ANONSQL_CLIENTS_DIR, an absolute path, is where clients/install has put others, and all of those are asked but
// the ones in Rust, which have to be compiled. -clients names others: always, all, or names with commas between.
//
//	clients/install DIR always
//	ANONSQL_CLIENTS_DIR=DIR go test -count=1 ./clients
//	clients/install DIR all
//	ANONSQL_CLIENTS_DIR=DIR go test -count=1 -v ./clients -clients pymysql,connectorj9
//
// testdata/ordinary.sql makes the tables that every client finds in a database of its own; testdata/expected.txt is
// what every client prints; the folders beside them have the clients' programs and pinned versions, a language each.
//
// # Where things are
//
//	matrix     the server, the programs, the comparison
//	list       which clients there are, and what is particular to each
//	expected   the figures, computed again
//	driver     the client in Go
//	models     the page's Python and R
package clients
