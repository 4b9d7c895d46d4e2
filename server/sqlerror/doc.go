// Package sqlerror turns every error into one of MySQL: with a number, a SQLSTATE and a
// message that clients know.
//
// It promises that
//
//  1. ToClient always returns a *mysql.SQLError;
//  2. the type of an error decides its number, where the type survives: our own errors
//     by Typed, the engine's kinds by Numbered, where a statement's rows leave the
//     engine;
//  3. errors that the engine turns into texts earlier (while it binds and analyzes a
//     statement) are recognised only by the tables of engine.go, for the version of the
//     engine in go.mod;
//  4. a test has, for every row of those tables, a statement that provokes the engine's
//     error, or a case for our own text.
//
// It refuses nothing.
//
// # Where things are
//
//	numbers  the numbers that the server gives, and their SQLSTATE
//	errors   errors by their type; the error sent to a client
//	engine   the engine's errors, by kind or by text, and their messages
package sqlerror
