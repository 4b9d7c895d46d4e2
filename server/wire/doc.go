// Package wire has the connection of a client: its packets, its session, and its running statement.
//
// No unbounded or malformed packet of a client reaches the protocol layer (packets.go, commands.go). A client gets an error wherever it can
// still read one. A statement is registered before it begins, and ends with its client, with KILL, or with the server (connections.go,
// watch.go). Answers are encoded as the client asked (encoding.go, results.go). If the process is short of memory, the session whose statement
// uses the most ends first (memory.go).
//
// It refuses packets, parameters, prepared statements and rows beyond their limits. It
// does not know privileges, the meaning of statements, or the server's configuration.
//
// # Where things are
//
//	packets, greeting, commands       a client's packets, one by one
//	execution                         values of parameters as they were sent
//	change_user                       another account over the same socket
//	owner                             clients that another server has authenticated
//	connections, idle, unread         connected clients
//	watch, watch_linux, watch_other   noticing that one has left
//	connection_limits                 the variables that bound connections
//	collation                         the collation in a greeting
//	encoding, results, definitions, widths, decimals  the session, the encoding of its answers, and column definitions
//	late_errors                       errors after rows
//	cursor                            server-side cursors
//	diagnostics                       SHOW WARNINGS and its numbers
//	session_clock                     SET timestamp
//	parameters                        parameters of routines, which the session keeps
//	prepared, memory                  prepared statements, and the guard of the process's memory
//	protocol_panics                   panics of the protocol layer
package wire
