// Package loaddata executes LOAD DATA instead of the engine, whose own reader splits
// lines before it looks at quotes, fills missing fields silently and changes values
// that do not fit.
//
//  1. A statement loads every row or none. The first wrong record ends it with an error
//     that names row, line, column and value, and all its rows are discarded.
//  2. A value is stored exactly or refused, in any SQL mode: never truncated or replaced by
//     zero, and rounded only by types such as TIME(0). Blanks around numbers and dates are ignored.
//  3. IGNORE skips rows with duplicate keys, with a warning each, and forgives nothing
//     else. As in MySQL, LOCAL implies IGNORE. REPLACE replaces the existing rows.
//  4. No file of the server is read: the text comes from the client, or from the caller of [ExecText].
//  5. One goroutine reads and converts. Another one writes, and also
//     evaluates user variables and SET.
//  6. A row begins with its fields and the constant defaults. SET follows in its order, then the other defaults, then generated
//     columns. Values of SET are converted as for INSERT; SET assigns a column once.
//
// Package delimited defines the syntax of the text. If records have more than one field, an empty line is no record.
// [Match] finds the statement in a plan, [Exec] runs it.
package loaddata
