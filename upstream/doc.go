// Package upstream is the home of raw tables on the owner's own MySQL or MariaDB server.
//
//  1. It asks on the owner's own connection, so every table is read with the owner's own privileges, and only while the
//     owner waits. It stores no password and opens no connection.
//  2. One Microdata is one SELECT, and so one consistent read of tables in InnoDB. It keeps only values and their codes, no
//     rows.
//  3. Upstream's collation decides equality: a second statement asks upstream for the classes of equal texts, and each
//     class is one value, with its most frequent spelling. A table that changes between the two statements is read again.
//  4. A record is recognised by the values of its primary key, hashed with a secret of the release: a release that follows its
//     table reads the table again and compares. Only these hashes of the key's values are stored.
//  5. Server, schema and name give a table a lasting number (a mirror in package raw), and names give its columns theirs.
//     Server is the address under which the data directory first had its tables (NameIn).
//  6. Values are exact: texts in UTF-8 whatever the client's character set, TIMESTAMP as an instant in UTC, FLOAT with all its digits, UUID
//     and addresses as texts.
//
// It refuses by name: geometry and other types that a release cannot have, zero dates, tables that the account may not read, and
// following a table without a primary key.
//
// It changes nothing upstream unless the owner asks for it: Keep makes tables under temporary names, then one statement gives them
// their names. They contain only published data, and have a comment by which they are found again.
//
// # Where things are
//
//	home     tables, and who may do what with them
//	grants   the privileges of an account, from SHOW GRANTS
//	columns  types of columns, and the expressions that read their values
//	read     columns for anonymization
//	classes  texts that are equal upstream
//	keep     relations of releases as tables
//	aggregate  plain questions, and when the table changed
//	keys     records by their primary key, and texts as a release spells them
package upstream
