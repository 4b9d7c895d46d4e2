// Package routines wraps the engine's interpreter of stored procedures, which ignores
// contexts, leaves cursors open, and jumps back to the first statement of a routine
// when it takes the end of rows for the end of a block.
//
// It promises:
//
//  1. A routine ends with its statement. Run checks the statement's context before each
//     step, jumps included. No handler of the routine catches that end.
//  2. Run closes the cursors and queries that the routine leaves open.
//  3. SELECT ... INTO takes exactly one row each time it runs. Two rows are an error. No row
//     is NOT FOUND if the routine has a handler for it, otherwise a warning.
//  4. In a statement, an unqualified name is a variable of the routine if there is one,
//     otherwise a column; t.x is a column. Each CALL has its own parameters.
//  5. A routine whose text cannot be parsed is an error that names the routine and the
//     reason (Unreadable). The engine ignores such errors.
//  6. When a handler or LEAVE ends a block, its handlers and those of inner blocks go out of scope. A handler for NOT
//     FOUND applies wherever it is declared; SQLSTATE '02000' and error 1329 are NOT FOUND.
//  7. SIGNAL evaluates variables.
//
// The package refuses, by name, handlers that the interpreter cannot run (Handler), unknown conditions, and nested
// handlers of which the interpreter would choose the wrong one. It knows no accounts and no catalog names.
//
// # Where things are
//
//	run         a CALL, step by step; closing the cursors and queries that it leaves open
//	looks       the step before each statement of a routine; leaving blocks
//	handlers    what a handler may do, and which one the interpreter finds
//	signals     SIGNAL
//	variables   their values in statements; DECLARE, SET and CALL as the interpreter runs them
//	sets        SET of several variables, and of the SQL mode
//	unreadable  a text that cannot be parsed, in CALL and in the lists of routines
package routines
