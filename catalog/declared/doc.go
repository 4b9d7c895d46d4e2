// Package declared has the types of columns whose details the engine parses and then drops: TIME(n), FLOAT(m, d) and
// DOUBLE(m, d), and UNSIGNED DECIMAL, FLOAT and DOUBLE.
//
// A type has two forms. The column's own type rounds assigned values, and its text is the declaration. Values read from
// the column have the type of [Read], which rounds nothing: a query for '09:00:00.6' does not find 09:00:01. A TIME read
// shows its decimals; a FLOAT(m, d) read is a FLOAT.
//
//  1. Assigned values are rounded half away from zero, as in MySQL 8.
//  2. A FLOAT(m, d) with too many digits is out of range, and so is a negative number in an UNSIGNED column.
//
// The engine's own TIME is TIME(6).
package declared
