// Package protocol has the part of MySQL's client/server protocol that the relay understands:
// frames, the greeting, a client's login, and where the answer to a command ends.
//
//  1. It does no I/O: bytes go in, and it keeps only counts and flags.
//  2. Framing does not depend on chunks: Stream returns the same packets however its input is split.
//  3. Answer follows the answers of MySQL 5.7 and later and of MariaDB 10 and later: text and binary
//     rows, with CLIENT_DEPRECATE_EOF and without, several results, LOAD DATA LOCAL, server-side cursors, prepared
//     statements, logins, progress reports, and metadata that the client has cached.
//  4. It reports what it does not understand (Unknown), such as replication streams, so that
//     its caller can stop relying on it.
//  5. Compression, query attributes, optional metadata and multi-factor authentication change the bytes
//     in ways that it does not follow. Hidden lists these flags: a greeting must not offer them.
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
//	greeting   a server's greeting, and the relay's changes to it
//	login      a client's login
//	compose    packets of our own
//	translate  packets of our own server, translated to the capabilities that client and upstream agreed on
package protocol
