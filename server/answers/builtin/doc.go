// Package builtin has definitions of MySQL's built-in functions, and calls of them,
// which the engine evaluates like its own.
//
// A Value function is never called with a NULL argument: the result is NULL then. A wrong
// number of arguments is an error that names the function.
//
// # Where things are
//
//	call  definitions and calls
package builtin
