// Package server is the engine wired up: listener, TLS, accounts and grants,
// sessions, limits, and errors as MySQL numbers.
//
// Principles:
//
//  1. A connection survives whatever a statement does. A panic becomes error
//     1105 with its stack in the log, an interrupted statement becomes 1317,
//     and a batch stops at its first error, so that the client and the server
//     never disagree about which answer comes next.
//  2. An account sees what it was granted and no more. What the engine leaves
//     open to everybody is closed: files, global variables and other accounts'
//     statements in guard.go and processes.go, accounts of others in
//     account_statements.go, writing to system databases in authorization.go, names and definitions in visibility.go and showdatabases.go,
//     texts of any length in textsize.go, UNIONs of any width in union.go.
//  3. The engine's handler flattens errors to text. What has a MySQL number is
//     in the one table of errors.go, and nowhere else.
//  4. Several servers may run in one process (tests do). What the engine has
//     once for a process (the parser, the rule that always runs, the
//     authorization, the system variables) is set once in process.go and finds
//     its server through the statement that it is given.
//  5. A change of accounts is whole, stored and effective in every session, or
//     it did not happen (accounts.go). Who connects without TLS where it is
//     required learns nothing but that (authentication.go).
//  6. Figures and logs for those who operate the server (metrics.go, monitor.go)
//     have no value of a table; figures have no name either.
//  7. Who has not logged in takes nobody's place (room admission, listener.go,
//     logins.go). Where others can reach the server there is no account that is
//     open, and no plain text (room trivial, exposure.go).
//
// Not promised: that the text of an engine's message stays the same, that a
// statement of an account without privileges cannot use much time, that an
// error after the first rows of a result reaches the client as more than a
// closed connection (results.go), or that a client older than the 4.1 protocol
// can connect.
package server
