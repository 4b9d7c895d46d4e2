// Package declared has the types of columns that the engine reads and forgets: TIME(n), FLOAT(m, d) and DOUBLE(m, d), and
// DECIMAL, FLOAT and DOUBLE that are UNSIGNED.
//
// A type has two faces. The column's own rounds what is assigned, and has its declaration as text. Values that are read
// have the type of [Read], which rounds nothing: a question for '09:00:00.6' does not find 09:00:01. A TIME that is read
// shows its decimals; a FLOAT(m, d) that is read is a FLOAT.
//
//  1. What is assigned is rounded as MySQL 8 rounds it: half away from zero.
//  2. A FLOAT(m, d) beyond its digits is out of range, and so is a number below zero in a column that is UNSIGNED.
//
// The engine's own TIME is TIME(6).
package declared
