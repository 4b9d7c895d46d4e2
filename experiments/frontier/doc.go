// Package frontier measures what releases answer and what they tell an attacker, on any table
// that a running server has: error against attack, for methods, sizes of groups and models.
//
//  1. A release is published through SQL, as an owner does, and asked through SQL, as an analyst
//     does. The truth is counted here, from the table's rows.
//
//  2. Every release of a table gets the same questions, and so does a table of another tool's
//     (synthetic data): its counts are scaled to the number of records.
//
//  3. Attacks are those that the server measures (ANON_PRIVACY). Only rank, which it
//     measures of groups of neighbours alone, is measured here, on a release of the same
//     arguments.
//
// It writes no file.
//
// # Where things are
//
//	table      the rows, numbers in bands; counts and sums by columns
//	questions  pairs, three-way conjunctions, groups by two keys, averages
//	release    publish, ask, read the attacks, drop
//	rank       who knows half of the records
//	synthetic  another tool's table as an answer
//	plot       points as a picture
//	figures    errors, coverage, and the line that is printed
package frontier
