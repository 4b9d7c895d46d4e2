// Package mariadbtest starts a private MariaDB for tests.
//
// It promises a server of the test's own, in a directory of its own, that listens on a free port of 127.0.0.1
// and on a Unix socket, and is gone when the test is. Both sockets listen before the server runs: who connects
// waits in their queue until it answers, so nobody waits for it by looking. A test is skipped where Debian's
// mariadb-server is not installed, unless ANONSQL_TESTS says that it fails then.
//
// It knows neither the product nor a client.
package mariadbtest
