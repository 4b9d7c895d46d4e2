// Package routines wraps the engine's interpreter of stored procedures, which ignores
// contexts, leaves cursors open, and jumps back to the first statement of a routine
// when it takes the end of rows for the end of a block.
//
// It promises:
//
//  1. A routine ends with its statement. Run checks the statement's context before each
//     step, jumps included; no handler of the routine catches that end.
//  2. Cursors and queries that it leaves open are closed.
//  3. SELECT ... INTO takes one row, whenever it runs: two are an error, and none is for
//     the handlers of NOT FOUND, or a warning.
//  4. In a statement, an unqualified name is a variable of the routine if there is one,
//     otherwise a column; t.x is a column. Each CALL has parameters of its own.
//  5. A routine whose text cannot be parsed is an error that names the routine and the
//     reason (Unreadable), where the engine ignores errors.
//  6. A block that a handler or LEAVE ends takes its handlers out of scope, as do the blocks within it. A handler for NOT
//     FOUND applies wherever it is declared; SQLSTATE '02000' and error 1329 are NOT FOUND.
//  7. SIGNAL evaluates variables.
//
// It refuses, by name, statements in handlers that the interpreter cannot run (Handler), unknown
// conditions, and nested handlers of which the interpreter would choose the wrong one. It knows no
// accounts and no names of the catalog.
//
// # Where things are
//
//	run         a CALL, step by step; cursors and queries that it leaves open
//	looks       the step before each of a routine's statements; leaving blocks
//	handlers    what a handler may do, and which one the interpreter finds
//	signals     SIGNAL
//	variables   their values in statements; DECLARE, SET and CALL as the interpreter runs them
//	sets        SET of several variables, and of the SQL mode
//	unreadable  a text that cannot be read, in CALL and in the lists of routines
package routines
