// Package relay passes packets between clients and the owner's own MySQL or MariaDB server, the
// upstream server.
//
//  1. Clients see the upstream server's greeting, thread id, scramble, accounts and answers. Every client connection
//     has one upstream connection, and both end together. Bytes are unchanged, except the flags that Login names,
//     and the sequence numbers of a login if only one side has TLS.
//  2. The login passes through, whatever the plugin. No password is read, stored or logged. Clients are offered TLS
//     only if upstream is as safe: caching_sha2_password and others send the password itself under TLS, so TLS to a
//     client requires TLS upstream, or a Unix socket. If configured TLS is unavailable, the connection fails.
//  3. The relay knows where every command begins and where its answer ends (package protocol). Between two answers a
//     Router may take a command and answer it itself; the client sees one sequence of answers, in its own
//     order, also when it sends several commands at once. Upstream's transactions, prepared statements,
//     temporary tables and variables do not notice.
//  4. Commands longer than Config.LongestRouted are shown to the router in part. What is not understood
//     (replication, a malformed answer) is passed on, and that connection's router is asked no more.
//  5. When upstream goes away the client is told: between answers by the end of the connection, in an answer by
//     error 1430 if a packet can still be placed, otherwise by the end of the connection. When the client goes away the
//     upstream connection is closed at once, and what is answered here is cancelled; COM_QUIT says so before the connection ends. Who has
//     sent another command meanwhile is not read from before the answer has ended. The statement ends when upstream
//     notices, as it does for a client of its own: the relay has no account to kill it with.
//  6. A router that panics ends its session, and no other.
//  7. Memory holds one chunk each way, and a command that the router has not seen yet.
//
// It refuses clients older than MySQL 4.1. Compression, query attributes, optional metadata and several authentication
// factors are not offered. It knows nothing of anonsql: no engine, no catalog, no SQL. It imports the standard library
// and package protocol.
//
// # Where things are
//
//	relay     configuration, listeners, and the life of a connection
//	login     greeting, TLS on both sides, the client's login
//	session   what both directions of a connection share
//	commands  from the client: commands, files, passwords
//	answers   from upstream: answers, and its end
//	router    which side answers a command; answers of the router
//	ready     whether upstream takes connections
package relay
