// Package tables is the home of raw tables that a distributed engine keeps.
//
//  1. Its databases are trino.schema for the schemas of one catalog of the engine's. A session has it where its account may do something with such a
//     database; what it may do there is asked of the accounts here (Home.Privileges), and the engine is asked as anonsql's own account.
//  2. Nothing but SELECT goes to raw tables.
//  3. What is large stays there: a histogram is as large as its distinct values, an aggregate as its groups. Rows are read (Microdata) up to
//     a limit, and refused beyond it, by its number.
//  4. Equal is what is equal there: texts by their code points, in case and with spaces at their end.
//  5. A table has a lasting number by the engine's address, catalog, schema and name (a mirror in package raw), and so have its columns by
//     their names.
//
// It refuses by name: arrays, maps, rows, bytes, times, moments with a zone or with more than six places, JSON; NaN and infinity; following
// a table, since the engine does not say which rows change.
//
// # Where things are
//
//	home       tables, and who may do what with them
//	columns    types of columns, and how their values are asked for
//	read       columns for anonymization
//	histogram  how many records have which values
//	aggregate  plain questions
//	stamp      when a table changed
package tables
