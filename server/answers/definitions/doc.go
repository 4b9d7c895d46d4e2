// Package definitions makes what CREATE TABLE and ALTER TABLE do what MySQL does.
//
// Principles:
//
//  1. Columns are declared with what the engine would forget of their types ([DeclareColumns]).
//  2. CREATE TABLE IF NOT EXISTS leaves a table that is there as it is, also with a query ([Existing]).
//  3. CREATE TABLE ... LIKE copies the lengths of keys, and the comment ([Copied]).
//  4. A clause of ALTER TABLE sees the columns as the clauses before it have left them ([AsChanged]), and no other session sees a default before it is
//     committed ([NewDefault]).
//  5. ALTER TABLE computes generated columns again whose values it may change, and defaults that the engine would compute otherwise ([Regenerated]).
//
// It refuses nothing. Probes of the list in package answers show each.
package definitions
