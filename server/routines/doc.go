// Package routines stands around the engine's interpreter of stored procedures, which
// looks at no context, keeps what it read, and goes back to the first statement of a
// routine where it takes the end of rows for the end of a block.
//
// It promises:
//
//  1. A routine ends with its statement. Before each of its steps, be it a jump, the
//     statement's context is looked at (Run); no handler of the routine sees that end.
//  2. Cursors and queries that it left open are closed.
//  3. SELECT ... INTO takes one row, whenever it runs: two are an error, and none is for
//     the handlers of NOT FOUND, or a warning.
//  4. A name in a statement is a variable of the routine before it is a column, wherever it
//     stands; t.x is a column. Each CALL has parameters of its own.
//  5. A text of a routine that cannot be read is an error that names the routine and
//     says why (Unreadable), where the engine asks for no error.
//  6. A block that a handler or LEAVE ends is left with its handlers, and so are the blocks within. NOT FOUND has its handler
//     wherever that stands; SQLSTATE '02000' and error 1329 are NOT FOUND.
//  7. SIGNAL has the values of variables.
//
// It refuses, by name, the statements of handlers that the interpreter does not run
// (Handler), conditions that it does not know, and handlers within each other of which it would take the
// wrong one. It knows no accounts and no names of the catalog.
//
// # Where things are
//
//	run         a CALL, step by step; what it leaves open
//	looks       the step before each of a routine's statements, and how blocks are left
//	handlers    what a handler may do, and which one the interpreter finds
//	signals     SIGNAL
//	variables   their values in statements; DECLARE, SET and CALL as the interpreter runs them
//	sets        SET of several variables, and of the SQL mode
//	unreadable  a text that cannot be read, in CALL and in the lists of routines
package routines
