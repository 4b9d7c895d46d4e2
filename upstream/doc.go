// Package upstream is the home of raw tables on the owner's own MySQL or MariaDB server.
//
//  1. It asks on the owner's own connection, so every table is read with the owner's own privileges, and only while the
//     owner waits. It stores no password and opens no connection.
//  2. One Microdata is one SELECT, and so one consistent read of tables in InnoDB. Only values and their codes are kept, no
//     row.
//  3. What is equal is what upstream's collation says: upstream is asked for the classes of equal texts, and each
//     class is one value, under its most frequent spelling. A table that changes between the two statements is read again.
//  4. A record is known again by the values of its primary key, hashed with a secret of the release: who follows a table reads it
//     again and compares. The key's values leave no trace but that.
//  5. A table has a lasting number by server, schema and name (a mirror in package raw), and so have its columns by their
//     names. Server is what the proxy was started with.
//  6. Values come as they are: texts as UTF-8 whatever the client's character set, TIMESTAMP as a moment in UTC, FLOAT with all its digits,
//     UUID and addresses as texts.
//
// It refuses by name: geometry and other types that have no place in a release, zero dates, tables that the account may not read,
// following a table without a primary key.
//
// It changes nothing upstream but where the owner asks for it: Keep makes tables under temporary names, and they get theirs in one
// statement. They have a comment by which they are found again, and nothing but what the release publishes.
//
// # Where things are
//
//	home     tables, and who may do what with them
//	grants   the privileges of an account, from SHOW GRANTS
//	columns  types of columns, and how their values are asked for
//	read     columns for anonymization
//	classes  texts that are equal upstream
//	keep     relations of releases as tables
//	aggregate  plain questions, and when the table changed
//	keys     records by their primary key, and texts as a release spells them
package upstream
