// Package sqlite opens connections to SQLite and runs statements on them.
//
//  1. Connections have the engine's collations: SQLite compares and sorts texts as the
//     engine does ([Comparison]).
//
//  2. An acknowledged commit survives a power cut, deleted data are overwritten, and
//     readers keep their snapshot while one connection writes (dataSource has the
//     settings and their reasons).
//
//  3. A writing statement is not interrupted: SQLite would roll back the whole
//     transaction without telling ([Execute]).
//
//  4. Errors are SQLite's own; package fault gives them their meaning.
//
//  5. SQLite's temporary files contain rows, so they are unlinked files beside the
//     database, and disappear with their statement.
//
// It creates no other file than those it is told to open, holds no lock, and knows no table.
package sqlite
