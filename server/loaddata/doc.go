// Package loaddata executes LOAD DATA instead of the engine, whose own reader
// cuts lines before it looks at quotes, fills missing fields silently and
// changes values that do not fit.
//
//  1. A statement loads every row or none. The first wrong record ends it with
//     an error that names row, line, column and value, and what it had written
//     is discarded.
//  2. A value is stored as written or refused; nothing is rounded, cut or made
//     zero, whatever the SQL mode says. Blanks around numbers and dates do not
//     count.
//  3. IGNORE passes over rows whose key is taken, with a warning each, and
//     forgives nothing else. As in MySQL, LOCAL implies IGNORE. REPLACE
//     replaces them.
//  4. A file of the server is read only inside the directory secure_file_priv,
//     and not at all where that is not set.
//  5. Reading and converting run beside writing, on one goroutine of their
//     own; user variables and SET are evaluated with the writing.
//  6. A row begins with its fields and the defaults that are constants. SET follows in its order, then the other defaults, then generated
//     columns. Values of SET are converted as those of an INSERT are; a column is assigned once.
//
// The syntax of the text is that of package delimited. An entirely empty line
// is no record where a record has more than one field. [Match] finds the
// statement in a plan, [Exec] runs it.
package loaddata
