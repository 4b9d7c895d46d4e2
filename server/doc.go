// Package server wires up the engine: it has the life of a server from start to end,
// and the path of a statement through the packages below.
//
// It promises:
//
//  1. A connection survives whatever a statement does. A panic becomes error 1105 with its
//     stack in the log, an interrupted statement becomes 1317, and a batch stops at its
//     first error, so that client and server never disagree about which answer comes next.
//  2. Several servers can run in one process (tests do). process.go owns the engine's
//     process-wide state (the parser, the rule that always runs, the authorization, the
//     system variables and so SET GLOBAL) and sets it once; each of these finds its server
//     through its statement.
//  3. Metrics and logs for operators (metrics.go, monitor.go) contain no value of a
//     table, and metrics contain no name either.
//  4. A server that others can reach has no account without a password, and no plain-text
//     connections (exposure.go). A client without TLS, where it is required, learns only
//     that it is required (authentication.go).
//
// Not promised: that the text of an engine's message stays the same, that an error after
// the first rows of a result reaches the client as more than a closed connection, or that
// a client older than the 4.1 protocol can connect.
//
// It may import every package except the commands; only commands and tests import it.
//
// # Where things are
//
//	run, config, instance, process, product  a server: its life, its options, its parts; process-wide state; anonsql's names in it
//	listener, tls, first_line, exposure      who can reach it, and what it reports of that at its start
//	owners                                   clients that another server has let in, and what runs beside
//	distributed                              tables that an engine keeps, and whose sessions reach them
//	authentication, logins, account_host  logging in, and the server's requirements for accounts
//	handler, timelimit, prepare, commits     a statement from packet to engine, and its end
//	workers, elsewhere, front, work          analysts' statements in worker processes: which, what is sent, what workers request, the worker itself
//	rules, execution                         hooks of the engine's analysis and execution
//	provider, processes          names, also misspelled ones, statements that run, and the server's state
//	audit, audit_digest                      entries of the audit log
//	metrics, monitor                         metrics for operators; the HTTP port with /metrics, /healthz and /readyz
package server
