// Package loaddata executes LOAD DATA instead of the engine, whose own reader splits
// lines before it looks at quotes, fills missing fields silently and changes values
// that do not fit.
//
//  1. A statement loads every row or none. The first wrong record ends it with an error
//     that names row, line, column and value, and all its rows are discarded.
//  2. A value is stored exactly or refused: never rounded, truncated or replaced by
//     zero, in any SQL mode. Blanks around numbers and dates are ignored.
//  3. IGNORE skips rows with duplicate keys, with a warning each, and forgives nothing
//     else. As in MySQL, LOCAL implies IGNORE. REPLACE replaces the existing rows.
//  4. A file of the server is read only inside the directory secure_file_priv,
//     and not at all where that is not set.
//  5. Reading and converting run on one goroutine, writing on another, which also
//     evaluates user variables and SET.
//  6. A row begins with its fields and the defaults that are constants. SET follows in its order, then the other defaults, then generated
//     columns. Values of SET are converted as those of an INSERT are; a column is assigned once.
//
// Package delimited defines the syntax of the text. An empty line is no record if
// records have more than one field. [Match] finds the statement in a plan, [Exec] runs
// it.
package loaddata
