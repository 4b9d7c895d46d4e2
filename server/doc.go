// Package server is the engine wired up: one server's life from its start to its end,
// and the way of a statement through the rooms below.
//
// It promises:
//
//  1. A connection survives whatever a statement does. A panic becomes error 1105 with its
//     stack in the log, an interrupted statement becomes 1317, and a batch stops at its
//     first error, so that client and server never disagree about which answer comes next.
//  2. Several servers can run in one process (tests do). What the engine has once for a
//     process (the parser, the rule that always runs, the authorization, the system
//     variables, so SET GLOBAL too) has one owner, process.go, which sets it once; it finds
//     its server through the statement that it is given.
//  3. Figures and logs for those who operate the server (metrics.go, monitor.go) have no
//     value of a table; figures have no name either.
//  4. Where others can reach the server there is no account that is open, and no plain
//     text (exposure.go). Who connects without TLS where it is required learns nothing but
//     that (authentication.go).
//
// Not promised: that the text of an engine's message stays the same, that an error after
// the first rows of a result reaches the client as more than a closed connection, or that
// a client older than the 4.1 protocol can connect.
//
// It may import every room but those of the commands; nothing but commands and tests
// imports it.
//
// # Where things are
//
//	run, config, instance, process, product  a server: its life, its options, its parts; what a process has once; our names in it
//	listener, tls, first_line, exposure      who can reach it, and how they are told
//	owners                                   clients that another server has let in, and what runs beside
//	distributed                              tables that an engine keeps, and whose sessions reach them
//	authentication, logins, account_host  logging in, and what the server asks of accounts
//	handler, timelimit, prepare, commits     a statement from the packet to the engine, and its end
//	workers, elsewhere, front, work          statements of analysts in processes of their own: which, what is sent there, what they ask, the process itself
//	rules, execution                         what the engine asks us while it analyses and executes
//	provider, processes          names, also misspelled ones, statements that run, and the server's state
//	audit, audit_digest                      what the audit is told
//	metrics, monitor                         figures for who operates it, and what is there
package server
