// Package sqlite opens connections to SQLite and runs statements on them.
//
//  1. Connections know the engine's collations: SQLite compares and sorts texts as the
//     engine does ([Comparison]).
//
//  2. An acknowledged commit survives a power cut, what is deleted is overwritten, and
//     readers keep their snapshot while one connection writes (dataSource has the
//     settings, with their reasons).
//
//  3. A statement that writes is not interrupted: SQLite would roll back the whole
//     transaction behind its owner's back ([Execute]).
//
//  4. Errors are SQLite's own; package fault gives them their meaning.
//
//  5. Temporary files of SQLite have rows in them: they are beside the database, without
//     a name, and go with their statement.
//
// It makes no other file that it was not told to open, holds no lock, and knows no table.
package sqlite
