// Package scope knows which columns the tables of a FROM have before the binder looks at the statement.
//
// It promises that * and t.* over JOIN ... USING and NATURAL JOIN are the columns that the SQL standard names, in its order:
// all columns of t as t declares them, and of * those that joins share once, first. The binder expands t.* in the order in
// which the join has put the columns, and shows what three tables share twice.
// It promises that DEFAULT is what a generated column takes, in every row and without a list of columns, and that it takes nothing else.
// It tells which queries lock what they read ([Locks]).
//
// It asks the binder for the columns of every table that such a FROM names, views, derived tables and common table expressions too. Where the binder
// has no answer, the star is left to the binder, which says why. It looks at no rows and asks for no privilege: what the statement reads is bound
// again afterwards, with the account's privileges.
package scope
