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
//     Router may take a command and answer it itself. The client sees one sequence of answers in the order of its
//     commands, even if it sends several at once. Upstream's transactions, prepared statements, temporary tables and
//     variables are not affected.
//  4. The router sees only the beginning of commands longer than Config.LongestRouted. After packets that the relay
//     does not understand (replication, a malformed answer, one that nobody expects), the connection only passes bytes on, without its router.
//  5. If upstream goes away, the client's connection ends, after error 1430 if an answer is open and can still take a
//     packet. If the client goes away, the upstream connection is closed at once, and an answer of the router is
//     cancelled; COM_QUIT announces this before the connection ends. After a further command, the relay reads nothing
//     more from the client until the answer has ended. Upstream ends the statement when it notices, as for a client of
//     its own: the relay has no account that could kill it. A client that reads nothing of its answer for 15 minutes has left, too.
//     If a client leaves in its login, the relay goes on with it until upstream refuses it: upstream counts logins that break off
//     (max_connect_errors). It does so, too, for a client that is silent there for nine seconds, before upstream's connect_timeout.
//  6. A router that panics ends its session, and no other.
//  7. Memory holds one chunk each way, and a command that the router has not seen yet: before upstream has accepted the login, no command. The relay
//     reads no further command while upstream owes 1,024 answers.
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
