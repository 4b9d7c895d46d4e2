// Package wire is a client's connection: its packets, its session, and the statement
// that it runs.
//
// It promises that no byte of a client reaches the protocol layer unbounded or
// malformed (packets.go, commands.go); that an error is sent wherever a client can still
// read one; that a statement is registered before it begins and ends with its client, with
// KILL, or when the server stops (connections.go, watch.go); that answers are encoded as
// the client asked (encoding.go, results.go); and that the session whose statement takes
// the most ends first when the process is short of memory (memory.go).
//
// It refuses what does not fit: packets, parameters, prepared statements, rows beyond an
// account's limits. It does not know what an account may do, what a statement means, or
// how the server is configured.
//
// # Where things are
//
//	packets, greeting, commands       what comes from a client, packet by packet
//	execution                         values of parameters as they were sent
//	change_user                       another account over the same socket
//	owner                             who was let in by another server
//	connections, watch, idle, unread  who is connected, and who has left
//	connection_limits                 the variables that bound connections
//	collation                         what a greeting says of texts
//	encoding, results, definitions, widths, decimals  the session, how its answers are sent, and what is said of columns
//	late_errors                       errors behind rows
//	cursor                            rows that are fetched
//	diagnostics                       SHOW WARNINGS and its numbers
//	session_clock                     SET timestamp
//	parameters                        of routines, which the session keeps
//	prepared, memory                  what clients prepare, and the guard of the process
//	protocol_panics                   panics of the protocol layer
package wire
