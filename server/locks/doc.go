// Package locks is GET_LOCK and what belongs to it: locks by names that clients choose.
//
// It promises that a lock is free when its session has released it, or has ended; that waiting for one ends with its statement;
// and that locks take little memory: a name has 64 characters at most, a session holds 1,000 locks at most, and a lock that is free is
// forgotten. Names are told apart without their case. These are MySQL's rules; the engine's own functions keep none of them.
//
// It refuses other names and more locks. It does not know when a session ends: who runs the server says it.
package locks
