// Package engine is the client of a distributed SQL engine: Trino.
//
//  1. A [Conn] sends a statement and streams its rows to the caller. It keeps none, so memory does not grow with them.
//  2. When the context ends, the statement ends in the engine.
//  3. An error of the engine keeps its name and type, with a fitting MySQL number ([Error]). An unreachable engine is
//     error 1429, and one that disappears during a statement is 1430; both name its address. A value that the client
//     cannot read is error 30001 and names its column. No error repeats the value.
//  4. Every request reads the password or token from its file again. It is sent only to the engine's own address over
//     TLS, and is in no error and no log.
//
// It refuses credentials without TLS, redirects to another address, and unknown parameters.
//
// # Raw tables, and releases
//
// --engine gives sessions whose account has a privilege on a database trino.* a second home of raw tables (source.For): tables.Home describes
// tables, reads columns up to a limit, and lets the engine answer plain questions for actual values. Before every statement the account's
// privileges decide whether the session has it (Config.Distributed). Raw tables get only SELECT statements.
//
// The engine publishes larger tables: start at enginePublication.publish in functions/in_engine.go. The home is a source.Publisher (releases.Home).
// engine/publication plans on counts; the engine assigns every record to a group by a closed form and writes the relations. Only the records of a
// sample of whole groups pass through anonsql: rows of relations, and for attacks rows of the table with their groups. The names of the relations
// carry the data directory's identity and the attempt. The release exists as soon as catalog.Releases.Publish has stored its record, with the place
// of the relations, in one SQLite transaction. catalog/distributed.go has what is special about such a release: the server's source.RelationStore
// (releases.Store) reads its relations at first use, or has the engine count them if they are too large (estimate.PrepareElsewhere,
// engine/estimates), and drops them with the release; SweepWhenAsked drops relations that no record names.
//
// A release whose relations stay in the engine is an estimate.Prepared, too (package anonymize/estimate/elsewhere): engine/estimates writes classes
// of values as ranges and lists, and the engine adds up products of counts by class and group size. Relations of ranges, with one row per group, are
// read; then the engine counts the records of the other relations by group and class (anonymize/estimate/elsewhere/counted.go), and the release with
// one tuple per class answers like any other. A query for the rows of its relations reads them page by page (relation.pages), and keeps none.
//
// A release that anonsql reads gets completed tables like any other. For a larger one, anonsql fits the model to a sample of whole groups, and
// the engine draws all completed tables into one more relation (engine/completion, enginePublication.complete). An estimate.Completed asks the
// engine for the numbers of records by class and table (estimates.Store.Tables), and computes figures and spreads from them as from local
// tables.
//
// # Where things are
//
//	url     the engine's address and credentials
//	client  statements and their rows
//	transport  requests: credentials, and where they may go
//	errors  errors as MySQL numbers
package engine
