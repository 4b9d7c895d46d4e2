// Package syntax is the parser: the engine's, behind the gate.
//
// It promises that nothing recursive reads a text before server/gate has bounded it,
// whichever way it came; that the queries that would be planned are counted before they
// are (planned.go); that parsing ends with its statement; and that a text that the
// grammar does not have is rewritten for it (extensions.go) or, like one that it takes for
// another, refused with what to write instead. The tree that it returns is rewritten (package answers), and asks for the privileges that
// the server checks (privileges.go).
//
// The engine has one parser for a process, and so has this room: ProcessParser. It
// refuses nothing for an account's sake.
//
// # Where things are
//
//	parser                 the parser
//	privileges             what a statement asks of the account
//	extensions             clauses that the grammar lacks: WITH ROLLUP, percentiles
//	bounds                 the variables that bound a text, and the errors of the gate
//	planned                how many queries a statement would plan, and how wide they are
//	definitions, doubling  how much one statement defines; what the engine evaluates twice
//	account_syntax         statements about accounts that the grammar misreads or lacks
//	elsewhere              what other servers write, and what MySQL writes
package syntax
