// Package mariadbtest starts a private MariaDB for tests.
//
// The server belongs to the test, in a directory of its own. It listens on a free port of 127.0.0.1 and on a
// Unix socket, and ends with the test. Both sockets listen before the server runs: a client waits in their
// queue until it answers, so nobody polls. Without Debian's mariadb-server a test is skipped, or fails if
// ANONSQL_TESTS says so.
//
// It knows neither the product nor a client.
package mariadbtest
