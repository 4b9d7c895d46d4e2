// Package builtin is what a built-in function of MySQL's is here: its definition, and a
// call of it, which the engine evaluates like its own.
//
// It promises that a function whose Value is given is never asked with NULL: its answer is
// NULL then. A wrong number of arguments is refused by the function's name.
//
// # Where things are
//
//	call  definitions and calls
package builtin
