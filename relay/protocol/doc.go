// Package protocol is what the relay understands of MySQL's client/server protocol: frames,
// the greeting, a client's login, and where the answer to a command ends.
//
//  1. It is pure: bytes go in, and nothing is read, written, logged or kept of them but counts and flags.
//  2. Framing does not depend on how the bytes were cut: Stream gives the same packets for every way
//     to feed them.
//  3. Answer follows the answers of MySQL 5.7 and later and of MariaDB 10 and later: text and binary
//     rows, with CLIENT_DEPRECATE_EOF and without, several results, LOAD DATA LOCAL, server-side cursors, prepared
//     statements, logins, progress reports, and metadata that the client has cached.
//  4. What it does not understand it says (Unknown), so that its caller can stop to rely on it.
//     Streams of replication are not understood.
//  5. Compression, query attributes, optional metadata and authentication by several factors change the
//     bytes in ways that are not followed. Hidden lists these flags: a greeting must not offer them.
//
// It imports the standard library only. Sources: MariaDB's knowledge base, "Clients and Servers Protocol";
// MySQL's internals manual, "Client/Server Protocol".
//
// # Where things are
//
//	flags      numbers of the protocol
//	numbers    length-encoded integers
//	stream     bytes as frames and packets
//	answer     where the answer to a command ends
//	greeting   what a server says first, and what of it the relay changes
//	login      what a client answers
//	compose    packets of our own
//	translate  packets of our own server, as the client has agreed with upstream
package protocol
