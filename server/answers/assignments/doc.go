// Package assignments makes what UPDATE, INSERT and SET assign what MySQL makes of it.
//
// It promises that ON DUPLICATE KEY UPDATE computes what follows from its assignments, and refuses by name an UPDATE
// that assigns to one table under two names, of which the engine would lose one; and that SET and INTO give variables
// dates as texts. Probes of the list in package answers show all. It imports the engine, and room scalar.
package assignments
