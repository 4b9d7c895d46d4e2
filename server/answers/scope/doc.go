// Package scope knows which columns the tables of a FROM have before the binder looks at the statement.
//
// It expands * and t.* over JOIN ... USING and NATURAL JOIN as the SQL standard does: t.* are all columns of t in their declared order,
// and * has the joined columns once, first. The binder would expand t.* in the join's order, and show a column that three tables share
// twice. The package also checks that the only value for a generated column is DEFAULT, in every row, with or without a list of columns,
// and finds the queries that lock what they read ([Locks]).
//
// It asks the binder for the columns of every table in such a FROM, including views, derived tables and common table expressions. If the binder
// fails, the star stays, and binding the statement reports the error. The package reads no rows and checks no privilege: the statement is bound
// again afterwards, with the account's privileges.
package scope
