// Package definitions makes CREATE TABLE and ALTER TABLE do what they do in MySQL.
//
// Principles:
//
//  1. Columns keep the details of their types that the engine would drop ([DeclareColumns]).
//  2. CREATE TABLE IF NOT EXISTS leaves an existing table unchanged, also with a query ([Existing]).
//  3. CREATE TABLE ... LIKE also copies key lengths and the comment ([Copied]).
//  4. A clause of ALTER TABLE sees the columns as changed by the clauses before it ([AsChanged]), and no other session sees an uncommitted default
//     ([NewDefault]).
//  5. ALTER TABLE recomputes generated columns whose values it may change, and defaults that the engine would compute differently ([Regenerated]).
//
// It refuses nothing. The list in package answers has a probe for each principle.
package definitions
