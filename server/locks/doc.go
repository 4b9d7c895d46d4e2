// Package locks implements GET_LOCK and its companions: locks with names that clients choose.
//
// It promises that a lock is free when its session has released it, or has ended; that waiting for a lock ends with the statement;
// that sessions do not wait for each other (the last of a circle gets error 3058); and that locks take little memory: a name has at most
// 64 characters, a session holds at most 1,000 locks, and a free lock is forgotten.
// Case does not matter in names. These are MySQL's rules; the engine's own functions keep none of them.
//
// It refuses other names and more locks. It does not notice the end of a session: the server must call [Book.ReleaseAll].
package locks
