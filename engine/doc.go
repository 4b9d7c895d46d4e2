// Package engine is the client of a distributed SQL engine: Trino.
//
//  1. A [Conn] sends a statement and hands over its rows as they come. It keeps none, so memory does not grow with them.
//  2. When the context ends, the statement ends in the engine.
//  3. An error of the engine's has its name and type, under the MySQL number that fits ([Error]). An engine that is not
//     reached is error 2003, one that leaves in the middle of a statement 2013; both name its address.
//  4. A password or token is read from its file with every request, goes to the engine's own address over TLS and nowhere
//     else, and is in no error and no log.
//
// It refuses credentials without TLS, answers that lead to another address, and parameters that it does not know.
//
// It imports Trino's client and the engine's errors.
//
// # Where things are
//
//	url     how the engine is reached
//	client  statements and their rows
//	transport  requests: credentials, and where they may go
//	told    errors as MySQL numbers
package engine
