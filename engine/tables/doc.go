// Package tables is the home of raw tables that a distributed engine keeps.
//
//  1. Its databases are named trino.<schema>, for the schemas of one catalog of the engine. A session has this home if its account has a privilege
//     on such a database. anonsql's own accounts decide privileges (Home.Privileges); the engine sees only anonsql's account.
//  2. Raw tables get only SELECT statements.
//  3. Large data stay in the engine: a histogram transfers its distinct values, an aggregate its groups. Rows are read (Microdata) up to a
//     limit; beyond it an error names the limit.
//  4. Equality is the engine's: texts compare by code points, with case and trailing spaces.
//  5. The engine's address, catalog, schema and name give a table a lasting number (a mirror in package raw), and names give its columns
//     theirs.
//
// It refuses by name: arrays, maps, rows, bytes, times, timestamps with a zone or with more than six decimals, JSON; NaN and infinity;
// following a table, since the engine does not report which rows change.
//
// # Where things are
//
//	home       tables, and who may do what with them
//	columns    types of columns, and the expressions that read their values
//	read       columns for anonymization
//	histogram  how many records have which values
//	aggregate  plain questions
//	stamp      when a table changed
package tables
