// Package assignments makes what UPDATE and INSERT assign to columns what MySQL makes of it.
//
// It promises that ON DUPLICATE KEY UPDATE computes what follows from its assignments, and refuses by name an UPDATE
// that assigns to one table under two names, of which the engine would lose one. Probes of the list in package
// answers show both. It imports the engine alone.
package assignments
