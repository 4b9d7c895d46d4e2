// Package console is the console in the browser: published releases, what they promise, and questions to them, as
// pages that the program writes itself.
//
// Principles:
//
//  1. It gives no access that the MySQL port does not give. A user signs in with a MySQL account, and everything on a page
//     comes over an ordinary connection of that account. The server sees the browser's address as the client's, so hosts of
//     accounts, delays after wrong passwords and limits hold as at the MySQL port. The package imports nothing that could
//     reach tables, releases or privileges in another way (of methods it reads only the declarations of parameters); the
//     server refuses what the account may not do, with its number and text.
//  2. Beyond the loopback interface it speaks TLS or not at all. It refuses requests whose Host is not its own (names
//     that somebody else makes point here), and a session is for the address that it began at.
//  3. A password stays in memory as long as its session: until the user signs out, half an hour without use, or the end
//     of the server. Only saved questions, and a file while it is loaded, are written to disk.
//  4. Names and values of users are text, which html/template escapes. The Content-Security-Policy of every page
//     forbids inline scripts and styles, and everything that does not come from the console itself. The first page
//     of a report stands in the page of its release as the server wrote it, by the same rule. Every POST has a
//     token of its session.
//  5. Pages work without their scripts, which complete names while a user types a question, and show the progress of jobs.
//
// Every question has a connection of its own, closed after the answer, so no transaction, lock or variable remains. Package asking writes
// statements, package chart draws figures.
//
// # Where things are
//
//	console         configuration, listener, routes
//	guard           Host, headers, cookies, tokens, bounds of a request
//	crowd           limits of concurrent sockets and login attempts
//	session, sign   sessions; signing in and out
//	query           statements over the connection, their results as texts
//	release         the pages about releases: the first page of the report, questions, folded details
//	ask, builder    a question, and fields that write it
//	figures, export  its answer: figures with their errors, drawn; a file
//	saved           questions that accounts save; package book keeps them
//	publish, methods  a form for CALL anonymize; fields for parameters, as methods declare them
//	upload          files that browsers send
//	work            statements that run in the background: their progress, stopping them
//	tune, risk      methods, and releases of a table, on a risk-utility plot; the worst groups
//	tried           a trial run, in words
//	jobs            the server's long statements
//	accounts, powers  accounts and their limits; an account's privileges
//	page            templates, style, script
package console
