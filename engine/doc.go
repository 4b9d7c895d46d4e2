// Package engine is the client of a distributed SQL engine: Trino.
//
//  1. A [Conn] sends a statement and hands over its rows as they come. It keeps none, so memory does not grow with them.
//  2. When the context ends, the statement ends in the engine.
//  3. An error of the engine's has its name and type, under the MySQL number that fits ([Error]). An engine that is not
//     reached is error 1429, one that leaves in the middle of a statement 1430; both name its address.
//  4. A password or token is read from its file with every request, goes to the engine's own address over TLS and nowhere
//     else, and is in no error and no log.
//
// It refuses credentials without TLS, answers that lead to another address, and parameters that it does not know.
//
// # Raw tables, and releases
//
// --engine gives sessions whose account has a privilege on a database trino.* a second home (source.For): tables.Home describes tables, reads
// columns up to a limit, and answers plain questions for actual values in the engine. A session gains or loses it with every statement, by its
// account's privileges (Config.Distributed). To raw tables goes nothing but SELECT.
//
// Larger tables are published there: enginePublication.publish in functions/in_engine.go is the walk. The home is a source.Publisher
// (releases.Home): engine/publication plans on counts, the engine gives every record its group by a closed form and writes the relations, and no
// record passes through here but those of a sample of whole groups: rows of relations, and for attacks rows of the table with their groups. The
// names of the relations carry the data directory's identity and the attempt; the release exists when
// catalog.Releases.Publish has stored its record with their place, in one SQLite transaction. catalog/distributed.go is what is different about such
// a release: a source.RelationStore (releases.Store), the server's own, reads its relations at first use, or counts them there
// (estimate.PrepareElsewhere, engine/estimates) when they are too many, and drops them when it goes; SweepWhenAsked drops what no record names.
//
// A release whose relations stay there is an estimate.Prepared too (package anonymize/estimate/elsewhere): engine/estimates writes its classes of
// values as ranges and lists of values, and has the engine add up products of counts, by class and group size. Relations of ranges, one row a group,
// are read; the records of the others are then counted by group and class (anonymize/estimate/elsewhere/counted.go), and the release with one tuple a
// class is asked as any other. Its relations are read page by page for who asks for their rows (relation.pages), and nothing of them is kept.
//
// A release that is read gets completed tables here, as any other. Of a larger one anonsql fits the model to a sample of whole groups, and the
// engine draws (engine/completion) one table more, that of completed tables: enginePublication.complete. An
// estimate.Completed asks it for the numbers of records by class and table
// (estimates.Store.Tables), of which all figures and spreads come as from tables that are here.
//
// # Where things are
//
//	url     how the engine is reached
//	client  statements and their rows
//	transport  requests: credentials, and where they may go
//	errors  errors as MySQL numbers
package engine
