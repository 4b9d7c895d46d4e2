// Package sqlerror says every error as MySQL would: with a number, a SQLSTATE and
// a sentence that clients know.
//
// It promises that
//
//  1. ToClient always returns a *mysql.SQLError;
//  2. an error has its number by its type wherever its type is left: those of our own
//     by Typed, those of the engine's kinds by Numbered, where a statement's rows leave
//     the engine;
//  3. what the engine makes a text of before that (it binds and analyzes a statement
//     where nobody sees the types of its errors) is recognised in the tables of
//     engine.go and nowhere else, for the version of the engine that go.mod names;
//  4. every row of those tables for the engine has a statement in the test that provokes
//     it, and every row for our own texts a case.
//
// It refuses nothing.
//
// # Where things are
//
//	numbers  the numbers that the server gives, and their SQLSTATE
//	errors   errors by their type; what a client is told
//	engine   the engine's errors, by kind or by text, and their wording
package sqlerror
