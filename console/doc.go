// Package console is the console in the browser: published releases, what they promise, and questions to them, as
// pages that the program writes itself.
//
// Principles:
//
//  1. It opens no door that the MySQL port does not have. Whoever signs in names a MySQL account; all that a page shows
//     comes over an ordinary connection of that account, which to the server comes from the browser's address: hosts of
//     accounts, waiting after wrong passwords and limits hold as at the MySQL port. The package imports nothing that
//     could reach tables, releases or privileges in another way (of methods it reads the declarations of their parameters),
//     and what an account may not do is refused by the server, with its number and text.
//  2. Beyond the loopback interface it speaks TLS or not at all. It refuses requests whose Host is not its own (names
//     that somebody else makes point here), and a session is for the address that it began at.
//  3. A password is in memory for as long as its session: until its owner signs out, half an hour passes unused, or the
//     server ends. Nothing is written to a disk but the questions that somebody saves, and a file while it is loaded.
//  4. What people have named or stored is text: html/template escapes it where it stands. The policy of every page
//     forbids what does not come from the console itself, and scripts and styles in the page; nothing is fetched
//     from elsewhere. The first page of a report stands in the page of its release as the server wrote
//     it, by the same rule. Every POST has a token of its session.
//  5. Pages work without their scripts, which complete names while somebody writes a question, and show how far a work is.
//
// Every question has a connection of its own, closed after the answer: no transaction, lock or variable stays. Package asking writes statements,
// package chart draws figures.
//
// # Where things are
//
//	console         configuration, listener, routes
//	guard           Host, headers, cookies, tokens, bounds of a request
//	crowd           sockets at once, and passwords that are tried at once
//	session, sign   who has signed in; signing in and out
//	query           statements over the connection, their results as texts
//	release         the pages about releases: the first page of the report, questions, and what is folded
//	ask, builder    a question, and fields that write it
//	figures, export  its answer: figures with their errors, drawn; a file
//	saved           questions that accounts save; package book keeps them
//	publish, methods  a form for CALL anonymize; fields for parameters, as methods declare them
//	upload          files that browsers send
//	work            statements that go on while nobody looks: how far they are, stopping them
//	tune, risk      methods, and releases of a table, on a risk-utility plot; the worst groups
//	tried           a trial run, in words
//	jobs            the server's long statements
//	accounts, powers  accounts and their limits; what an account may do
//	page            templates, style, script
package console
