// Package proxy is a proxy for the owner's own MySQL or MariaDB server, the upstream server: owners connect to the proxy as
// if it were that server, and anonsql's statements work on the same connection.
//
//  1. A client logs in to the upstream server, with an account of that server (package relay). Other statements
//     than anonsql's are passed on as bytes.
//  2. anonsql's statements are: CALL of one of its procedures, one of its functions, ANON_...(...), one of its table
//     functions after FROM, JOIN or a comma, a name in the databases published or anonsql, and everything while one of these
//     is the current database. A misjudged statement costs an owner an error, never data: upstream checks every privilege.
//  3. A connection inside this process answers anonsql's statements. It has the identity user@host of the upstream
//     account, its current database, and the client's own upstream connection as the source of raw tables (package
//     upstream). So raw tables are read with the owner's privileges, and only while the owner waits.
//  4. SHOW WARNINGS and SHOW ERRORS go to the side that answered last. KILL goes to upstream first, which checks the privilege; then the
//     killed session's statements end here, too. A batch with statements of both kinds is answered in order, and ends with its first error.
//  5. Statements answered here leave upstream's transactions, variables, temporary tables and current database unchanged. They do
//     change its FOUND_ROWS(), ROW_COUNT() and warnings, by the queries that they run there on the owner's behalf.
//  6. A session's upstream settings apply to answers here as they do upstream, or the statement is refused: SQL modes, user variables,
//     weeks, row limits, the current timestamp, the language of names (settings.go). Time zones are the exception: docs/proxy.md.
//
// Its lexer differs from that of server/gate: it reads a text as the upstream server will, with that session's character set and sql_mode.
// The gate reads a text as the engine's tokenizer does, which ends /*! */ inside strings and takes 2--1 for a comment. TestHostileTexts has
// texts that the two must split differently, and each split decides which side answers a statement.
//
// It refuses LOAD DATA into anonsql's databases and several results of one anonsql statement, as the server does. It knows no engine:
// it imports relay, upstream and the interface of sources.
//
// # The way of a statement
//
// The proxy starts beside the server (Config.Beside), with its own listener. Package relay passes an owner's packets to the upstream server and
// back. session.Route in proxy/router.go looks at the tokens of a statement; anonsql's go over a socket within the process to the server, as the
// account 'user@host'@'upstream', to which no password gives access. That session has a source.Source (upstream.Home): functions and catalog open
// raw tables through it, and it asks on the owner's own connection while the owner waits. A mirror in raw, a definition without rows, gives an
// upstream table and its columns lasting numbers. A plain question for actual values goes upstream as SQL (planner/answer/plain.go);
// store=upstream:db (functions/keep.go) is the one thing that writes there. An analyst's session has no source.
//
// # Where things are
//
//	proxy      configuration, and the sessions by their number
//	lexer      the tokens of a statement
//	recognise  which side a statement is for
//	router     which side answers a command
//	prepared   commands for statements that were prepared here
//	batch      several statements in one command
//	inside     the conversation with the server in this process
//	settings   a session's settings upstream
//	asking     queries on the owner's own connection
package proxy
