// Package syntax has the parser: the engine's, behind the checks of server/gate.
//
// No recursive code reads a text before server/gate has bounded it, whatever its origin. The queries that would be planned are counted
// before they are planned (planned.go). Parsing ends with its statement. A text outside the grammar is rewritten (extensions.go) or
// refused with what to write instead, and so is a text that the grammar misreads. Package answers has rewritten the tree that the parser
// returns, and the tree names the privileges that the server checks (privileges.go).
//
// The engine has one parser per process, and so has this package: ProcessParser. It
// refuses nothing for lack of privileges.
//
// # Where things are
//
//	parser                 the parser
//	privileges             the privileges that a statement needs
//	extensions             clauses that the grammar lacks: WITH ROLLUP, percentiles
//	bounds                 the variables that bound a text, and the errors of the gate
//	planned                the number and the width of the queries that a statement would plan
//	definitions, doubling  bounds of definitions in a statement; expressions that the engine evaluates twice
//	account_syntax         statements about accounts that the grammar misreads or lacks
//	elsewhere              syntax of other servers, and what to write in MySQL
package syntax
