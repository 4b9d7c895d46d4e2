// Package sqlerror says every error as MySQL would: with a number, a SQLSTATE and
// a sentence that clients know.
//
// It promises that ToClient always returns a *mysql.SQLError; that errors of our
// own types have their number by their type (Typed), wherever it is called before
// the engine makes a text of them; and that what the engine only says as text is
// recognised in one table (engine.go), for the version of the engine that go.mod
// names, with a statement that provokes each row in the test.
//
// It refuses nothing. It imports the engine for the kinds of its errors, and the
// rooms whose errors have a type of their own; no session, no connection, no SQL.
//
//	numbers    the numbers that the server gives, and their SQLSTATE
//	errors    errors of our own; what a client is told
//	engine    the engine's errors, by kind or by text, and their wording
package sqlerror
